"""The page's story: the past that objects tell themselves, and what is seen from then on."""

from __future__ import annotations

from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.times import parse_time
from kubegang.tools.explaining.report import Subject
from kubegang.tools.overview.report import Gang, GangState, Overview
from kubegang.tools.overview.retelling import retold
from kubegang.tools.overview.story import MOST_ENTRIES, Story
from kubegang.tools.workunits import WorkUnit

START = parse_time("2026-01-01T00:00:00Z")


def moment(second: int) -> str:
    return f"2026-01-01T00:00:{second:02}Z"


def pod(
    name: str, *, created: int, bound: int | None = None, ended: int | None = None
) -> JsonObject:
    status: JsonObject = {"phase": "Pending"}
    if bound is not None:
        scheduled = {"type": "PodScheduled", "status": "True", "lastTransitionTime": moment(bound)}
        status = {"phase": "Running", "conditions": [scheduled]}
    if ended is not None:
        done = {"state": {"terminated": {"exitCode": 0, "finishedAt": moment(ended)}}}
        status |= {"phase": "Succeeded", "containerStatuses": [done]}
    return {
        "kind": "Pod",
        "metadata": {
            "uid": name,
            "name": name,
            "namespace": "default",
            "creationTimestamp": moment(created),
        },
        "spec": {"nodeName": "n1" if bound is not None else ""},
        "status": status,
    }


def overview(message: str, *, at: int, state: GangState = "unschedulable") -> Overview:
    gang = Gang(
        subject=Subject("Pod", "default", "p"),
        unit=WorkUnit("Pod", "default", "p"),
        state=state,
        message=message,
    )
    return Overview(kubernetes_version="1.37", taken=START + at, keys=(), domains=(), gangs=(gang,))


def told(story: Story) -> list[tuple[float, str]]:
    return [(int(entry.at - START), entry.message) for entry in story.entries()]


def test_a_pod_that_has_ended_tells_when_it_was_created_bound_and_ended() -> None:
    story = Story()

    story.begin([pod("p", created=1, bound=5, ended=9)])

    assert [at for at, _ in told(story)] == [1, 5, 9]
    assert told(story)[-1] == (9, "succeeded")


def test_the_past_of_all_objects_is_told_in_order() -> None:
    steps = retold([pod("late", created=7), pod("early", created=1, bound=9)])

    assert [(at - START, obj["metadata"]["name"]) for at, obj in steps] == [
        (1, "early"),
        (7, "late"),
        (9, "early"),
    ]


def test_a_time_that_cannot_be_read_stops_nothing() -> None:
    broken = pod("p", created=1, bound=3)
    broken["status"]["conditions"][0]["lastTransitionTime"] = "yesterday"

    assert [at - START for at, _ in retold([broken])] == [1, 1]


def test_a_reason_is_told_again_only_if_it_changes_in_more_than_numbers() -> None:
    story = Story()
    for at, message in enumerate(("3 cpu lacking", "2 cpu lacking", "no such node")):
        story.note(overview(message, at=at))

    assert told(story) == [(0, "waits: 3 cpu lacking"), (2, "waits: no such node")]


def test_a_reason_is_told_again_after_it_had_gone() -> None:
    story = Story()
    story.note(overview("no room", at=1))
    story.note(overview("", at=2, state="running"))
    story.note(overview("no room", at=3))

    assert [at for at, _ in told(story)] == [1, 3]


def test_changes_that_come_later_are_told_at_their_time_and_never_before_what_is_told() -> None:
    story = Story()
    story.begin([pod("p", created=8)])
    story.see(pod("p", created=8, bound=9), at=START + 3.5)

    assert [at for at, _ in told(story)] == [8, 8]


def test_only_the_newest_entries_are_told() -> None:
    story = Story()
    for number in range(MOST_ENTRIES + 50):
        story.see(pod(f"p{number}", created=0), at=START + number)

    assert len(story.entries()) == MOST_ENTRIES
    assert story.entries()[-1].at == START + MOST_ENTRIES + 49
