"""Who waits on permit within one decision."""

from __future__ import annotations

from kubegang.scheduler.cycle.waitingsofar import WaitingSoFar
from kubegang.scheduler.framework.binding import NOBODY_WAITS, PermitWait, WaitingPod
from kubegang.scheduler.framework.pods import NodeName, PodGroupKey
from kubegang.scheduler.framework.status import SUCCESS
from kubegang.scheduler.runtime.binding import PermitOutcome, PermitVerdict
from tests.unit.scheduler.queue.stage import make_pod_info

WAITS = (PermitWait("A", 10), PermitWait("B", 10))
NOTHING = PermitOutcome(SUCCESS)


def a_waiting(name: str, group: str = "") -> WaitingPod:
    return WaitingPod(make_pod_info(name, group), NodeName("n"), WAITS, 0.0)


def names(waiting: WaitingSoFar) -> list[str]:
    return [w.pod.name for w in waiting.all()]


def test_those_before_stay_and_new_ones_follow() -> None:
    before = WaitingSoFar(NOBODY_WAITS)
    before.follow(NOTHING, a_waiting("p", "g"))
    waiting = WaitingSoFar(before)
    waiting.follow(NOTHING, a_waiting("q", "g"))
    waiting.follow(NOTHING, a_waiting("r"))
    assert names(waiting) == ["p", "q", "r"]
    assert [w.pod.name for w in waiting.members(PodGroupKey("ns", "g"))] == ["p", "q"]
    assert names(before) == ["p"]


def test_who_is_allowed_by_all_or_rejected_does_not_wait_any_longer() -> None:
    before = WaitingSoFar(NOBODY_WAITS)
    first, second = a_waiting("p"), a_waiting("q")
    before.follow(NOTHING, first)
    before.follow(NOTHING, second)
    waiting = WaitingSoFar(before)
    waiting.follow(NOTHING._replace(allowed=(PermitVerdict("A", first.pod.uid),)))
    known = waiting.get(first.pod.uid)
    assert known is not None
    assert [wait.plugin for wait in known.waits] == ["B"]
    waiting.follow(NOTHING._replace(allowed=(PermitVerdict("B", first.pod.uid),)))
    waiting.follow(NOTHING._replace(rejected=(PermitVerdict("A", second.pod.uid, "no"),)))
    assert names(waiting) == []
    assert waiting.get(second.pod.uid) is None
