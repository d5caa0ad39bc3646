"""What would wait on the nodes among the inputs, pods made by owners included."""

from __future__ import annotations

from typing import Any

import pytest

from kubegang.apimachinery.objects import JsonObject
from tests.unit.tools.checking.manifests import checked, found, gang, job, node, only, pod_spec

LABELS = {"app": "a"}


def owner(kind: str, group: str = "", *, cpu: str, **spec: Any) -> JsonObject:
    template = {"metadata": {"labels": LABELS}, "spec": pod_spec(group, cpu=cpu)}
    return {
        "apiVersion": "apps/v1",
        "kind": kind,
        "metadata": {"name": "a"},
        "spec": {"selector": {"matchLabels": LABELS}, "template": template, **spec},
    }


def nodes(*cpus: int) -> list[JsonObject]:
    return [node(f"n{index}", cpu=str(cpu)) for index, cpu in enumerate(cpus)]


def gang_job(pods: int, *, cpu: str) -> JsonObject:
    template = {"spec": {**pod_spec(cpu=cpu), "restartPolicy": "Never"}}
    counts = {"parallelism": pods, "completions": pods, "completionMode": "Indexed"}
    asked: dict[str, Any] = {"scheduling": {"schedulingPolicy": {"gang": {}}}, **counts}
    return job(**asked, template=template)


def test_a_job_that_becomes_a_gang_is_tried_with_all_of_its_pods() -> None:
    asked = gang_job(4, cpu="2")

    told = only(checked(*nodes(4, 3), asked), "does-not-fit")

    assert told.message == (
        "Job train would wait on these nodes: needs 4 pods at once in the cluster; 3 find room; "
        "pod train-3 needs 2 cpu on one node; none of 2 nodes fits: 2 Insufficient cpu; n1 comes "
        "closest; it would fit with 1 more cpu (1 free)"
    )
    assert told.field == "spec.scheduling.schedulingPolicy"
    assert found(checked(*nodes(4, 4), asked), "does-not-fit") == []


@pytest.mark.parametrize(
    "made",
    [
        owner("Deployment", "g", cpu="2", replicas=3),
        owner("ReplicaSet", "g", cpu="2", replicas=3),
        owner("StatefulSet", "g", cpu="2", replicas=3, podManagementPolicy="Parallel"),
    ],
    ids=lambda made: made["kind"],
)
def test_templates_that_name_a_group_are_tried_as_its_members(made: JsonObject) -> None:
    told = only(checked(*nodes(4, 1), gang("g", 3), made), "does-not-fit")

    assert told.message.startswith(
        "PodGroup g would wait on these nodes: needs 3 pods at once in the cluster; 2 find room"
    )
    assert told.line
    assert told.column
    assert found(checked(*nodes(4, 2), gang("g", 3), made), "does-not-fit") == []


def test_members_of_several_owners_count_together() -> None:
    leader = owner("Deployment", "g", cpu="3", replicas=1)
    workers = owner("ReplicaSet", "g", cpu="1", replicas=3)

    assert found(checked(*nodes(3, 3), gang("g", 4), leader, workers), "does-not-fit") == []
    assert found(checked(*nodes(3, 2), gang("g", 4), leader, workers), "does-not-fit") != []


def test_pods_without_a_group_are_tried_one_by_one() -> None:
    told = only(checked(*nodes(2, 1), owner("Deployment", cpu="3", replicas=9)), "does-not-fit")

    assert told.message == (
        "pods of Deployment a would wait on these nodes: pod a-0 needs 3 cpu on one node; none "
        "of 2 nodes fits: 2 Insufficient cpu; n0 comes closest but is too small (1 more cpu (2 "
        "free)); a larger node would help"
    )
    assert told.field == "spec.template.spec"
    assert found(checked(*nodes(3), owner("Deployment", cpu="3")), "does-not-fit") == []


def test_a_tree_is_tried_with_the_pods_of_all_its_groups() -> None:
    reference = {"workloadName": "w"}
    whole: JsonObject = {"schedulingPolicy": {"gang": {"minGroupCount": 2}}}
    tree: list[JsonObject] = [
        {
            "apiVersion": "scheduling.k8s.io/v1alpha3",
            "kind": "CompositePodGroup",
            "metadata": {"name": "root"},
            "spec": {"workloadRef": {**reference, "templateName": "root"}, **whole},
        }
    ]
    for name in ("a", "b"):
        leaf = gang(name, 2)
        leaf["spec"]["parentCompositePodGroupName"] = "root"
        leaf["spec"]["workloadRef"] = {**reference, "templateName": name}
        workers = owner("ReplicaSet", name, cpu="2", replicas=2)
        workers["metadata"] = {"name": f"workers-{name}"}
        tree += [leaf, workers]

    told = only(checked(*nodes(4, 3), *tree), "does-not-fit")

    assert told.message.startswith("CompositePodGroup root would wait on these nodes: ")
    assert found(checked(*nodes(4, 4), *tree), "does-not-fit") == []


def test_a_group_that_can_never_be_complete_is_not_tried() -> None:
    report = checked(*nodes(1), gang("g", 3), owner("ReplicaSet", "g", cpu="2", replicas=2))

    assert found(report, "does-not-fit") == []
    assert found(report, "quorum-unreachable") != []


def test_nothing_is_said_about_room_without_nodes() -> None:
    assert found(checked(gang_job(4, cpu="2")), "does-not-fit") == []


def test_pods_whose_claims_are_still_to_be_made_are_not_tried() -> None:
    made = owner("Deployment", cpu="1")
    claims = [{"name": "gpu", "resourceClaimTemplateName": "gpu"}]
    made["spec"]["template"]["spec"]["resourceClaims"] = claims

    assert found(checked(*nodes(2), made), "does-not-fit") == []
