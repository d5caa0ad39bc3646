"""Claims on devices and slices of them: stale reports, and when taints began."""

from __future__ import annotations

from collections.abc import Iterator

from kubegang.api.validation.devices.allocation import device_id
from kubegang.apimachinery.objects import JsonObject
from kubegang.apiserver.strategies.rules import KindRules


def _prepare_status_update(new: JsonObject, old: JsonObject) -> None:
    """Drop what drivers reported about devices that the claim has no longer."""
    status = new.get("status") or {}
    gone = _allocated(old) - _allocated(new)
    devices = status.get("devices")
    if gone and devices:
        status["devices"] = [device for device in devices if device_id(device) not in gone]


def _prepare_slice(resource_slice: JsonObject, now: str) -> None:
    for _, taint in _taints(resource_slice):
        taint.setdefault("timeAdded", now)


def _stamp_taints(new: JsonObject, old: JsonObject, now: str) -> None:
    """Keep since when taints have been there; those without a time that are new begin now."""
    known = {_taint_id(device, taint): taint.get("timeAdded") for device, taint in _taints(old)}
    for device, taint in _taints(new):
        if taint.get("timeAdded") is None:
            taint["timeAdded"] = known.get(_taint_id(device, taint)) or now


def _taints(resource_slice: JsonObject) -> Iterator[tuple[str, JsonObject]]:
    """Yield each taint with the name of its device."""
    for device in (resource_slice.get("spec") or {}).get("devices") or ():
        for taint in device.get("taints") or ():
            yield device.get("name") or "", taint


def _taint_id(device: str, taint: JsonObject) -> tuple[str, ...]:
    return (device, *(taint.get(name) or "" for name in ("key", "value", "effect")))


def _prepare_taint_rule(rule: JsonObject, now: str) -> None:
    taint = (rule.get("spec") or {}).get("taint")
    if taint is not None:
        taint.setdefault("timeAdded", now)


def _stamp_taint_rule(new: JsonObject, old: JsonObject, now: str) -> None:
    """Have a taint begin anew when its effect changes, unless a client says since when.

    A time that is left out is now (measured on 1.37.2).
    """
    taint = (new.get("spec") or {}).get("taint")
    if taint is None:
        return
    taint.setdefault("timeAdded", now)
    before = (old.get("spec") or {}).get("taint") or {}
    changed = taint.get("effect") != before.get("effect")
    if changed and taint["timeAdded"] == before.get("timeAdded"):
        taint["timeAdded"] = now


def _allocated(claim: JsonObject) -> set[str]:
    allocation = (claim.get("status") or {}).get("allocation") or {}
    return {device_id(result) for result in (allocation.get("devices") or {}).get("results") or ()}


CLAIMS_ON_DEVICES = KindRules(
    prepare_status_update=_prepare_status_update, status_resets_metadata=True
)
SLICES = KindRules(prepare_create=_prepare_slice, stamp_update=_stamp_taints)
TAINT_RULES = KindRules(
    prepare_create=_prepare_taint_rule,
    stamp_update=_stamp_taint_rule,
    status_resets_metadata=True,
)
