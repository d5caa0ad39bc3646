"""The Workload and PodGroup that a Job gets in 1.37."""

from __future__ import annotations

from typing import Any

from kubegang.controllers.job.scheduling import (
    management,
    never_started,
    pod_group_change,
    pod_group_for,
    workload_change,
    workload_for,
)
from tests.unit.controllers.job.objects import job


def gang(min_count: int | None = None) -> dict[str, Any]:
    return {"schedulingPolicy": {"gang": {} if min_count is None else {"minCount": min_count}}}


def owned(subject: dict[str, Any], **annotations: str) -> dict[str, Any]:
    owner = {"apiVersion": "x/v1", "kind": "Set", "name": "s", "uid": "s", "controller": True}
    metadata = {**subject["metadata"], "ownerReferences": [owner], "annotations": annotations}
    return {**subject, "metadata": metadata}


def test_a_plain_job_gets_a_basic_group() -> None:
    workload = workload_for(job())

    assert workload["spec"] == {
        "controllerRef": {"apiGroup": "batch", "kind": "Job", "name": "train"},
        "podGroupTemplates": [{"name": "train-pgt-0", "schedulingPolicy": {"basic": {}}}],
    }


def test_a_gang_without_minimum_takes_the_parallelism_but_at_least_one() -> None:
    four, none = job(parallelism=4, scheduling=gang()), job(parallelism=0, scheduling=gang())

    policies = [
        workload_for(subject)["spec"]["podGroupTemplates"][0]["schedulingPolicy"]
        for subject in (four, none)
    ]

    assert policies == [{"gang": {"minCount": 4}}, {"gang": {"minCount": 1}}]


def test_the_group_copies_the_stored_template_and_has_both_owners() -> None:
    workload = workload_for(job(scheduling=gang(2)))
    workload["metadata"]["uid"] = "workload-uid"
    template = {**workload["spec"]["podGroupTemplates"][0], "schedulingConstraints": None}

    group = pod_group_for(job(scheduling=gang(2)), workload, template)

    assert group["spec"] == {
        "schedulingPolicy": {"gang": {"minCount": 2}},
        "workloadRef": {
            "workloadName": workload["metadata"]["name"],
            "templateName": "train-pgt-0",
        },
    }
    owners = group["metadata"]["ownerReferences"]
    assert [(owner["kind"], owner.get("controller", False)) for owner in owners] == [
        ("Job", True),
        ("Workload", False),
    ]
    assert "blockOwnerDeletion" not in owners[1]


def test_who_makes_the_objects_depends_on_the_owner_and_the_template() -> None:
    grouped = job(template={"spec": {"schedulingGroup": {"podGroupName": "mine"}}})
    delegated = {"scheduling.k8s.io/group-template-name": "workers"}

    assert management(job()) == "both"
    assert management(grouped) == "none"
    assert management(owned(job())) == "none"
    assert management(owned(job(), **delegated)) == "pod-group-only"


def test_objects_are_only_made_for_jobs_that_never_started() -> None:
    suspended = {"conditions": [{"type": "Suspended", "status": "True"}]}

    assert never_started(job(), pod_count=0)
    assert not never_started(job(), pod_count=1)
    assert not never_started(job({"startTime": "2026-11-01T00:00:00Z"}), pod_count=0)
    assert not never_started(job(suspended), pod_count=0)


def test_a_changed_minimum_reaches_workload_and_group() -> None:
    workload = workload_for(job(scheduling=gang(2)))
    group = {"spec": {"schedulingPolicy": {"gang": {"minCount": 2}}}}

    change = workload_change(workload, 3)
    assert change is not None
    assert change.patch["spec"]["podGroupTemplates"][0]["schedulingPolicy"] == {
        "gang": {"minCount": 3}
    }
    group_change = pod_group_change(group, 3)
    assert group_change is not None
    assert group_change.patch == {"spec": {"schedulingPolicy": {"gang": {"minCount": 3}}}}
    assert workload_change(workload, 2) is None
    assert pod_group_change(group, 2) is None
