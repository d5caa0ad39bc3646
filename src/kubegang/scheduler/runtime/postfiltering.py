"""The extension points that make room, for a pod and for a group. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from kubegang.scheduler.framework.binding import ApiChange
from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.interface import Refusal
from kubegang.scheduler.framework.pods import NodeName, PodGroupInfo, PodInfo
from kubegang.scheduler.framework.postfilter import (
    Handle,
    PodGroupPostFilterResult,
    PostFilterResult,
    ScheduleGroup,
)
from kubegang.scheduler.framework.status import Code, failure, unschedulable
from kubegang.scheduler.runtime.framework import Framework
from kubegang.scheduler.runtime.metering import measured


@measured("PostFilter")
def run_post_filter_plugins(
    framework: Framework,
    state: CycleState,
    *,
    pod: PodInfo,
    refusals: Sequence[Refusal],
    handle: Handle,
) -> PostFilterResult:
    """Ask plugins in turn how to make room; the first that can, or knows nobody can, ends it."""
    reasons: list[str] = []
    nominated: NodeName | None = None
    said_by = ""
    changes: tuple[ApiChange, ...] = ()
    for plugin in framework.post_filter_plugins:
        result = plugin.post_filter(state, pod, refusals=refusals, handle=handle)
        result = result._replace(changes=changes + result.changes)
        status, changes = result.status, result.changes
        if status.is_success or status.code is Code.UNRESOLVABLE:
            return result._replace(status=status.by(plugin.NAME))
        if not status.is_rejected:
            return PostFilterResult(failure(status.as_error).by(plugin.NAME), changes=changes)
        if result.nominated_node is not None:
            nominated = result.nominated_node
        reasons.extend(status.reasons)
        said_by = said_by or plugin.NAME
    return PostFilterResult(unschedulable(*reasons).by(said_by), nominated, changes=changes)


@measured("PodGroupPostFilter")
def run_pod_group_post_filter_plugins(
    framework: Framework,
    state: CycleState,
    *,
    group: PodGroupInfo,
    members: Sequence[PodInfo],
    handle: Handle,
    schedule: ScheduleGroup,
) -> PodGroupPostFilterResult:
    """Ask plugins in turn how to make room; the first that can, or knows nobody can, ends it."""
    reasons: list[str] = []
    said_by = ""
    changes: tuple[ApiChange, ...] = ()
    for plugin in framework.pod_group_post_filter_plugins:
        result = plugin.pod_group_post_filter(
            state, group, members=members, handle=handle, schedule=schedule
        )
        result = result._replace(changes=changes + result.changes)
        status, changes = result.status, result.changes
        if status.is_success or status.code is Code.UNRESOLVABLE:
            return result._replace(status=status.by(plugin.NAME))
        if status.code is not Code.UNSCHEDULABLE:
            text = f'error in "{plugin.NAME}" PodGroupPostFilter plugins: {status.message}'
            return PodGroupPostFilterResult(failure(text).by(plugin.NAME), changes=changes)
        reasons.extend(status.reasons)
        said_by = said_by or plugin.NAME
    return PodGroupPostFilterResult(unschedulable(*reasons).by(said_by), changes=changes)
