"""Pods as a Job makes them from its template."""

from __future__ import annotations

from typing import Any

from kubegang.controllers.job.indexes import COMPLETION_INDEX
from kubegang.controllers.job.pods import TRACKING_FINALIZER
from kubegang.controllers.job.podtemplate import pods_for
from tests.unit.controllers.job.objects import indexed, job


def one(subject: dict[str, Any], index: int | None = None, group: str = "") -> dict[str, Any]:
    (pod,) = pods_for(subject, [index], pod_group=group, last_failures=None)
    return pod


def test_a_pod_has_the_templates_metadata_and_the_jobs_marks() -> None:
    template = {
        "metadata": {"labels": {"a": "b"}, "annotations": {"c": "d"}, "finalizers": ["mine/x"]},
        "spec": {"containers": [{"name": "c"}]},
    }

    metadata = one(job(template=template))["metadata"]

    assert metadata["generateName"] == "train-"
    assert metadata["labels"] == {"a": "b"}
    assert metadata["annotations"] == {"c": "d"}
    assert metadata["finalizers"] == ["mine/x", TRACKING_FINALIZER]
    assert metadata["ownerReferences"] == [
        {
            "apiVersion": "batch/v1",
            "kind": "Job",
            "name": "train",
            "uid": "job-uid",
            "controller": True,
            "blockOwnerDeletion": True,
        }
    ]


def test_an_index_is_in_the_name_the_labels_the_hostname_and_the_environment() -> None:
    template = {"spec": {"initContainers": [{"name": "i"}], "containers": [{"name": "c"}]}}

    pod = one(indexed(template=template), 3)

    assert pod["metadata"]["generateName"] == "train-3-"
    assert pod["metadata"]["labels"] == {COMPLETION_INDEX: "3"}
    assert pod["metadata"]["annotations"] == {COMPLETION_INDEX: "3"}
    assert pod["spec"]["hostname"] == "train-3"
    for container in [*pod["spec"]["initContainers"], *pod["spec"]["containers"]]:
        (variable,) = container["env"]
        assert variable["name"] == "JOB_COMPLETION_INDEX"


def test_a_variable_of_that_name_is_left_alone() -> None:
    own = {"name": "JOB_COMPLETION_INDEX", "value": "mine"}
    template = {"spec": {"containers": [{"name": "c", "env": [own]}]}}

    assert one(indexed(template=template), 0)["spec"]["containers"][0]["env"] == [own]


def test_long_names_leave_room_for_the_index() -> None:
    subject = indexed()
    subject["metadata"]["name"] = "t" * 60

    assert one(subject, 12)["metadata"]["generateName"] == "t" * 54 + "-12-"


def test_a_group_is_joined_and_without_one_the_templates_is_kept() -> None:
    mine = {"podGroupName": "mine"}
    template = {"spec": {"containers": [], "schedulingGroup": mine}}

    assert one(job(), group="g")["spec"]["schedulingGroup"] == {"podGroupName": "g"}
    assert one(job(template=template))["spec"]["schedulingGroup"] == mine


def test_the_template_is_not_changed() -> None:
    subject = indexed()

    one(subject, 1, "g")

    assert subject == indexed()
