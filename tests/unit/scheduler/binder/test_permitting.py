"""The pods that wait on permit."""

from __future__ import annotations

from kubegang.scheduler.binder.binding import Binding
from kubegang.scheduler.binder.permitting import WaitingRoom
from kubegang.scheduler.framework.binding import PermitWait
from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.entities import QueuedPodInfo
from kubegang.scheduler.framework.pods import NodeName, PodGroupKey, PodUid
from kubegang.scheduler.framework.status import Status
from kubegang.scheduler.runtime.framework import Framework
from tests.unit.scheduler.queue.stage import make_pod_info
from tests.unit.scheduler.runtime.plugins import Sort

FRAMEWORK = Framework([Sort()], weights={})


class Room:
    """A waiting room, and what became of those who left it."""

    def __init__(self) -> None:
        self.allowed: list[str] = []
        self.rejected: list[tuple[str, str, str]] = []
        self.room = WaitingRoom(allowed=self._allow, rejected=self._reject)

    def _allow(self, binding: Binding) -> None:
        self.allowed.append(binding.queued.pod.name)

    def _reject(self, binding: Binding, status: Status) -> None:
        self.rejected.append((binding.queued.pod.name, status.plugin, status.message))

    def hold(self, name: str, *waits: PermitWait, group: str = "", now: float = 0.0) -> PodUid:
        pod = make_pod_info(name, group)
        queued = QueuedPodInfo(pod=pod, timestamp=0.0)
        binding = Binding(queued, NodeName("n"), now, FRAMEWORK, CycleState())
        self.room.hold(binding, waits, now=now)
        return pod.uid


def test_a_pod_goes_on_once_every_plugin_allows_it() -> None:
    stage = Room()
    uid = stage.hold("p", PermitWait("A", 10), PermitWait("B", 20))
    stage.room.allow("A", uid)
    stage.room.allow("A", uid)
    assert (stage.allowed, len(stage.room)) == ([], 1)
    stage.room.allow("B", uid)
    assert (stage.allowed, len(stage.room)) == (["p"], 0)
    stage.room.allow("B", uid)
    assert stage.allowed == ["p"]


def test_the_first_deadline_sends_a_pod_back_and_says_how_long_it_waited() -> None:
    stage = Room()
    stage.hold("p", PermitWait("A", 400.0), PermitWait("B", 350.5), now=100.0)
    assert stage.room.next_tick() == 350.5
    stage.room.tick(now=350.4)
    assert stage.rejected == []
    stage.room.tick(now=401.0)
    text = "rejected due to timeout after waiting 4m10.5s at plugin B"
    assert stage.rejected == [("p", "B", text)]
    assert stage.room.next_tick() is None


def test_a_rejection_reaches_only_who_waits() -> None:
    stage = Room()
    uid = stage.hold("p", PermitWait("A", 10))
    assert stage.room.reject("A", uid, "no") is True
    assert stage.room.reject("A", uid, "no") is False
    assert stage.rejected == [("p", "A", "no")]


def test_members_are_found_by_their_group_until_they_leave() -> None:
    stage = Room()
    first = stage.hold("p", PermitWait("A", 10), group="g")
    stage.hold("q", PermitWait("A", 10), group="g")
    stage.hold("r", PermitWait("A", 10))
    key = PodGroupKey("ns", "g")
    assert [w.pod.name for w in stage.room.members(key)] == ["p", "q"]
    assert stage.room.drop(first) is not None
    assert stage.room.drop(first) is None
    assert [w.pod.name for w in stage.room.members(key)] == ["q"]
    assert len(stage.room.on_node(NodeName("n"))) == 2
    assert stage.room.on_node(NodeName("m")) == []
