"""Binding and eviction through the API."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.component.apiharness import PODS, Api, api_test, binding, pod, run

BUDGETS = "/apis/policy/v1/namespaces/default/poddisruptionbudgets"


def _eviction(name: str, **options: Any) -> dict[str, Any]:
    body: dict[str, Any] = {
        "apiVersion": "policy/v1",
        "kind": "Eviction",
        "metadata": {"name": name},
    }
    return {**body, "deleteOptions": options} if options else body


async def _running_pod(api: Api, name: str = "p", ready: str = "True") -> None:
    await api.create(PODS, pod(name, labels={"app": "web"}))
    await api.post(f"{PODS}/{name}/binding", binding(name, "n1"))
    status = {"phase": "Running", "conditions": [{"type": "Ready", "status": ready}]}
    await api.patch(f"{PODS}/{name}/status", {"status": status})


async def _budget(api: Api, name: str = "pdb", **status: int) -> None:
    spec = {"minAvailable": 1, "selector": {"matchLabels": {"app": "web"}}}
    await api.create(BUDGETS, {"metadata": {"name": name}, "spec": spec})
    known = {"observedGeneration": 1, "expectedPods": 1, "currentHealthy": 1, "desiredHealthy": 1}
    reply = await api.patch(f"{BUDGETS}/{name}/status", {"status": {**known, **status}})
    assert reply.status == 200, reply.body


@api_test
async def test_a_bound_pod_has_its_node_and_condition_in_one_write(api: Api) -> None:
    created = await api.create(PODS, pod("p"))

    reply = await api.post(f"{PODS}/p/binding", binding("p", "n1"))
    bound = (await api.get(f"{PODS}/p")).object

    assert (reply.status, reply.object["status"]) == (201, "Success")
    assert bound["spec"]["nodeName"] == "n1"
    assert bound["status"]["conditions"][0]["status"] == "True"
    versions = [int(obj["metadata"]["resourceVersion"]) for obj in (created, bound)]
    assert versions[1] == versions[0] + 1


@api_test
async def test_of_two_bindings_one_wins(api: Api) -> None:
    await api.create(PODS, pod("p"))

    replies = await asyncio.gather(
        *(api.post(f"{PODS}/p/binding", binding("p", f"n{i}")) for i in range(6))
    )

    assert sorted(reply.status for reply in replies) == [201] + [409] * 5
    refused = next(reply for reply in replies if reply.status == 409)
    assert "pod p is already assigned to node" in refused.message


@api_test
async def test_binding_replaces_what_waiting_has_written(api: Api) -> None:
    await api.create(PODS, pod("p"))
    waiting = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}
    status = {"nominatedNodeName": "n9", "conditions": [waiting]}
    await api.patch(f"{PODS}/p/status", {"status": status})

    await api.post(f"{PODS}/p/binding", binding("p", "n1"))

    bound = (await api.get(f"{PODS}/p")).object["status"]
    assert "nominatedNodeName" not in bound
    assert [(one["type"], one["status"]) for one in bound["conditions"]] == [
        ("PodScheduled", "True")
    ]


@api_test
async def test_labels_of_binding_and_topology_go_onto_the_pod(api: Api) -> None:
    labels = {"topology.kubernetes.io/zone": "z", "topology.kubernetes.io/rack": "r"}
    await api.create("/api/v1/nodes", {"metadata": {"name": "n1", "labels": labels}})
    await api.create(PODS, pod("p", labels={"a": "1"}))

    brought = binding("p", "n1", labels={"b": "2"}, annotations={"c": "3"})
    await api.post(f"{PODS}/p/binding", brought)

    metadata = (await api.get(f"{PODS}/p")).object["metadata"]
    assert metadata["labels"] == {"a": "1", "b": "2", "topology.kubernetes.io/zone": "z"}
    assert metadata["annotations"] == {"c": "3"}


@pytest.mark.parametrize(
    ("body", "want_status"),
    [
        pytest.param(binding("q", "n1"), 400, id="other-name"),
        pytest.param({**binding("p", "n1"), "target": {"kind": "Node"}}, 500, id="no-target"),
        pytest.param(
            {**binding("p", "n1"), "target": {"kind": "Pod", "name": "n1"}}, 500, id="not-a-node"
        ),
        pytest.param(binding("p", "n1", uid="another"), 409, id="another-pod"),
        pytest.param(binding("p", "n1", resourceVersion="1"), 409, id="older-state"),
    ],
)
def test_a_wrong_binding_changes_nothing(body: dict[str, Any], want_status: int) -> None:
    async def scenario(api: Api) -> None:
        created = await api.create(PODS, pod("p"))
        reply = await api.post(f"{PODS}/p/binding", body)
        assert reply.status == want_status
        assert (await api.get(f"{PODS}/p")).object == created

    run(scenario)


@api_test
async def test_every_fault_of_a_target_is_listed(api: Api) -> None:
    await api.create(PODS, pod("p"))

    reply = await api.post(f"{PODS}/p/binding", {**binding("p", "n1"), "target": {"kind": "Pod"}})

    assert reply.object["message"] == (
        '[target.kind: Unsupported value: "Pod": supported values: "Node", "<empty>", '
        "target.name: Required value]"
    )


@api_test
async def test_gated_and_going_pods_are_not_bound(api: Api) -> None:
    await api.create(PODS, pod("gated", schedulingGates=[{"name": "g"}]))
    going = pod("going")
    going["metadata"]["finalizers"] = ["x.io/a"]
    await api.create(PODS, going)
    await api.delete(f"{PODS}/going")

    gated = await api.post(f"{PODS}/gated/binding", binding("gated", "n1"))
    gone = await api.post("/api/v1/namespaces/default/bindings", binding("going", "n1"))

    assert (gated.status, gone.status) == (409, 409)
    assert gated.message.endswith("pod gated has non-empty .spec.schedulingGates")
    assert gone.message.endswith("pod going is being deleted, cannot be assigned to a host")


@api_test
async def test_a_budget_with_more_pods_than_it_needs_just_does_not_allow_evictions(
    api: Api,
) -> None:
    """Measured on 1.37.2: pods that nobody manages leave a share of them unknown."""
    await _running_pod(api, "p")
    await _budget(api, disruptionsAllowed=0, currentHealthy=2, desiredHealthy=0)

    refused = await api.post(f"{PODS}/p/eviction", _eviction("p"))

    cause = refused.object["details"]["causes"][0]
    assert cause["message"] == "The disruption budget pdb does not allow evicting pods currently"


@api_test
async def test_an_eviction_uses_up_what_the_budget_allows(api: Api) -> None:
    await _running_pod(api, "p")
    await _running_pod(api, "q")
    await _budget(api, disruptionsAllowed=1)

    first = await api.post(f"{PODS}/p/eviction", _eviction("p"))
    second = await api.post(f"{PODS}/q/eviction", _eviction("q"))

    assert (first.status, second.status) == (201, 429)
    assert "retry-after" not in second.headers
    cause = second.object["details"]["causes"][0]
    assert cause["reason"] == "DisruptionBudget"
    assert cause["message"] == "The disruption budget pdb needs 1 healthy pods and has 1 currently"
    status = (await api.get(f"{BUDGETS}/pdb")).object["status"]
    assert (status["disruptionsAllowed"], list(status["disruptedPods"])) == (0, ["p"])
    going = (await api.get(f"{PODS}/p")).object
    assert going["metadata"]["deletionGracePeriodSeconds"] == 30
    assert going["status"]["conditions"][-1]["reason"] == "EvictionByEvictionAPI"


@api_test
async def test_a_budget_that_has_not_seen_its_spec_says_later(api: Api) -> None:
    await _running_pod(api)
    await _budget(api, observedGeneration=0, disruptionsAllowed=1)

    reply = await api.post(f"{PODS}/p/eviction", _eviction("p"))

    assert (reply.status, reply.headers["retry-after"]) == (429, "10")


@api_test
async def test_two_budgets_for_one_pod_cannot_be_served(api: Api) -> None:
    await _running_pod(api)
    await _budget(api, "one", disruptionsAllowed=1)
    await _budget(api, "two", disruptionsAllowed=1)

    assert (await api.post(f"{PODS}/p/eviction", _eviction("p"))).status == 500


@api_test
async def test_an_unhealthy_pod_may_go_while_enough_are_healthy(api: Api) -> None:
    await _running_pod(api, ready="False")
    await _budget(api, disruptionsAllowed=0)

    assert (await api.post(f"{PODS}/p/eviction", _eviction("p"))).status == 201


@api_test
async def test_a_pending_pod_asks_no_budget(api: Api) -> None:
    await api.create(PODS, pod("p", labels={"app": "web"}))
    await _budget(api, disruptionsAllowed=0)

    assert (await api.post(f"{PODS}/p/eviction", _eviction("p"))).status == 201
    assert (await api.get(f"{PODS}/p")).status == 404


@api_test
async def test_a_dry_run_or_a_failed_precondition_uses_up_nothing(api: Api) -> None:
    await _running_pod(api)
    await _budget(api, disruptionsAllowed=1)

    dry = await api.post(f"{PODS}/p/eviction", _eviction("p", dryRun=["All"]))
    other = await api.post(f"{PODS}/p/eviction", _eviction("p", preconditions={"uid": "another"}))

    assert (dry.status, other.status) == (201, 409)
    assert (await api.get(f"{BUDGETS}/pdb")).object["status"]["disruptionsAllowed"] == 1
    assert "deletionTimestamp" not in (await api.get(f"{PODS}/p")).object["metadata"]


@api_test
async def test_nobody_can_look_into_a_simulated_container(api: Api) -> None:
    await _running_pod(api)

    assert (await api.get(f"{PODS}/p/log")).status == 400
    assert (await api.get(f"{PODS}/p/exec?command=ls")).status == 501
    assert (await api.get(f"{PODS}/p/log?container=x")).status == 400
    assert (await api.get(f"{PODS}/none/log")).status == 404
