"""Workloads whose entries are groups, told as if the groups were objects."""

from __future__ import annotations

import msgspec

from kubegang.scheduler.framework.pods import PodGroupKey, PodInfo
from kubegang.scheduler.framework.workloadgroups import (
    WorkloadInfo,
    group_name,
    workload_group_key,
)
from kubegang.scheduler.workloadhandlers import WorkloadHandlers
from tests.unit.scheduler.queue.stage import Stage, make_pod_info, newer

WORKLOAD = WorkloadInfo(
    namespace="ns",
    name="w",
    uid="uid-w",
    resource_version="1",
    created=5.0,
    terminating=False,
    minimums=(("g", 2),),
)


def member(name: str, replica: str = "") -> PodInfo:
    ref = ("w", "g", replica)
    key = workload_group_key("ns", ref)
    return msgspec.structs.replace(make_pod_info(name), workload_ref=ref, pod_group=key)


def groups(stage: Stage) -> set[str]:
    return {group.key.name for group in stage.cache.snapshot().pod_groups()}


def test_names_have_their_parts_back() -> None:
    assert group_name(PodGroupKey("ns", "w/g")) == ("w", "g", "")
    assert group_name(PodGroupKey("ns", "w/g/r")) == ("w", "g", "r")
    assert group_name(PodGroupKey("ns", "an-object")) is None


def test_groups_are_there_while_their_workload_and_a_pod_are() -> None:
    stage = Stage()
    handlers = WorkloadHandlers(stage.handlers)
    first, second = member("p"), member("q", "r")
    handlers.pod_added(first)
    assert groups(stage) == set()
    handlers.workload_added(WORKLOAD)
    assert groups(stage) == {"w/g"}
    handlers.pod_added(second)
    assert groups(stage) == {"w/g", "w/g/r"}
    handlers.pod_deleted(first)
    assert groups(stage) == {"w/g/r"}
    handlers.pod_updated(second, newer(second, finished=True))
    assert groups(stage) == set()
    handlers.pod_added(first)
    assert groups(stage) == {"w/g"}
    handlers.workload_deleted(WORKLOAD)
    assert groups(stage) == set()
    assert not stage.cache.groups.has_workload("ns", "w")


def test_an_entry_that_goes_takes_its_groups_along() -> None:
    stage = Stage()
    handlers = WorkloadHandlers(stage.handlers)
    handlers.workload_added(WORKLOAD)
    handlers.pod_added(member("p"))
    changed = msgspec.structs.replace(WORKLOAD, resource_version="2", minimums=(("g", 3),))
    handlers.workload_updated(WORKLOAD, changed)
    (group,) = stage.cache.snapshot().pod_groups()
    assert (group.min_count, group.uid, group.created) == (3, "uid-w", 5.0)
    handlers.workload_updated(changed, msgspec.structs.replace(changed, minimums=()))
    assert groups(stage) == set()
