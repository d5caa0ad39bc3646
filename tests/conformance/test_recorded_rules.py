"""Validation says of many more objects what kube-apiserver 1.37.2 said of them.

``recorded_rules`` has one object per entry, with the errors that a real server told about it
(reason, field, message), and changes of it with theirs; changes marked ``keep`` stay for the
ones after them. They were made to meet rules that the corpus does not: sources of volumes,
probes, environments, security contexts, suspended Jobs, statuses.

1.36.3 and 1.35.4 were asked the same; ``earlier`` has what they said otherwise, or null where
they do not serve the kind or did not take what came before. In files that
``record_rules`` wrote, it stands beside each entry, under ``other``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from kubegang.apimachinery.field import FieldError
from tests.conformance.rules_replay import Replay

_RECORDED = Path(__file__).parent / "recorded_rules"
_FILES = (
    "pods",
    "pods-changed",
    "jobs",
    "jobs-changed",
    "others",
    "others-changed",
    "networking",
    "autoscaling",
    "certificates",
)

_UID = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b")
_TIME = re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)")

_MERGE_PATCH = "application/merge-patch+json"

Entry = dict[str, Any]


class Told(NamedTuple):
    """What releases before 1.37 say otherwise, by entry and step (empty for the creation)."""

    differing: dict[tuple[str, str], list[str] | None]

    release: str

    def of(self, name: str, step: str, place: Entry) -> list[str] | None:
        """Return what is told, in order; ``None`` if it cannot be asked."""
        beside = place.get("other", {}).get(self.release, place["errors"])
        told = self.differing.get((name, step), beside)
        return None if told is None else sorted(told)


@cache
def _told_by(release: str) -> Told:
    if release == "1.37":
        return Told({}, release)
    text = (_RECORDED / "earlier" / f"{release}.yaml").read_text()
    entries = yaml.load(text, Loader=yaml.CSafeLoader)
    differing = {(one["entry"], one.get("step", "")): one["errors"] for one in entries}
    return Told(differing, release)


def _entries() -> Iterator[tuple[str, Entry]]:
    times = Counter[str]()
    for file in _FILES:
        text = (_RECORDED / f"{file}.yaml").read_text()
        for entry in yaml.load(text, Loader=yaml.CSafeLoader):
            name = f"{file}:{entry['name']}"
            times[name] += 1
            if times[name] > 1:
                name = f"{name} ({times[name]})"
            yield name, entry


def _asked() -> Iterator[Any]:
    """Yield each entry with each release that could be asked about it."""
    for name, entry in _entries():
        for release in ("1.35", "1.36", "1.37"):
            if _told_by(release).of(name, "", entry) is not None:
                yield pytest.param(name, entry, release, id=f"{name}-{release}")


@pytest.mark.parametrize(("name", "entry", "release"), list(_asked()))
def test_the_same_errors_are_told(name: str, entry: Entry, release: str) -> None:
    recorded = _told_by(release)
    replay = Replay(release, "on")
    written = replay.write({"method": "POST", "path": entry["path"], "body": entry["body"]})
    assert _told(written.errors) == recorded.of(name, "", entry)

    for step in entry.get("steps", []):
        expected = recorded.of(name, step["name"], step)
        if expected is None:
            continue
        write = replay.write if step.get("keep") else replay.rehearse
        written = write(_change(entry, step))
        assert _told(written.errors) == expected, step["name"]


def _change(entry: Entry, step: Entry) -> Entry:
    path = f"{entry['path']}/{entry['body']['metadata']['name']}"
    if "subresource" in step:
        path += f"/{step['subresource']}"
    headers = {"Content-Type": step.get("type", _MERGE_PATCH)}
    return {"method": "PATCH", "path": path, "headers": headers, "body": step["patch"]}


def _told(errors: list[FieldError]) -> list[str]:
    return sorted(
        f"{error.reason} {error.field}: {_TIME.sub('<time>', _UID.sub('<uid>', error.message))}"
        for error in errors
    )
