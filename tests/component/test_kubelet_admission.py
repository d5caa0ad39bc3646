"""Pods that arrive on simulated nodes run there, or fail for good, as with a kubelet."""

from __future__ import annotations

from typing import Any

import pytest

from kubegang.apimachinery.objects import JsonObject
from kubegang.client.resources import CORE_EVENTS, NODES, PODS
from tests.component.jobobjects import CONTAINER, NS, bare_pod
from tests.component.nodesharness import NodesOnly, nodes_test


async def add_sized(cluster: NodesOnly, name: str, **amounts: str) -> None:
    """Bind a pod by hand that asks for something."""
    pod = bare_pod(name, node="node-0")
    asked = {"requests": amounts, "limits": amounts}
    pod["spec"]["containers"] = [{**CONTAINER, "resources": asked}]
    await cluster.user.create(PODS, pod, NS)
    await cluster.wait(1)


async def resize(cluster: NodesOnly, **amounts: str) -> None:
    await cluster.user.patch(
        NODES, "node-0", patch={"status": {"allocatable": amounts}}, subresource="status"
    )
    await cluster.wait(1)


@pytest.mark.parametrize(
    ("first", "second", "reason", "message"),
    [
        ({"cpu": "1500m"}, {"cpu": "1"}, "OutOfcpu", "cpu, requested: 1000, used: 1500"),
        ({"memory": "1Gi"}, {"memory": "2Gi"}, "OutOfmemory", "memory, requested: 2147483648, "),
        ({"cpu": "100m"}, {}, "", ""),
        ({"example.com/gpu": "1"}, {"example.com/gpu": "1"}, "OutOfexample.com/gpu", "example.com"),
        ({"example.com/none": "8"}, {"example.com/none": "8"}, "", ""),
    ],
    ids=["cpu", "memory", "room", "extended", "not listed"],
)
def test_a_pod_without_room_on_its_node_fails_as_with_a_kubelet(
    first: dict[str, str], second: dict[str, str], reason: str, message: str
) -> None:
    async def scenario(cluster: NodesOnly) -> None:
        async with cluster.nodes():
            await resize(cluster, cpu="2", memory="2Gi", **{"example.com/gpu": "1"})
            await add_sized(cluster, "first", **first)
            await add_sized(cluster, "second", **second)

            status = (await cluster.pod("second"))["status"]
            assert await cluster.phase("first") == "Running"
            assert status["phase"] == ("Failed" if reason else "Running")
            assert status.get("reason", "") == reason
            if reason:
                said = "Pod was rejected: Node didn't have enough resource: "
                assert status["message"].startswith(said + message)
                assert "containerStatuses" not in status
                (event,) = (await cluster.user.list(CORE_EVENTS, NS)).items
                assert (event["type"], event["reason"]) == ("Warning", reason)
                assert f"Pod was rejected: {event['message']}" == status["message"]

    nodes_test(scenario)()


@nodes_test
async def test_a_node_takes_no_more_pods_than_it_says_until_one_has_ended(
    cluster: NodesOnly,
) -> None:
    async with cluster.nodes():
        await resize(cluster, pods="1")
        await add_sized(cluster, "first")
        await add_sized(cluster, "second")
        status = (await cluster.pod("second"))["status"]
        assert status["reason"] == "OutOfpods"
        assert status["message"] == (
            "Pod was rejected: Node didn't have enough resource: pods, requested: 1, used: 1, "
            "capacity: 1"
        )

        await cluster.user.delete(PODS, "first", NS)
        await cluster.wait(60)
        await add_sized(cluster, "third")
        assert await cluster.phase("third") == "Running"


@nodes_test
async def test_who_was_let_in_stays_after_a_restart(cluster: NodesOnly) -> None:
    async with cluster.nodes():
        await resize(cluster, cpu="1")
        await add_sized(cluster, "first", cpu="1")
    async with cluster.nodes():
        await cluster.wait(1)
        await resize(cluster, cpu="1")
        await add_sized(cluster, "second", cpu="1")
        assert await cluster.phase("first") == "Running"
        assert (await cluster.pod("second"))["status"]["reason"] == "OutOfcpu"


TAINTED: dict[str, Any] = {"spec": {"taints": [{"key": "k", "effect": "NoExecute"}]}}


def wanting(**spec: Any) -> JsonObject:
    pod = bare_pod("p", node="node-0")
    pod["spec"].update(spec)
    return pod


def on_port(number: int, **more: Any) -> list[JsonObject]:
    return [{**CONTAINER, "ports": [{"containerPort": number, "hostPort": number, **more}]}]


def required(**term: Any) -> JsonObject:
    terms = {"nodeSelectorTerms": [term]}
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}


