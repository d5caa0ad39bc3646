"""The time line tells what matters, each in one line."""

from __future__ import annotations

from kubegang.tools.timeline import timeline_of
from tests.unit.tools.story import Story


def told(story: Story) -> list[tuple[float, str, str]]:
    return [
        (entry.at, ", ".join(map(str, entry.subjects)), entry.message)
        for entry in timeline_of(story.history)
    ]


def gang_of(story: Story, size: int, *, min_count: int) -> list[str]:
    story.job("train", parallelism=size)
    story.group("train-group", min_count=min_count, job="train")
    names = [f"train-{index}" for index in range(size)]
    story.pods(*names, group="train-group", job="train")
    return names


def test_a_gang_of_a_thousand_is_told_in_three_lines() -> None:
    story = Story()
    names = gang_of(story, 1000, min_count=1000)
    story.at = 5.0
    story.bind(*names)
    story.at = 65.0
    story.end(*names)
    story.condition("Job", "train", "Complete")

    assert told(story) == [
        (0.0, "train", "submitted: 1000 pods, a gang: all or none"),
        (5.0, "train", "starts whole: 1000 of 1000 pods bound"),
        (65.0, "train", "succeeded: 1000 pods in 60s"),
    ]


def test_a_gang_above_its_minimum_starts_in_part_and_then_whole() -> None:
    story = Story()
    names = gang_of(story, 3, min_count=2)
    story.bind(*names[:2])
    story.at = 9.0
    story.bind(names[2])

    assert told(story)[1:] == [
        (0.0, "train", "starts: 2 of 3 pods bound"),
        (9.0, "train", "starts: 3 of 3 pods bound"),
    ]


def test_a_reason_is_told_once_however_its_numbers_change() -> None:
    story = Story()
    gang_of(story, 4, min_count=4)
    story.waits("train-group", "needs 4 pods at once; 2 find room", group=True)
    story.at = 10.0
    story.waits("train-group", "needs 4 pods at once; 3 find room", group=True)
    story.at = 20.0
    story.waits("train-group", "no node has label rack", group=True)

    assert told(story)[1:] == [
        (0.0, "train", "needs 4 pods at once; 2 find room"),
        (20.0, "train", "no node has label rack"),
    ]


def test_a_job_that_works_through_many_completions_is_told_twice() -> None:
    story = Story()
    story.job("queue", parallelism=1, completions=3)
    for number in range(3):
        story.at = number * 10.0
        story.pods(f"queue-{number}", job="queue")
        story.bind(f"queue-{number}")
        story.at += 10.0
        story.end(f"queue-{number}")
    story.condition("Job", "queue", "Complete")

    assert told(story) == [
        (0.0, "queue", "submitted: 1 pod"),
        (0.0, "queue", "starts: 1 of 1 pod bound"),
        (30.0, "queue", "succeeded: 3 pods in 30s"),
    ]


def test_failures_evictions_and_deletions_say_why() -> None:
    story = Story()
    names = gang_of(story, 4, min_count=2)
    story.bind(*names)
    story.at = 3.0
    story.end(names[0], exit_code=3)
    story.at = 4.0
    story.evict(names[1], names[2], message="preempting")
    story.at = 5.0
    story.delete("Pod", names[3])
    story.condition("Job", "train", "Failed", reason="BackoffLimitExceeded", message="too often")

    assert told(story)[2:] == [
        (3.0, "train", "1 pod failed: exit code 3"),
        (4.0, "train", "2 pods evicted: preempting"),
        (5.0, "train", "1 pod deleted"),
        (5.0, "train", "failed: BackoffLimitExceeded: too often"),
    ]


def test_what_stops_an_evicted_pod_is_not_told_as_its_failure() -> None:
    story = Story()
    story.pods("p")
    story.bind("p")
    story.evict("p", message="preempting")
    story.end("p", exit_code=143)
    story.delete("Pod", "p")

    assert [message for _, _, message in told(story)] == [
        "submitted",
        "evicted: preempting",
    ]


def test_a_group_without_a_job_is_told_by_its_own_name() -> None:
    story = Story()
    story.group("ring", min_count=2)
    story.pods("a", "b", group="ring")
    story.bind("a", "b")
    story.at = 1.0
    story.end("a")
    story.end("b", exit_code=1)

    assert told(story) == [
        (0.0, "ring", "submitted: 2 pods, a gang: all or none"),
        (0.0, "ring", "starts whole: 2 of 2 pods bound"),
        (1.0, "ring", "1 pod failed: exit code 1"),
        (1.0, "ring", "ended: 1 pod succeeded, 1 failed"),
    ]


def test_late_pods_of_a_group_are_told() -> None:
    story = Story()
    story.group("ring", min_count=2)
    story.pods("a", group="ring")
    story.at = 7.0
    story.pods("b", "c", group="ring")

    assert told(story)[-1] == (7.0, "ring", "2 more pods")


def test_the_same_of_many_single_pods_is_one_line() -> None:
    story = Story()
    names = [f"p-{index}" for index in range(5)]
    story.pods(*names)
    story.bind(*names)
    story.at = 2.0
    story.end(*names)

    everyone = ", ".join(names)
    assert told(story) == [
        (0.0, everyone, "submitted"),
        (0.0, everyone, "bound"),
        (2.0, everyone, "succeeded"),
    ]


def test_few_single_pods_are_told_one_by_one() -> None:
    story = Story()
    story.pods("a", "b")
    story.bind("a", node="n-1")
    story.waits("b", "pod b needs 8 cpu")

    assert told(story) == [
        (0.0, "a", "submitted"),
        (0.0, "a", "bound to n-1"),
        (0.0, "b", "submitted"),
        (0.0, "b", "pod b needs 8 cpu"),
    ]


def test_a_crash_loop_is_told_once() -> None:
    story = Story()
    story.pods("p")
    story.bind("p")
    for restarts in (1, 2, 3):
        story.at = restarts * 10.0
        ended = {"terminated": {"exitCode": 1}}
        container = {"restartCount": restarts, "lastState": ended}
        story.status("Pod", "p", phase="Running", containerStatuses=[container])

    assert told(story)[2:] == [(10.0, "p", "restarted after exit code 1")]


def test_suspending_and_resuming_a_job_are_told() -> None:
    story = Story()
    story.job("j", suspend=True)
    story.at = 1.0
    story.job("j", suspend=False)
    story.at = 2.0
    story.job("j", suspend=True)

    assert [message for _, _, message in told(story)] == [
        "submitted, suspended",
        "resumed",
        "suspended",
    ]


def test_what_is_there_from_the_start_is_not_told() -> None:
    story = Story()
    story.at = -1.0
    names = gang_of(story, 2, min_count=2)
    story.bind(*names)
    story.at = 8.0
    story.end(*names)
    story.condition("Job", "train", "Complete")

    assert told(story) == [(8.0, "train", "succeeded: 2 pods")]


def test_other_namespaces_are_named() -> None:
    story = Story()
    story.pods("p")
    entry = timeline_of(story.history)[0]
    other = type(entry.subjects[0])("Pod", "team-a", "p")

    assert (str(entry.subjects[0]), str(other)) == ("p", "team-a/p")
