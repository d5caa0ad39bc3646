"""Which Jobs are gangs by their shape in 1.36, and what they get."""

from __future__ import annotations

import pytest

from kubegang.controllers.job.shape import is_gang, pod_group_for, workload_for
from kubegang.controllers.job.shapedgangs import index_by_workload
from tests.unit.controllers.job.objects import indexed, job


def test_an_indexed_job_whose_pods_all_run_at_once_is_a_gang() -> None:
    assert is_gang(indexed(parallelism=4, completions=4))


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(job(parallelism=4, completions=4), id="without indexes"),
        pytest.param(indexed(parallelism=2, completions=4), id="more completions"),
        pytest.param(indexed(parallelism=1, completions=1), id="one pod"),
        pytest.param(
            indexed(template={"spec": {"schedulingGroup": {"podGroupName": "own"}}}),
            id="a group of its own",
        ),
    ],
)
def test_other_jobs_are_none(other: dict[str, object]) -> None:
    assert not is_gang(other)


def test_workload_and_group_ask_for_all_pods_at_once() -> None:
    train = indexed(parallelism=4, completions=4)
    workload = workload_for(train)
    assert workload["apiVersion"] == "scheduling.k8s.io/v1alpha2"
    assert workload["spec"] == {
        "controllerRef": {"apiGroup": "batch", "kind": "Job", "name": "train"},
        "podGroupTemplates": [
            {"name": "train-pgt-0", "schedulingPolicy": {"gang": {"minCount": 4}}}
        ],
    }
    workload["metadata"]["uid"] = "workload-uid"
    group = pod_group_for(train, workload)
    assert group["spec"] == {
        "podGroupTemplateRef": {
            "workload": {
                "workloadName": workload["metadata"]["name"],
                "podGroupTemplateName": "train-pgt-0",
            }
        },
        "schedulingPolicy": {"gang": {"minCount": 4}},
    }
    owners = [(o["kind"], o.get("controller")) for o in group["metadata"]["ownerReferences"]]
    assert owners == [("Job", True), ("Workload", None)]
    assert index_by_workload(group) == [f"ml/{workload['metadata']['name']}"]