# The API takes it: what is compared is only checked when it is compared.
NO_NUMBER = {"key": "cores", "operator": "Gt", "values": ["many"]}
OTHER_NODE = {"key": "metadata.name", "operator": "In", "values": ["node-1"]}
MISFITS: dict[str, tuple[JsonObject, str, str]] = {
    "selector": (
        wanting(nodeSelector={"pool": "gpu"}),
        "NodeAffinity",
        "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector",
    ),
    "affinity": (
        wanting(affinity=required(matchFields=[OTHER_NODE])),
        "NodeAffinity",
        "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector",
    ),
    "no number": (
        wanting(affinity=required(matchExpressions=[NO_NUMBER])),
        "NodeAffinity",
        "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector",
    ),
    "host port": (
        wanting(containers=on_port(8080)),
        "NodePorts",
        "Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports",
    ),
    "system": (
        wanting(os={"name": "windows"}),
        "PodOSNotSupported",
        "Failed to admit pod as the OS field doesn't match node OS",
    ),
}
FITS: dict[str, JsonObject] = {
    "another port": wanting(containers=on_port(8081)),
    "another protocol": wanting(containers=on_port(8080, protocol="UDP")),
    "this node": wanting(
        affinity=required(matchFields=[{**OTHER_NODE, "operator": "NotIn"}]),
        os={"name": "linux"},
    ),
}


@pytest.mark.parametrize("name", MISFITS)
def test_a_pod_that_does_not_belong_on_its_node_fails_as_with_a_kubelet(name: str) -> None:
    pod, reason, message = MISFITS[name]

    async def scenario(cluster: NodesOnly) -> None:
        async with cluster.nodes():
            await cluster.user.patch(
                NODES, "node-0", patch={"metadata": {"labels": {"cores": "8"}}}
            )
            first = wanting(containers=on_port(8080))
            first["metadata"]["name"] = "first"
            await cluster.user.create(PODS, first, NS)
            await cluster.wait(1)
            await cluster.user.create(PODS, pod, NS)
            await cluster.wait(1)

            status = (await cluster.pod("p"))["status"]
            assert await cluster.phase("first") == "Running"
            assert (status["phase"], status["reason"]) == ("Failed", reason)
            assert status["message"] == f"Pod was rejected: {message}"
            (event,) = (await cluster.user.list(CORE_EVENTS, NS)).items
            assert (event["reason"], event["message"]) == (reason, message)

    nodes_test(scenario)()


@pytest.mark.parametrize("name", FITS)
def test_a_pod_that_belongs_there_runs_beside_the_others(name: str) -> None:
    async def scenario(cluster: NodesOnly) -> None:
        async with cluster.nodes():
            first = wanting(containers=on_port(8080))
            first["metadata"]["name"] = "first"
            await cluster.user.create(PODS, first, NS)
            await cluster.user.create(PODS, FITS[name], NS)
            await cluster.wait(1)
            assert await cluster.phase("p") == "Running"

    nodes_test(scenario)()


@nodes_test
async def test_a_port_is_free_again_when_its_pod_is_gone(cluster: NodesOnly) -> None:
    async with cluster.nodes():
        for name in ("first", "second"):
            pod = wanting(containers=on_port(8080))
            pod["metadata"]["name"] = name
            await cluster.user.create(PODS, pod, NS)
            await cluster.wait(1)
            assert await cluster.phase(name) == "Running"
            await cluster.user.delete(PODS, name, NS)
            await cluster.wait(60)


@nodes_test
async def test_of_taints_only_those_that_evict_keep_a_bound_pod_off(cluster: NodesOnly) -> None:
    async with cluster.nodes():
        await cluster.user.patch(NODES, "node-0", patch=TAINTED)
        await cluster.wait(1)
        await cluster.user.create(PODS, wanting(), NS)
        tolerant = wanting(tolerations=[{"operator": "Exists"}])
        tolerant["metadata"]["name"] = "tolerant"
        await cluster.user.create(PODS, tolerant, NS)
        await cluster.wait(1)
        status = (await cluster.pod("p"))["status"]
        assert status["reason"] == "TaintToleration"
        assert status["message"] == (
            "Pod was rejected: Predicate TaintToleration failed: "
            "node(s) had taints that the pod didn't tolerate"
        )
        assert await cluster.phase("tolerant") == "Running"

        mild = [{"key": "k", "effect": "NoSchedule"}]
        cordoned = {"spec": {"taints": mild, "unschedulable": True}}
        await cluster.user.patch(NODES, "node-0", patch=cordoned)
        await cluster.wait(1)
        await cluster.add_pod("other")
        await cluster.wait(1)
        assert await cluster.phase("other") == "Running"
