"""The kinds that Jobs are about, as each release serves them."""

from __future__ import annotations

from kubegang.client.interface import Resource
from kubegang.client.resources import (
    CONFIGMAPS,
    JOBS,
    PODGROUPS,
    PODS,
    PRIORITYCLASSES,
    WORKLOADS,
)

_GROUP = WORKLOADS.group
_OLD_WORKLOADS = Resource(_GROUP, "v1alpha2", WORKLOADS.plural, WORKLOADS.kind)
_OLD_PODGROUPS = Resource(_GROUP, "v1alpha2", PODGROUPS.plural, PODGROUPS.kind)

_COMPARED = {
    # Its Workloads have another form, and Jobs get none.
    "1.35": (JOBS, PODS),
    "1.36": (JOBS, PODS, _OLD_WORKLOADS, _OLD_PODGROUPS),
    "1.37": (JOBS, PODS, WORKLOADS, PODGROUPS),
}


def compared(release: str) -> tuple[Resource, ...]:
    """Return the resources whose objects are compared."""
    return _COMPARED[release]


def resources(release: str) -> dict[str, Resource]:
    """Return the resources that cases use, by kind."""
    known = (CONFIGMAPS, PRIORITYCLASSES, *compared(release))
    return {resource.kind: resource for resource in known}
