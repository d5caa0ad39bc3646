"""Persistent volumes and claims: when a phase began, and the two names of a data source."""

from __future__ import annotations

from kubegang.apimachinery.objects import JsonObject
from kubegang.apiserver.strategies.rules import KindRules

# What an old-style data source may be; anything else was always dropped in silence.
_OLD_SOURCES = (("", "PersistentVolumeClaim"), ("snapshot.storage.k8s.io", "VolumeSnapshot"))

_SINCE = "lastPhaseTransitionTime"


def _pending() -> JsonObject:
    return {"phase": "Pending"}


def _prepare_volume(volume: JsonObject, now: str) -> None:
    volume["status"][_SINCE] = now


def _stamp_phase(new: JsonObject, old: JsonObject, now: str) -> None:
    """Note when the phase changed, unless whoever changed it did (KEP-3762)."""
    status, old_status = new.setdefault("status", {}), old.get("status") or {}
    known = old_status.get(_SINCE)
    if status.get("phase") == old_status.get("phase"):
        if status.get(_SINCE) is None and known is not None:
            status[_SINCE] = known
    elif status.get(_SINCE) in (None, known):
        status[_SINCE] = now


def _prepare_claim(claim: JsonObject, _now: str) -> None:
    _join_sources(claim.get("spec") or {}, {})


def _prepare_claim_update(new: JsonObject, old: JsonObject) -> None:
    _join_sources(new.get("spec") or {}, old.get("spec") or {})


def _join_sources(spec: JsonObject, old_spec: JsonObject) -> None:
    """Fill in whichever of ``dataSource`` and ``dataSourceRef`` is missing (KEP-1495)."""
    source, reference = spec.get("dataSource"), spec.get("dataSourceRef")
    # A source in another namespace takes a gate that no release has on by default.
    if reference is not None and reference.get("namespace") and not old_spec.get("dataSourceRef"):
        del spec["dataSourceRef"]
        reference = None
    in_use = old_spec.get("dataSource") is not None
    if source is not None and reference is None and not in_use and not _is_old_source(source):
        del spec["dataSource"]
        source = None
    if source is not None and reference is None:
        spec["dataSourceRef"] = dict(source)
    elif reference is not None and source is None and not reference.get("namespace"):
        spec["dataSource"] = {k: v for k, v in reference.items() if k != "namespace"}


def _is_old_source(source: JsonObject) -> bool:
    return (source.get("apiGroup") or "", source.get("kind") or "") in _OLD_SOURCES


VOLUMES = KindRules(
    new_status=_pending, prepare_create=_prepare_volume, stamp_status_update=_stamp_phase
)
CLAIMS = KindRules(
    new_status=_pending, prepare_create=_prepare_claim, prepare_update=_prepare_claim_update
)
