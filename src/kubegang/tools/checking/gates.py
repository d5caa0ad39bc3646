"""Which gang-scheduling gates the objects need, in which component. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from kubegang.api.profile import Component
from kubegang.apimachinery.objects import GroupVersion
from kubegang.apimachinery.typecheck import fits
from kubegang.controllers.job import shape
from kubegang.tools.checking.model import Found, Group, Kept, Release, Written
from kubegang.tools.checking.report import NeededGates
from kubegang.tools.checking.serving import gates_in_use

_GANG_GATE: Final = "GangScheduling"
_JOB_GATE: Final = "WorkloadWithJob"
_CLAIMS_GATE: Final = "DRAWorkloadResourceClaims"
_BY_SHAPE: Final = GroupVersion.parse(shape.API_VERSION)


def needed_gates(
    objects: Iterable[Written], kept: Iterable[Kept], groups: Iterable[Group], release: Release
) -> dict[str, Written]:
    """Return the gates that the objects need, each with the first object that does."""
    needed: dict[str, Written] = {}
    for written in objects:
        for gate in _of_fields(written, release):
            needed.setdefault(gate, written)
    gates = release.profile.gates["scheduler"]
    for group in groups:
        is_gang = group.info is not None and group.info.min_count is not None
        if is_gang and group.written is not None and _GANG_GATE in gates:
            needed.setdefault(_GANG_GATE, group.written)
    if _JOB_GATE in gates and _BY_SHAPE in release.profile.served:
        for one in kept:
            if one.written.gvk.kind == "Job" and shape.is_gang(one.object):
                needed.setdefault(_JOB_GATE, one.written)
                needed.setdefault(_GANG_GATE, one.written)
                break
    return _with_needs(needed, release)


def by_component(needed: Mapping[str, Written], release: Release) -> Iterator[NeededGates]:
    """Yield what each component needs, and what it lacks."""
    for component, in_use in release.profile.gates_in_use.items():
        if component == "kubelet" and _CLAIMS_GATE not in needed:
            # It looks at groups for their reservations alone (KEP-5729).
            continue
        gates = tuple(gate for gate in in_use if gate in needed)
        if gates:
            yield NeededGates(
                version=release.name,
                component=component,
                gates=gates,
                missing=tuple(gate for gate in gates if not _is_on(component, gate, release)),
            )


def missing_gates(needed: Mapping[str, Written], by: Iterable[NeededGates]) -> Iterator[Found]:
    """Yield the gates that are off where they are needed."""
    for one in by:
        for gate in one.missing:
            yield Found(
                "gate-missing",
                needed[gate],
                "",
                f"{needed[gate].label} needs the gate {gate} in the {one.component} of "
                f"{one.version}, where it is off",
            )


def _of_fields(written: Written, release: Release) -> Iterable[str]:
    try:
        schema = release.facts.kind(written.gvk)
    except KeyError:
        return ()
    return gates_in_use(written, release) if fits(written.object, schema) else ()


def _with_needs(needed: dict[str, Written], release: Release) -> dict[str, Written]:
    """Add the gates without which the needed ones cannot be on."""
    for gate in reversed(release.profile.known_gates):
        if gate.gang and gate.name in needed:
            for need in gate.needs:
                needed.setdefault(need, needed[gate.name])
    return needed


def _is_on(component: Component, gate: str, release: Release) -> bool:
    return release.profile.gates[component].enabled_if_known(gate)
