from __future__ import annotations

from typing import Any

import pytest

from kubegang.api.defaults.batch import generate_selector
from kubegang.api.validation.jobs.indexes import IndexesError, count_indexes, overlap
from kubegang.api.validation.table import validate_create
from kubegang.apimachinery.objects import GroupVersionKind, JsonObject
from tests.unit.api.validation.objects import (
    GATES,
    container,
    create,
    filled,
    job,
    lines,
    update,
    update_status,
)

GANG = {"schedulingPolicy": {"gang": {"minCount": 2}}}


def fields(errors: list[str]) -> list[str]:
    return [line.partition(": ")[0].removeprefix("spec.") for line in errors]


@pytest.mark.parametrize(
    ("spec", "wrong"),
    [
        ({"parallelism": -1, "backoffLimit": -1}, ["parallelism", "backoffLimit"]),
        ({"completionMode": "x"}, ["completionMode"]),
        ({"completionMode": "Indexed"}, []),
        ({"completionMode": "Indexed", "parallelism": 3}, ["completions"]),
        (
            {"completionMode": "Indexed", "completions": 2, "parallelism": 100_001},
            ["parallelism"],
        ),
        ({"maxFailedIndexes": 1}, ["backoffLimitPerIndex", "maxFailedIndexes"]),
        ({"managedBy": "mine"}, ["managedBy"]),
        ({"managedBy": "example.com/mine"}, []),
        ({"podReplacementPolicy": "x"}, ["podReplacementPolicy"]),
        ({"successPolicy": {"rules": []}}, ["successPolicy"]),
        ({"pod": {"restartPolicy": "Always"}}, ["template.spec.restartPolicy"]),
        ({"pod": {"containers": []}}, ["template.spec.containers"]),
        ({"selector": None}, ["selector", "template.metadata.labels"]),
        ({"selector": {"matchLabels": {"a": "b"}}}, ["template.metadata.labels"]),
    ],
)
def test_a_new_job_is_checked(spec: JsonObject, wrong: list[str]) -> None:
    assert fields(create(job(**spec))) == wrong


