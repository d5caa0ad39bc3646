"""Events, of the core group and of events.k8s.io: one kind with two faces.

The older face is checked leniently, for old clients; the newer one also strictly. Errors of
both name the fields of the older one.

Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kubegang.api.validation.checks import IMMUTABLE, Errors, matching
from kubegang.api.validation.internal_form import internal_form
from kubegang.apimachinery.field import Path, invalid_value, required
from kubegang.apimachinery.names import is_qualified_name
from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.times import parse_time
from kubegang.base.feature_gates import FeatureGates

_MAX_TEXT = 128
_MAX_MESSAGE = 1024

_MICROSECONDS = 1e6

# What events.k8s.io/v1 calls differently, by the older name.
_NEW_NAMES = {
    "involvedObject": "regarding",
    "message": "note",
    "source": "deprecatedSource",
    "firstTimestamp": "deprecatedFirstTimestamp",
    "lastTimestamp": "deprecatedLastTimestamp",
    "count": "deprecatedCount",
    "reportingComponent": "reportingController",
}

# What an update may not change, with the kinds in which errors show it, in upstream's
# order; the event time has a rule of its own between the two lists.
_FROZEN = (
    ("involvedObject", "ObjectReference"),
    ("reason", '""'),
    ("message", '""'),
    ("source", "EventSource"),
    ("firstTimestamp", "*"),
    ("lastTimestamp", "*"),
    ("count", "0"),
    ("type", '""'),
)
_FROZEN_NEW = (
    ("action", '""'),
    ("related", "*ObjectReference"),
    ("reportingComponent", '""'),
    ("reportingInstance", '""'),
)

Event = dict[str, Any]
"""An event with the older face's names."""


def validate_core_event(event: JsonObject, _gates: FeatureGates) -> Errors:
    """Check an event of the core group, new or changed."""
    yield from _lenient(event, reporter="reportingComponent")


def validate_core_event_update(new: JsonObject, _old: JsonObject, gates: FeatureGates) -> Errors:
    """Check a changed event of the core group: anything may change."""
    yield from validate_core_event(new, gates)


def validate_event(event: JsonObject, _gates: FeatureGates) -> Errors:
    """Check a new event of events.k8s.io; its metadata is checked between both passes."""
    yield from _lenient(_renamed(event), reporter="reportingController")


def validate_event_strictly(event: JsonObject, _gates: FeatureGates) -> Errors:
    """Check what only events.k8s.io demands of a new event."""
    older = _renamed(event)
    yield from _series(older)
    if not older.get("eventTime"):
        yield required(Path("eventTime"))
    event_type = older.get("type") or ""
    if event_type not in ("Normal", "Warning"):
        yield invalid_value(Path("type"), "", f"has invalid value: {event_type}")
    source = older.get("source") or {}
    for name in ("firstTimestamp", "lastTimestamp", "count"):
        if older.get(name):
            yield invalid_value(Path(name), "", "needs to be unset")
    if source.get("component") or source.get("host"):
        yield invalid_value(Path("source"), "", "needs to be unset")


def validate_event_update(new: JsonObject, _old: JsonObject, gates: FeatureGates) -> Errors:
    """Check a changed event of events.k8s.io, first leniently."""
    yield from validate_event(new, gates)


def validate_event_update_strictly(
    new: JsonObject, old: JsonObject, _gates: FeatureGates
) -> Errors:
    """Check that only the series of an event of events.k8s.io changed."""
    older, stored = _renamed(new), _renamed(old)
    if older.get("series") != stored.get("series"):
        yield from _series(older)
    yield from _frozen(older, stored, _FROZEN)
    time, old_time = older.get("eventTime"), stored.get("eventTime")
    if _microseconds(time) != _microseconds(old_time):
        yield invalid_value(Path("eventTime"), time, IMMUTABLE)
    yield from _frozen(older, stored, _FROZEN_NEW)


def _renamed(event: JsonObject) -> Event:
    older = dict(event)
    for name, new_name in _NEW_NAMES.items():
        older[name] = event.get(new_name)
    return older


def _lenient(event: Event, *, reporter: str) -> Errors:
    namespace = (event.get("metadata") or {}).get("namespace") or ""
    subject = (event.get("involvedObject") or {}).get("namespace") or ""
    if event.get("eventTime"):
        fits = bool(subject) or namespace in ("default", "kube-system")
    elif subject:
        fits = subject == namespace
    else:
        fits = namespace in ("", "default")
    if not fits:
        path = Path("involvedObject").child("namespace")
        yield invalid_value(path, subject, "does not match event.namespace")
    if event.get("eventTime"):
        yield from _reporter(event, reporter)
        yield from _texts(event)


def _reporter(event: Event, field: str) -> Errors:
    reporter = event.get("reportingComponent") or ""
    if not reporter:
        yield required(Path(field))
    yield from matching(Path(field), reporter, is_qualified_name)


def _texts(event: Event) -> Errors:
    for name in ("reportingInstance", "action", "reason"):
        text = event.get(name) or ""
        if not text:
            yield required(Path(name))
        yield from _length(name, text, _MAX_TEXT)
    yield from _length("message", event.get("message") or "", _MAX_MESSAGE)


def _length(name: str, text: str, at_most: int) -> Errors:
    if len(text.encode()) > at_most:
        yield invalid_value(Path(name), "", f"can have at most {at_most} characters")


def _series(event: Event) -> Errors:
    series = event.get("series")
    if series is None:
        return
    if (series.get("count") or 0) <= 1:
        yield invalid_value(Path("series.count"), "", "should be at least 2")
    if not series.get("lastObservedTime"):
        yield required(Path("series.lastObservedTime"))


def _frozen(event: Event, stored: Event, rows: Sequence[tuple[str, str]]) -> Errors:
    for name, kind in rows:
        value = internal_form(kind, event.get(name))
        if value != internal_form(kind, stored.get(name)):
            shown = "reportingController" if name == "reportingComponent" else name
            yield invalid_value(Path(shown), value, IMMUTABLE)


def _microseconds(time: str | None) -> int | None:
    return None if time is None else round(parse_time(time) * _MICROSECONDS)
