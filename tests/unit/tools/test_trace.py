"""Traces of jobs: what is read, and what is said about what cannot be."""

from __future__ import annotations

from typing import Any

import pytest

from kubegang.tools.replaying.trace import TraceError, TraceJob, parse_csv, parse_document

GPU = "nvidia.com/gpu"
HEADER = "job_id,submission_time,duration,num_gpu\n"


def read(rows: str, *, header: str = HEADER, per_node: int = 8) -> tuple[TraceJob, ...]:
    return parse_csv(header + rows, resource=GPU, per_node=per_node)


def document(**changes: Any) -> dict[str, Any]:
    job = {"name": "a", "submitted": 0, "duration": 60, **changes}
    return {"apiVersion": "kubegang.dev/v1alpha1", "kind": "JobTrace", "jobs": [job]}


@pytest.mark.parametrize(
    ("gpus", "pods", "each"), [(1, 1, "1"), (8, 1, "8"), (9, 2, "8"), (16, 2, "8"), (64, 8, "8")]
)
def test_a_job_of_more_gpus_than_a_node_has_becomes_a_gang_of_whole_nodes(
    gpus: int, pods: int, each: str
) -> None:
    (job,) = read(f"a,5,60,{gpus}\n")

    assert (job.pods, job.requests, job.gang) == (pods, {GPU: each}, pods > 1)
    assert (job.name, job.submitted, job.duration) == ("a", 5.0, 60.0)


def test_a_job_without_gpus_asks_for_none() -> None:
    (job,) = read("a,0,60,0\n")

    assert (job.pods, job.requests) == (1, {})


def test_columns_come_in_any_order_and_others_are_passed_over() -> None:
    (job,) = read("60,x,1,a,0\n", header="duration,user,num_gpu,job_id,submission_time\n")

    assert (job.name, job.duration) == ("a", 60.0)


def test_jobs_are_in_the_order_of_their_submission() -> None:
    assert [job.name for job in read("late,9,1,1\nearly,2,1,1\nsame,9,1,1\n")] == [
        "early",
        "late",
        "same",
    ]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("a,0,60,1\nb,soon,60,1\n", "^3: submission_time must be a number of 0 or more"),
        ("a,0,-1,1\n", "^2: duration must be a number of 0 or more, found '-1'"),
        ("a,0,inf,1\n", "^2: duration must be a number of 0 or more"),
        ("a,0,60\n", "^2: num_gpu must be a number of 0 or more, found None"),
        ("a,0,60,1.5\n", "^2: num_gpu must be a whole number, found 1.5"),
        ("", "there are no jobs"),
    ],
)
def test_a_wrong_value_is_told_with_its_line(rows: str, message: str) -> None:
    with pytest.raises(TraceError, match=message.replace(".", r"\.")):
        read(rows)


def test_a_missing_column_is_named() -> None:
    with pytest.raises(TraceError, match=r"^1: no column duration, num_gpu; need job_id"):
        read("a,0\n", header="job_id,submission_time\n")


def test_a_document_says_what_each_pod_asks_for() -> None:
    (job,) = parse_document(
        document(pods=3, requests={"cpu": 2, GPU: "8"}, priority=7, topologyKey="rack")
    )

    assert job == TraceJob(
        name="a",
        submitted=0.0,
        duration=60.0,
        pods=3,
        gang=True,
        requests={"cpu": "2", GPU: "8"},
        priority=7,
        topology_key="rack",
    )


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"pods": 0}, r"jobs\[0\]\.pods: need 1 or more, found 0"),
        ({"duration": -1}, r"jobs\[0\]\.duration: need 0 or more, found -1"),
        ({"requests": {"cpu": "much"}}, r"jobs\[0\]\.requests\[cpu\]: "),
        ({"gpus": 8}, "unknown field `gpus`"),
        ({"submitted": "soon"}, "Expected `float`, got `str`"),
    ],
)
def test_a_wrong_field_is_named(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(TraceError, match=message):
        parse_document(document(**changes))


@pytest.mark.parametrize("kind", ["SimulatedCluster", ""])
def test_another_kind_is_no_trace(kind: str) -> None:
    with pytest.raises(TraceError, match="need apiVersion kubegang"):
        parse_document({**document(), "kind": kind})