@pytest.mark.parametrize(
    ("rule", "wrong"),
    [
        ({"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}, []),
        ({"action": "Count", "onExitCodes": {"operator": "In", "values": [1, 2]}}, []),
        ({"action": ""}, ["action", ""]),
        (
            {"action": "FailIndex", "onExitCodes": {"operator": "NotIn", "values": [0]}},
            ["action"],
        ),
        (
            {"action": "Count", "onExitCodes": {"operator": "In", "values": [2, 1, 0]}},
            ["onExitCodes.values[2]", "onExitCodes.values"],
        ),
        (
            {
                "action": "Count",
                "onExitCodes": {"operator": "In", "values": [1], "containerName": "z"},
            },
            ["onExitCodes.containerName"],
        ),
    ],
)
def test_a_failure_rule_is_checked(rule: JsonObject, wrong: list[str]) -> None:
    path = "podFailurePolicy.rules[0]"
    found = fields(create(job(podFailurePolicy={"rules": [rule]})))
    assert found == [f"{path}.{field}" if field else path for field in wrong]


def test_pods_of_an_indexed_job_need_hostnames() -> None:
    indexed = job(metadata={"name": "a" * 62}, completionMode="Indexed", completions=11)
    (error,) = create(indexed)
    assert error.endswith(f"will not able to create pod with invalid DNS label: {'a' * 62}-10")


def test_a_generated_selector_is_the_jobs_own() -> None:
    own = filled(job(metadata={"uid": "u"}, manualSelector=False, selector=None))
    generate_selector(own)
    gvk = GroupVersionKind("batch", "v1", "Job")
    assert lines(validate_create(own, gvk, GATES)) == []
    own["spec"]["template"]["metadata"]["labels"]["job-name"] = "other"
    (error,) = lines(validate_create(own, gvk, GATES))
    assert error.startswith("spec.template.metadata.labels[job-name]: Invalid value")
    assert error.endswith("must be 'x'")


@pytest.mark.parametrize(
    ("scheduling", "errors"),
    [
        ({}, []),
        (GANG, []),
        ({"schedulingPolicy": {"gang": {}}}, []),
        (
            {"schedulingPolicy": {"gang": {"minCount": 9}}},
            [
                "schedulingPolicy.gang.minCount: Invalid value: 9: must not be greater than "
                "parallelism (4)"
            ],
        ),
        (
            {"schedulingPolicy": {}},
            ['schedulingPolicy: Invalid value: "": must specify one of: `basic`, `gang`'],
        ),
        (
            {"disruptionMode": {"all": {}}},
            [
                'disruptionMode: Invalid value: "": the disruptionMode `all` is not supported '
                "with the Basic scheduling policy"
            ],
        ),
    ],
)
def test_a_gang_fits_its_job(scheduling: JsonObject, errors: list[str]) -> None:
    found = create(job(parallelism=4, completions=4, scheduling=scheduling))
    assert [line.removeprefix("spec.scheduling.") for line in found] == errors


def test_scheduling_needs_its_gate() -> None:
    gates = GATES.with_changes({"WorkloadWithJob": False})
    assert create(job(parallelism=4, scheduling=GANG), gates) == ["spec.scheduling: Forbidden"]


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        ({"parallelism": 5, "suspend": True, "activeDeadlineSeconds": 5}, []),
        ({"completions": 7}, ["completions"]),
        ({"completionMode": "Indexed"}, ["completionMode"]),
        (
            {"selector": {"matchLabels": {"app": "train", "x": "y"}}},
            ["template.metadata.labels", "selector"],
        ),
        ({"managedBy": "example.com/mine"}, ["managedBy"]),
        ({"scheduling": GANG}, ["scheduling"]),
    ],
)
def test_little_of_a_job_changes(change: JsonObject, wrong: list[str]) -> None:
    assert fields(update(job(completions=4, parallelism=4), **change)) == wrong


def test_an_indexed_job_changes_its_size_as_a_whole() -> None:
    indexed = job(completions=4, parallelism=4, completionMode="Indexed")
    assert update(indexed, completions=6, parallelism=6) == []
    assert update(indexed, completions=6) == [
        "spec.completions: Invalid value: 6: can only be modified in tandem with spec.parallelism"
    ]


def with_pod(old: JsonObject, **members: Any) -> JsonObject:
    """Return the Job's template with a changed pod spec."""
    template = filled(old)["spec"]["template"]
    return {"template": {**template, "spec": {**template["spec"], **members}}}


@pytest.mark.parametrize(
    ("status", "suspended", "free"),
    [
        ({}, True, True),
        ({}, False, False),
        ({"startTime": "2026-11-20T00:00:00Z"}, True, False),
        (
            {
                "startTime": "2026-11-20T00:00:00Z",
                "conditions": [{"type": "Suspended", "status": "True"}],
            },
            True,
            True,
        ),
        ({"active": 1}, True, False),
    ],
)
def test_an_idle_job_may_be_sent_elsewhere(status: JsonObject, suspended: bool, free: bool) -> None:
    old = {**job(suspend=suspended), "status": status}
    larger = [container(resources={"requests": {"cpu": "2"}})]
    for change in ({"nodeSelector": {"a": "b"}}, {"containers": larger}):
        errors = update(old, **with_pod(old, **change))
        assert fields(errors) == ([] if free else ["template"])


def test_an_idle_job_still_runs_the_same_program() -> None:
    old = job(suspend=True)
    (error,) = update(old, **with_pod(old, containers=[container(image="other:1")]))
    assert error.startswith('spec.template.spec: Invalid value: {"Volumes":null')
    assert error.endswith("field is immutable")


