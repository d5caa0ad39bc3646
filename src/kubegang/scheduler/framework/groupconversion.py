"""Pod groups and composites from their internal form to ``PodGroupInfo``. Pure."""

from __future__ import annotations

import msgspec

from kubegang.api.scheduling.types import CompositePodGroup, PodGroup
from kubegang.scheduler.framework.pods import GroupKind, PodGroupInfo, PodGroupKey
from kubegang.scheduler.framework.sharedparts import (
    condition_of,
    device_claims,
    preemption_policy,
    seconds,
)


def pod_group_info(
    group: PodGroup, *, condition_type: str, with_parent: bool = True
) -> PodGroupInfo:
    """Return the scheduler's view of a PodGroup.

    Args:
        group: in the internal form.
        condition_type: how the scheduling condition is called in this release.
        with_parent: whether composite pod groups count; else every group stands for itself.
    """
    gang = group.spec.scheduling_policy.gang
    info = _group_info("PodGroup", group, None if gang is None else gang.min_count)
    return msgspec.structs.replace(
        info,
        parent=info.parent if with_parent else "",
        initially_scheduled=condition_of(group.status.conditions, condition_type),
        device_claims=device_claims(
            group.spec.resource_claims, group.status.resource_claim_statuses
        ),
    )


def composite_pod_group_info(group: CompositePodGroup) -> PodGroupInfo:
    """Return the scheduler's view of a CompositePodGroup: a group whose members are groups."""
    gang = group.spec.scheduling_policy.gang
    return _group_info("CompositePodGroup", group, None if gang is None else gang.min_group_count)


def _group_info(
    kind: GroupKind, group: PodGroup | CompositePodGroup, min_count: int | None
) -> PodGroupInfo:
    meta, spec = group.metadata, group.spec
    constraints = spec.scheduling_constraints
    return PodGroupInfo(
        key=PodGroupKey(meta.namespace, meta.name, kind),
        uid=meta.uid,
        resource_version=meta.resource_version,
        created=seconds(meta.creation_timestamp),
        terminating=meta.deletion_timestamp is not None,
        min_count=min_count,
        topology_key=constraints.topology_key if constraints is not None else "",
        priority=spec.priority or 0,
        preemption_policy=preemption_policy(spec.preemption_policy),
        disruption_mode=spec.disruption_mode.mode if spec.disruption_mode else "single",
        parent=spec.parent_composite_pod_group_name or "",
        initially_scheduled=None,
    )
