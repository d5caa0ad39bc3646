"""What is written into statuses, and what is not."""

from __future__ import annotations

import pytest

from kubegang.apimachinery.errors import InternalError
from kubegang.apimachinery.times import format_time
from kubegang.scheduler.binder.status import Condition, StatusWriter
from tests.unit.scheduler.binder.acting import Acting
from tests.unit.scheduler.queue.stage import StageClock, make_group_info, make_pod_info

FULL = Condition("False", "Unschedulable", "full")
FULLER = Condition("False", "Unschedulable", "fuller")
DONE = Condition("True", "Scheduled", "")
NOW = format_time(StageClock().time)


@pytest.fixture
def acting() -> Acting:
    return Acting()


@pytest.fixture
def writer(acting: Acting) -> StatusWriter:
    return StatusWriter(
        acting.client,
        acting.dispatcher,
        clock=StageClock(),
        group_condition="PodGroupInitiallyScheduled",
    )


async def test_a_first_condition_is_written_whole(acting: Acting, writer: StatusWriter) -> None:
    writer.set_pod_condition(make_pod_info("p"), FULL)
    await acting.flush()
    (sent,) = acting.client.sent()
    assert (sent.method, sent.path) == ("PATCH", "/api/v1/namespaces/ns/pods/p/status")
    assert sent.body == {
        "metadata": {"uid": "uid-p"},
        "status": {
            "conditions": [
                {
                    "type": "PodScheduled",
                    "status": "False",
                    "reason": "Unschedulable",
                    "message": "full",
                    "observedGeneration": 1,
                    "lastProbeTime": None,
                    "lastTransitionTime": NOW,
                }
            ]
        },
    }


async def test_a_new_text_keeps_the_time_of_the_transition(
    acting: Acting, writer: StatusWriter
) -> None:
    writer.set_pod_condition(make_pod_info("p", condition=tuple(FULL)), FULLER)
    await acting.flush()
    (sent,) = acting.client.sent()
    assert isinstance(sent.body, dict)
    (condition,) = sent.body["status"]["conditions"]
    assert condition["message"] == "fuller"
    assert "lastTransitionTime" not in condition


async def test_what_the_pod_says_already_is_not_written(
    acting: Acting, writer: StatusWriter
) -> None:
    pod = make_pod_info("p", condition=tuple(FULL), nominated_node_name="n")
    writer.set_pod_condition(pod, FULL)
    writer.nominate(pod, "n")
    await acting.flush()
    assert acting.client.sent() == []


async def test_what_was_written_a_moment_ago_is_not_written_again(
    acting: Acting, writer: StatusWriter
) -> None:
    """The informer shows the pod without the condition for a while."""
    pod = make_pod_info("p")
    for _ in range(2):
        writer.set_pod_condition(pod, FULL)
        await acting.flush()
    assert len(acting.client.sent()) == 1


async def test_a_failed_write_is_tried_again_next_time(
    acting: Acting, writer: StatusWriter
) -> None:
    pod = make_pod_info("p")
    acting.client.fail(InternalError("disk full"))
    for _ in range(2):
        writer.set_pod_condition(pod, FULL)
        await acting.flush()
    assert len(acting.client.sent()) == 2


async def test_wishes_for_one_pod_become_one_patch(acting: Acting, writer: StatusWriter) -> None:
    pod = make_pod_info("p")
    writer.nominate(pod, "n")
    writer.set_pod_condition(pod, FULL)
    writer.set_pod_condition(pod, FULLER)
    await acting.flush()
    (sent,) = acting.client.sent()
    assert isinstance(sent.body, dict)
    status = sent.body["status"]
    assert (status["nominatedNodeName"], status["conditions"][0]["message"]) == ("n", "fuller")


async def test_an_empty_nomination_clears_the_field(acting: Acting, writer: StatusWriter) -> None:
    writer.nominate(make_pod_info("p", nominated_node_name="n"), "")
    await acting.flush()
    (sent,) = acting.client.sent()
    assert isinstance(sent.body, dict)
    assert sent.body["status"] == {"nominatedNodeName": None}


async def test_nothing_is_written_any_more_once_the_pod_is_to_be_bound(
    acting: Acting, writer: StatusWriter
) -> None:
    pod = make_pod_info("p")
    writer.set_pod_condition(pod, FULL)
    writer.discard(pod.uid)
    await acting.flush()
    assert acting.client.sent() == []


async def test_a_group_that_was_scheduled_once_stays_so(
    acting: Acting, writer: StatusWriter
) -> None:
    group = make_group_info("g", 2)
    for condition in (FULL, DONE, FULL, FULLER):
        writer.set_group_condition(group, condition)
        await acting.flush()
    bodies = [sent.body for sent in acting.client.sent()]
    assert bodies == [
        {
            "status": {
                "conditions": [
                    {
                        "type": "PodGroupInitiallyScheduled",
                        **condition._asdict(),
                        "lastTransitionTime": NOW,
                    }
                ]
            }
        }
        for condition in (FULL, DONE)
    ]


async def test_a_group_that_the_api_shows_as_scheduled_stays_so(
    acting: Acting, writer: StatusWriter
) -> None:
    group = make_group_info("g", 2, initially_scheduled=tuple(DONE))
    writer.set_group_condition(group, FULL)
    await acting.flush()
    assert acting.client.sent() == []
