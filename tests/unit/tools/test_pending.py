"""What does not start is listed with the scheduler's reason, or with one found here."""

from __future__ import annotations

import pytest

from kubegang.scheduler.cycle.decision import Diagnosis, NodeReason, PodDiagnosis
from kubegang.scheduler.framework.pods import PodGroupKey
from kubegang.testing.builders import make_pod
from kubegang.tools.pending import PendingUnit, pending_of
from kubegang.tools.records import EntityKey
from tests.unit.tools.story import Story

SERVED = ("default-scheduler", "kubegang")


def nobody_knows(_key: EntityKey) -> Diagnosis | None:
    return None


def only(story: Story) -> PendingUnit:
    (found,) = pending_of(story.history, nobody_knows, scheduler_names=SERVED)
    return found


def refused(name: str, reason: str) -> PodDiagnosis:
    return PodDiagnosis(
        pod=make_pod(name).info(),
        nodes=3,
        reasons=(NodeReason(reason, 3),),
        message=f"pod {name} needs 8 cpu",
    )


def test_a_gang_has_the_schedulers_reason_and_fresh_numbers() -> None:
    story = Story()
    story.node("n-0")
    story.job("j", parallelism=4)
    story.status("Job", "j", active=4)
    story.group("g", min_count=3, job="j")
    story.pods("a", "b", "c", "d", group="g", job="j")
    story.bind("a", node="n-0")
    asked: list[EntityKey] = []

    def explain(key: EntityKey) -> Diagnosis | None:
        asked.append(key)
        return Diagnosis(
            outcome="unschedulable",
            message="needs 3 pods at once",
            upstream_message="pod group is unschedulable",
            quorum=3,
            pods=(
                refused("b", "Insufficient cpu"),
                refused("c", "Insufficient cpu"),
                refused("d", "Too many pods"),
            ),
        )

    (found,) = pending_of(story.history, explain, scheduler_names=SERVED)

    assert asked == [PodGroupKey("default", "g")]
    assert (str(found.subject), found.subject.kind, found.group) == ("j", "Job", "g")
    assert (found.pods, found.needed, found.scheduled) == (3, 3, 1)
    assert (found.outcome, found.message) == ("unschedulable", "needs 3 pods at once")
    assert found.upstream_message == "pod group is unschedulable"
    assert [(r.pods, r.first, r.reasons[0].reason) for r in found.refused] == [
        (2, "b", "Insufficient cpu"),
        (1, "d", "Too many pods"),
    ]


def test_a_group_of_a_tree_has_the_trees_reason_and_its_own_numbers() -> None:
    story = Story()
    story.group("g", min_count=2)
    story.pods("a", "b", group="g")

    def explain(_key: EntityKey) -> Diagnosis | None:
        own = make_pod("b").group("g").info()
        other = make_pod("x").group("h").info()
        return Diagnosis(
            outcome="unschedulable",
            message="needs 3 child groups at once",
            group=PodGroupKey("default", "root", "CompositePodGroup"),
            quorum=3,
            pods=tuple(PodDiagnosis(pod, 1, (), f"pod {pod.name}") for pod in (other, own)),
        )

    (found,) = pending_of(story.history, explain, scheduler_names=SERVED)
    assert (found.group, found.pods, found.needed) == ("g", 2, 2)
    assert found.message == "needs 3 child groups at once"
    assert [refused.first for refused in found.refused] == ["b"]


def test_a_pod_for_a_scheduler_that_does_not_run_says_so() -> None:
    story = Story()
    story.pods("p", schedulerName="volcano")

    assert only(story).message == (
        "pod p asks for scheduler 'volcano', which does not run here; served are: "
        "default-scheduler, kubegang"
    )


def test_a_gang_that_lacks_members_of_another_scheduler_names_it() -> None:
    story = Story()
    story.group("g", min_count=2)
    story.pods("a", group="g")
    story.pods("b", group="g", schedulerName="volcano")
    diagnosis = Diagnosis(outcome="waiting", message="waiting for 1 more pod (1 of 2)", quorum=2)

    (found,) = pending_of(story.history, lambda _key: diagnosis, scheduler_names=SERVED)

    assert found.message.startswith("waiting for 1 more pod (1 of 2); pod b asks for scheduler")


def test_a_gated_pod_that_the_scheduler_does_not_know_names_its_gates() -> None:
    story = Story()
    story.pods("p", schedulingGates=[{"name": "example.com/a"}, {"name": "example.com/b"}])

    assert only(story).message == (
        "waiting for scheduling gates to be removed from pod p: example.com/a, example.com/b"
    )


def test_a_pod_bound_to_a_node_that_does_not_exist_is_pending() -> None:
    story = Story()
    story.node("n-0")
    story.pods("here", "lost")
    story.bind("here", node="n-0")
    story.bind("lost", node="n-9")

    assert only(story).message == (
        "pod lost is bound to node n-9, which does not exist; add the node"
    )


def test_a_job_without_its_pods_repeats_the_controllers_complaint() -> None:
    story = Story()
    story.job("j", parallelism=4, completions=4)
    story.status("Job", "j", active=1)
    event = {
        "kind": "Event",
        "metadata": {"name": "e", "namespace": "default"},
        "involvedObject": {"kind": "Job", "uid": "Job-j"},
        "type": "Warning",
        "reason": "FailedCreate",
        "message": "Error creating: quota exceeded",
    }
    story.history.see(event, at=0.0)

    found = only(story)

    assert found.pods == 3
    assert found.message == "1 of 4 pods exist; FailedCreate: Error creating: quota exceeded"


@pytest.mark.parametrize(
    ("spec", "status"),
    [
        pytest.param({"completions": 3}, {"active": 1, "succeeded": 2}, id="little is left"),
        pytest.param({"suspend": True}, {}, id="suspended"),
        pytest.param({}, {"succeeded": 1}, id="one success is enough"),
    ],
)
def test_a_job_that_needs_no_more_pods_is_not_pending(
    spec: dict[str, object], status: dict[str, object]
) -> None:
    story = Story()
    story.job("j", parallelism=2, **spec)
    story.status("Job", "j", **status)

    assert pending_of(story.history, nobody_knows, scheduler_names=SERVED) == ()
