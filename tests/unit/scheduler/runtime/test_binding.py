"""The points between the choice of a node and the binding, in order and in words."""

from __future__ import annotations

from typing import ClassVar

import pytest

from kubegang.scheduler.framework.binding import (
    MAX_PERMIT_SECONDS,
    NOBODY_WAITS,
    PermitResult,
    WaitingPods,
)
from kubegang.scheduler.framework.cluster import ClusterView
from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.errors import InvariantError
from kubegang.scheduler.framework.interface import Plugin
from kubegang.scheduler.framework.pods import NodeName, PodInfo, PodUid
from kubegang.scheduler.framework.status import (
    SUCCESS,
    Code,
    Status,
    failure,
    unschedulable,
    waiting,
)
from kubegang.scheduler.runtime.binding import (
    PermitOutcome,
    choose_bind_plugin,
    has_binding_points,
    run_permit_plugins,
    run_reserve_plugins,
)
from kubegang.scheduler.runtime.framework import Framework
from kubegang.scheduler.snapshot.builder import SnapshotBuilder
from tests.unit.scheduler.queue.stage import make_pod_info
from tests.unit.scheduler.runtime.plugins import Sort

POD = make_pod_info("p")
NODE = NodeName("n")
CLUSTER = SnapshotBuilder().snapshot()


class Keep:
    """Reserves, or not; logs."""

    NAME: ClassVar[str] = "Keep"

    def __init__(self, name: str, log: list[str], status: Status = SUCCESS) -> None:
        self.NAME = name  # type: ignore[misc]  # several of a kind in one profile
        self._log = log
        self._status = status

    def reserve(
        self, state: CycleState, pod: PodInfo, *, node: NodeName, cluster: ClusterView
    ) -> Status:
        self._log.append(f"+{self.NAME}")
        return self._status

    def unreserve(
        self, state: CycleState, pod: PodInfo, *, node: NodeName, cluster: ClusterView
    ) -> None:
        self._log.append(f"-{self.NAME}")


class Uninterested(Keep):
    """Has nothing to do with any pod."""

    def concerns(self, pod: PodInfo) -> bool:
        return False


class Permit:
    """Says what it was told to say."""

    NAME: ClassVar[str] = "Permit"

    def __init__(self, name: str, result: PermitResult) -> None:
        self.NAME = name  # type: ignore[misc]  # several of a kind in one profile
        self._result = result

    def permit(
        self,
        state: CycleState,
        pod: PodInfo,
        *,
        node: NodeName,
        cluster: ClusterView,
        waiting: WaitingPods,
        now: float,
    ) -> PermitResult:
        return self._result


def framework(*plugins: Plugin) -> Framework:
    return Framework([Sort(), *plugins], weights={})


def reserve(*plugins: Plugin) -> Status:
    return run_reserve_plugins(
        framework(*plugins), CycleState(), pod=POD, node=NODE, cluster=CLUSTER
    )


def permit(*plugins: Plugin) -> PermitOutcome:
    return run_permit_plugins(
        framework(*plugins),
        CycleState(),
        pod=POD,
        node=NODE,
        cluster=CLUSTER,
        waiting_pods=NOBODY_WAITS,
        now=50.0,
    )


def test_a_failed_reservation_is_taken_back_everywhere_in_reverse_order() -> None:
    log: list[str] = []
    no = unschedulable("full")
    status = reserve(Keep("A", log), Keep("B", log, no), Keep("C", log))
    assert log == ["+A", "+B", "-C", "-B", "-A"]
    assert (status.code, status.plugin, status.message) == (Code.UNSCHEDULABLE, "B", "full")


def test_errors_name_the_point_and_the_plugin() -> None:
    assert reserve(Keep("A", [], failure("broken"))).message == (
        'running Reserve plugin "A": broken'
    )
    outcome = permit(Permit("P", PermitResult(failure("broken"))))
    assert outcome.status.message == 'running Permit plugin "P": broken'


def test_plugins_that_a_pod_does_not_concern_are_not_asked() -> None:
    log: list[str] = []
    assert reserve(Uninterested("A", log)).is_success
    assert log == []
    assert not has_binding_points(framework(Uninterested("A", log)), POD)
    assert has_binding_points(framework(Keep("A", log)), POD)


def test_each_plugin_that_makes_a_pod_wait_has_its_own_deadline() -> None:
    outcome = permit(
        Permit("A", PermitResult(waiting("later"), 10)),
        Permit("B", PermitResult(SUCCESS, allow=(PodUid("x"),))),
        Permit("C", PermitResult(waiting("much later"), 1e6, activate=(PodUid("y"),))),
    )
    assert outcome.status.is_wait
    assert outcome.status.message == "later, much later"
    assert outcome.waits == (("A", 60.0), ("C", 50.0 + MAX_PERMIT_SECONDS))
    assert [(v.plugin, v.pod) for v in outcome.allowed] == [("B", "x")]
    assert outcome.activated == ("y",)


def test_a_refused_permit_ends_the_waiting_before_it_begins() -> None:
    outcome = permit(
        Permit("A", PermitResult(waiting("later"), 10)),
        Permit("B", PermitResult(unschedulable("never"))),
        Permit("C", PermitResult(SUCCESS, allow=(PodUid("x"),))),
    )
    assert (outcome.status.plugin, outcome.status.message) == ("B", "never")
    assert (outcome.waits, outcome.allowed) == ((), ())


def test_nobody_who_binds_is_a_bug_of_ours() -> None:
    with pytest.raises(InvariantError, match="no plugin binds pod"):
        choose_bind_plugin(framework(), pod=POD, node=NODE)