def test_a_gang_may_grow_but_stays_a_gang() -> None:
    old = job(parallelism=4, completions=4, scheduling=GANG)
    grown = {"schedulingPolicy": {"gang": {"minCount": 3}}}
    assert update(old, scheduling=grown) == []
    (error,) = update(old, scheduling={"schedulingPolicy": {"basic": {}}})
    assert "the basic/gang policy variant is immutable after creation" in error
    assert update(old, scheduling=None) == [
        "spec.scheduling: Invalid value: null: field cannot be cleared once set"
    ]


START, END = "2026-11-20T00:00:00Z", "2026-11-20T01:00:00Z"


def true(*types: str) -> list[JsonObject]:
    return [{"type": name, "status": "True"} for name in types]


@pytest.mark.parametrize(
    ("status", "errors"),
    [
        ({"active": 1, "ready": 1, "startTime": START}, []),
        ({"active": -1}, ["active", "ready"]),
        ({"ready": 2}, ["ready"]),
        ({"failed": 0}, ["failed"]),
        (
            {
                "startTime": START,
                "completionTime": END,
                "conditions": true("SuccessCriteriaMet", "Complete"),
            },
            [],
        ),
        (
            {"startTime": START, "conditions": true("SuccessCriteriaMet", "Complete")},
            ["completionTime"],
        ),
        ({"startTime": END, "completionTime": START}, ["completionTime", "completionTime"]),
        ({"startTime": START, "conditions": true("Failed")}, ["conditions"]),
        ({"conditions": true("Failed", "FailureTarget")}, ["startTime"]),
        ({"completedIndexes": "0-1"}, ["completedIndexes"]),
        ({"uncountedTerminatedPods": {"failed": ["a", "a", ""]}}, ["failed[1]", "failed[2]"]),
    ],
)
def test_a_jobs_status_makes_sense(status: JsonObject, errors: list[str]) -> None:
    old = {**job(completions=4), "status": {"failed": 1, "ready": 0}}
    found = [line.partition(": ")[0] for line in update_status(old, **status)]
    assert [
        field.removeprefix("status.").removeprefix("uncountedTerminatedPods.") for field in found
    ] == errors


def test_a_verdict_is_final() -> None:
    status = {"startTime": START, "conditions": true("Failed", "FailureTarget"), "failed": 1}
    old = {**job(), "status": status}
    assert update_status(old, conditions=[]) == [
        "status.conditions: Invalid value: cannot disable the terminal Failed=True condition",
        "status.conditions: Invalid value: cannot disable the terminal FailureTarget=True "
        "condition",
    ]


@pytest.mark.parametrize(("text", "count"), [("", 0), ("1", 1), ("0-2,4", 4), ("1,3,5-7", 5)])
def test_lists_of_indexes_are_counted(text: str, count: int) -> None:
    assert count_indexes(text, 10) == count


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("x", 'cannot convert string to integer for index: "x"'),
        ("1,", 'cannot convert string to integer for index: ""'),
        ("10", 'too large index: "10"'),
        ("3-1", "non-increasing order, previous: 3, current: 1"),
        ("3,2", "non-increasing order, previous: 3, current: 2"),
        ("1-2-3", "can have at most two parts separated by '-'"),
    ],
)
def test_malformed_lists_of_indexes_are_refused(text: str, problem: str) -> None:
    with pytest.raises(IndexesError) as caught:
        count_indexes(text, 10)
    assert problem in str(caught.value)


@pytest.mark.parametrize(
    ("completed", "failed", "index"),
    [("0-3", "4-5", None), ("0-3,8", "3,7", 3), ("", "1", None), ("x,2", "2", 2)],
)
def test_an_index_that_is_in_both_lists_is_found(
    completed: str, failed: str, index: int | None
) -> None:
    assert overlap(completed, failed, 10) == index


def test_ready_pods_are_compared_with_active_ones_only_if_they_are_told() -> None:
    def wrong(status: JsonObject) -> list[str]:
        return [line.partition(": ")[0] for line in update_status(job(), **status)]

    assert wrong({"active": -1}) == ["status.active"]
    assert wrong({"active": -1, "ready": 0}) == ["status.active", "status.ready"]
