"""How victims are told to go, and what follows when they cannot be."""

from __future__ import annotations

import pytest

from kubegang.apimachinery.errors import InternalError, NotFoundError
from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.times import format_time
from kubegang.client.interface import UnreachableError
from kubegang.scheduler.binder.dispatch import Dispatcher, Lane
from kubegang.scheduler.binder.events import EventRecorder
from kubegang.scheduler.binder.evicting import Evictor, Preemption
from kubegang.scheduler.cycle.decision import EvictPod
from kubegang.scheduler.framework.pods import PodUid
from tests.unit.scheduler.binder.acting import Acting
from tests.unit.scheduler.queue.stage import StageClock, make_pod_info

PREEMPTOR = PodUid("uid-p")
PODS = "/api/v1/namespaces/ns/pods"
NOW = format_time(StageClock().time)


class Evicting(Acting):
    """An evictor, and the preemptions that ended."""

    def __init__(self, *, limit: int = 64) -> None:
        super().__init__()
        self.dispatcher = Dispatcher(limit=limit)
        clock = StageClock()
        self.ended: list[Preemption] = []
        events = EventRecorder(self.client, self.dispatcher, clock=clock, host="here")
        self.unbound: set[str] = set()
        self.without_node: set[str] = set()
        self.evictor = Evictor(
            self.client,
            self.dispatcher,
            events=events,
            clock=clock,
            ended=self.ended.append,
            give_up=self.unbound.__contains__,
            has_node=lambda uid: uid not in self.without_node,
        )

    def preempt(
        self,
        *victims: str,
        related: JsonObject | None = None,
        preemptor: PodUid = PREEMPTOR,
    ) -> None:
        evictions = [EvictPod(make_pod_info(name), "make room", "must go") for name in victims]
        self.evictor.preempt(preemptor, evictions, controller="default-scheduler", related=related)

    def calls(self) -> list[tuple[str, str]]:
        """Return method and path of what was sent about pods."""
        return [(sent.method, sent.path) for sent in self.client.sent(path=PODS)]

    def events(self) -> list[JsonObject]:
        bodies = (sent.body for sent in self.client.sent(method="POST"))
        return [body for body in bodies if isinstance(body, dict)]


@pytest.fixture
def evicting() -> Evicting:
    return Evicting()


async def test_a_victim_is_marked_then_deleted(evicting: Evicting) -> None:
    evicting.preempt("v")
    await evicting.flush()
    assert evicting.calls() == [("PATCH", f"{PODS}/v/status"), ("DELETE", f"{PODS}/v")]
    mark, deletion = evicting.client.sent(path=PODS)
    assert mark.body == {
        "metadata": {"uid": "uid-v"},
        "status": {
            "conditions": [
                {
                    "type": "DisruptionTarget",
                    "status": "True",
                    "reason": "PreemptionByScheduler",
                    "message": "must go",
                    "observedGeneration": 1,
                    "lastProbeTime": None,
                    "lastTransitionTime": NOW,
                }
            ]
        },
    }
    # Its own grace period counts: none is given.
    assert isinstance(deletion.body, dict)
    assert deletion.body["preconditions"] == {"uid": "uid-v"}
    assert "gracePeriodSeconds" not in deletion.body


async def test_each_victim_has_an_event_that_names_the_preemptor(evicting: Evicting) -> None:
    evicting.preempt("v", "w", related={"kind": "PodGroup", "name": "g"})
    await evicting.flush()
    told = [
        (e["regarding"]["name"], e["type"], e["reason"], e["action"], e["note"], e["related"])
        for e in evicting.events()
    ]
    related = {"kind": "PodGroup", "name": "g"}
    assert told == [
        ("v", "Normal", "Preempted", "Preempting", "make room", related),
        ("w", "Normal", "Preempted", "Preempting", "make room", related),
    ]


async def test_without_a_group_the_event_refers_to_nothing_else(evicting: Evicting) -> None:
    evicting.preempt("v")
    await evicting.flush()
    assert ["related" in event for event in evicting.events()] == [False]


async def test_two_preemptors_of_one_victim_both_hear_of_the_end(evicting: Evicting) -> None:
    evicting.preempt("v")
    evicting.preempt("v", preemptor=PodUid("uid-q"))
    await evicting.flush()
    assert [one.preemptor for one in evicting.ended] == [PREEMPTOR, "uid-q"]


async def test_a_victim_that_lost_its_node_already_is_left_alone(evicting: Evicting) -> None:
    evicting.without_node.add("uid-v")
    evicting.preempt("v")
    await evicting.flush()
    assert evicting.calls() == []
    assert evicting.events() == []
    assert len(evicting.ended) == 1


async def test_the_end_is_reported_once_after_the_last_victim(evicting: Evicting) -> None:
    evicting.preempt("a", "b", "c")
    assert evicting.ended == []
    await evicting.flush()
    (ended,) = evicting.ended
    assert (ended.preemptor, ended.failed, ended.left) == (PREEMPTOR, False, 0)


async def test_a_victim_that_is_gone_already_is_no_failure(evicting: Evicting) -> None:
    evicting.client.fail(NotFoundError("gone"), method="PATCH", path=f"{PODS}/v/status")
    evicting.preempt("v")
    await evicting.flush()
    assert [ended.failed for ended in evicting.ended] == [False]
    assert (evicting.calls()[1:], evicting.events()) == ([], [])


@pytest.mark.parametrize("error", [InternalError("broken"), UnreachableError("away")])
async def test_after_a_failure_the_other_victims_are_left_alone(
    error: InternalError | UnreachableError,
) -> None:
    evicting = Evicting(limit=1)
    evicting.client.fail(error, method="PATCH", path=f"{PODS}/a/status")
    evicting.preempt("a", "b")
    await evicting.flush()
    assert evicting.calls() == [("PATCH", f"{PODS}/a/status")]
    assert [ended.failed for ended in evicting.ended] == [True]


async def test_a_binding_that_still_waits_is_not_dropped(evicting: Evicting) -> None:
    """The victim may be a pod that is just being bound."""
    done: list[str] = []

    async def bind() -> None:
        done.append("bound")

    evicting.dispatcher.submit(PodUid("uid-v"), bind, lane=Lane.BIND)
    evicting.preempt("v")
    await evicting.flush()
    assert done == ["bound"]
    assert len(evicting.calls()) == 2


async def test_a_victim_that_is_not_bound_yet_loses_its_node_and_is_only_told(
    evicting: Evicting,
) -> None:
    evicting.unbound.add("uid-v")
    evicting.preempt("v")
    await evicting.flush()
    assert evicting.calls() == []
    assert [event["reason"] for event in evicting.events()] == ["Preempted"]
    assert len(evicting.ended) == 1
