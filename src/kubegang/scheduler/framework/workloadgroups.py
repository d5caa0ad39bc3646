"""Pod groups that are entries of a Workload, as 1.35 has them. Pure.

Such a group has no object of its own. Pods name the Workload, its entry and, for several
groups of one form, a replica key; each key makes a group. All else here speaks of groups by
``PodGroupKey``, so the three are put together as its name: none of them has a slash in it.
"""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from kubegang.api.scheduling.types import Workload
from kubegang.apimachinery.times import parse_time
from kubegang.scheduler.framework.pods import PodGroupInfo, PodGroupKey, PodInfo

WorkloadRef = tuple[str, str, str]
"""spec.workloadRef of a pod: the Workload, the pod group, and the replica key or empty."""


class WorkloadGroupName(NamedTuple):
    """The parts of a group's name."""

    workload: str
    pod_group: str
    replica_key: str = ""


class WorkloadInfo(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The scheduler's view of a Workload whose entries are groups.

    Attributes:
        minimums: per entry the gang's minimum; ``None`` for a basic group.
    """

    namespace: str
    name: str
    uid: str
    resource_version: str
    created: float
    terminating: bool
    minimums: tuple[tuple[str, int | None], ...]

    def group(self, key: PodGroupKey, pod: PodInfo) -> PodGroupInfo | None:
        """Return one of its groups, or ``None`` if there is no such entry.

        Args:
            key: the group's.
            pod: any member; a Workload says nothing of priority, so the members do.
        """
        name = group_name(key)
        for entry, minimum in self.minimums:
            if name is not None and entry == name.pod_group:
                return PodGroupInfo(
                    key=key,
                    uid=self.uid,
                    resource_version=self.resource_version,
                    created=self.created,
                    terminating=self.terminating,
                    min_count=minimum,
                    topology_key="",
                    priority=pod.priority,
                    preemption_policy=pod.preemption_policy,
                    disruption_mode="single",
                    parent="",
                    initially_scheduled=None,
                )
        return None


def workload_group_key(namespace: str, ref: WorkloadRef) -> PodGroupKey:
    """Return the group that a pod names."""
    return PodGroupKey(namespace, "/".join(part for part in ref if part))


def group_name(key: PodGroupKey) -> WorkloadGroupName | None:
    """Return the parts of a group's name; ``None`` for a group with an object of its own."""
    parts = key.name.split("/")
    return WorkloadGroupName(*parts) if len(parts) in (2, 3) else None


def workload_info(workload: Workload) -> WorkloadInfo:
    """Return the scheduler's view of a Workload, in the form of all releases."""
    meta = workload.metadata
    minimums = []
    for template in workload.spec.pod_group_templates or ():
        gang = template.scheduling_policy.gang
        minimums.append((template.name, None if gang is None else gang.min_count))
    return WorkloadInfo(
        namespace=meta.namespace,
        name=meta.name,
        uid=meta.uid,
        resource_version=meta.resource_version,
        created=parse_time(meta.creation_timestamp) if meta.creation_timestamp else 0.0,
        terminating=meta.deletion_timestamp is not None,
        minimums=tuple(minimums),
    )
