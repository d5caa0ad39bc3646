"""Nodes that fall silent, are unwell or cordoned, and what becomes of their pods."""

from __future__ import annotations

from typing import Any

from kubegang.apimachinery.errors import NotFoundError
from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.times import format_micro_time, format_time
from kubegang.client.resources import CORE_EVENTS, LEASES, NODES, PODS
from tests.component.controllersharness import ControlledCluster, controllers_test
from tests.component.jobobjects import CONTAINER, NS

CHOSEN = frozenset({"node-lifecycle-controller", "taint-eviction-controller"})
LEASES_NAMESPACE = "kube-node-lease"


class Kubelets:
    """Nodes, their heartbeats and their pods."""

    def __init__(self, cluster: ControlledCluster) -> None:
        self.cluster = cluster
        self.api = cluster.user

    async def node(self, name: str, **spec: Any) -> None:
        body = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}, "spec": spec}
        await self.api.create(NODES, body)
        await self.report(name, Ready="True")

    async def report(self, name: str, **conditions: str) -> None:
        """Post conditions as a kubelet does."""
        moment = format_time(self.cluster.clock.now())
        times = {"lastHeartbeatTime": moment, "lastTransitionTime": moment}
        posted = [{"type": kind, "status": value, **times} for kind, value in conditions.items()]
        patch = {"status": {"conditions": posted}}
        await self.api.patch(NODES, name, patch=patch, patch_type="strategic", subresource="status")

    async def renew(self, *names: str, seconds: float = 0) -> None:
        """Renew Leases every ten seconds for a while."""
        while True:
            for name in names:
                await self._renew_one(name)
            if seconds <= 0:
                return
            await self.cluster.wait(min(10.0, seconds))
            seconds -= 10

    async def _renew_one(self, name: str) -> None:
        spec = {
            "holderIdentity": name,
            "leaseDurationSeconds": 40,
            "renewTime": format_micro_time(self.cluster.clock.now()),
        }
        try:
            await self.api.patch(LEASES, name, LEASES_NAMESPACE, patch={"spec": spec})
        except NotFoundError:
            body = {
                "apiVersion": "coordination.k8s.io/v1",
                "kind": "Lease",
                "metadata": {"name": name},
                "spec": spec,
            }
            await self.api.create(LEASES, body, LEASES_NAMESPACE)

    async def pod(self, name: str, node: str, *tolerations: JsonObject) -> None:
        spec = {"containers": [CONTAINER], "nodeName": node, "tolerations": list(tolerations)}
        body = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec}
        await self.api.create(PODS, body, NS)
        moment = format_time(self.cluster.clock.now())
        ready = {"type": "Ready", "status": "True", "lastTransitionTime": moment}
        patch = {"status": {"phase": "Running", "conditions": [ready]}}
        await self.api.patch(PODS, name, NS, patch=patch, subresource="status")

    async def taints(self, name: str) -> list[str]:
        """Return the taints of a node, by their short names."""
        node = await self.api.get(NODES, name)
        return [
            f"{taint['key'].rpartition('/')[2]}:{taint['effect']}"
            for taint in node["spec"].get("taints") or ()
        ]

    async def condition(self, name: str, kind: str = "Ready") -> tuple[str, str]:
        node = await self.api.get(NODES, name)
        (one,) = (one for one in node["status"]["conditions"] if one["type"] == kind)
        return one["status"], one.get("reason", "")

    async def leaving(self) -> list[str]:
        """Return the pods that are being deleted, or are gone."""
        pods = (await self.api.list(PODS, NS)).items
        return [p["metadata"]["name"] for p in pods if p["metadata"].get("deletionTimestamp")]

    async def told(self) -> list[str]:
        events = (await self.api.list(CORE_EVENTS)).items
        return [f"{event['reason']}: {event['message']}" for event in events]


async def begin(cluster: ControlledCluster) -> Kubelets:
    kubelets = Kubelets(cluster)
    await kubelets.node("n1")
    await kubelets.node("n2")
    await kubelets.renew("n1", "n2")
    await cluster.start(chosen=CHOSEN)
    return kubelets


@controllers_test
async def test_a_silent_node_is_unknown_and_its_pods_leave_after_five_minutes(
    cluster: ControlledCluster,
) -> None:
    kubelets = await begin(cluster)
    await kubelets.pod("p", "n1")
    await kubelets.renew("n2", seconds=40)
    assert await kubelets.condition("n1") == ("True", "")

    await kubelets.renew("n2", seconds=30)
    assert await kubelets.condition("n1") == ("Unknown", "NodeStatusUnknown")
    assert await kubelets.condition("n1", "DiskPressure") == ("Unknown", "NodeStatusNeverUpdated")
    assert await kubelets.taints("n1") == ["unreachable:NoSchedule", "unreachable:NoExecute"]
    assert await kubelets.taints("n2") == []
    pod = await cluster.user.get(PODS, "p", NS)
    assert [one["status"] for one in pod["status"]["conditions"]] == ["False"]
    told = await kubelets.told()
    assert "NodeNotReady: Node n1 status is now: NodeNotReady" in told
    assert "NodeNotReady: Node is not ready" in told

    await kubelets.renew("n2", seconds=260)
    assert await kubelets.leaving() == []
    await kubelets.renew("n2", seconds=40)
    assert await kubelets.leaving() == ["p"]
    pod = await cluster.user.get(PODS, "p", NS)
    reasons = {one["type"]: one.get("reason") for one in pod["status"]["conditions"]}
    assert reasons["DisruptionTarget"] == "DeletionByTaintManager"
    told = await kubelets.told()
    assert "TaintManagerEviction: Marking for deletion Pod default/p" in told


@controllers_test
async def test_a_node_that_comes_back_keeps_its_pods(cluster: ControlledCluster) -> None:
    kubelets = await begin(cluster)
    await kubelets.pod("p", "n1")
    await kubelets.renew("n2", seconds=100)
    assert await kubelets.taints("n1") != []

    await kubelets.report(
        "n1", Ready="True", MemoryPressure="False", DiskPressure="False", PIDPressure="False"
    )
    await kubelets.renew("n1", "n2", seconds=10)
    assert await kubelets.taints("n1") == []
    told = await kubelets.told()
    assert "TaintManagerEviction: Cancelling deletion of Pod default/p" in told
    await kubelets.renew("n1", "n2", seconds=350)
    assert await kubelets.leaving() == []


@controllers_test
async def test_where_no_node_is_heard_of_none_is_emptied(cluster: ControlledCluster) -> None:
    kubelets = await begin(cluster)
    await cluster.wait(120)
    for name in ("n1", "n2"):
        assert await kubelets.condition(name) == ("Unknown", "NodeStatusUnknown")
        assert await kubelets.taints(name) == ["unreachable:NoSchedule"]


@controllers_test
async def test_nodes_of_a_zone_are_emptied_one_every_ten_seconds(
    cluster: ControlledCluster,
) -> None:
    kubelets = await begin(cluster)
    await kubelets.node("n3")
    await kubelets.report("n1", Ready="False")
    await kubelets.report("n3", Ready="False")
    tainted = []
    for _ in range(4):
        await kubelets.renew("n1", "n2", "n3", seconds=5)
        taints = [await kubelets.taints(name) for name in ("n1", "n3")]
        tainted.append(sum("not-ready:NoExecute" in one for one in taints))
    assert tainted == [1, 1, 2, 2]
    assert await kubelets.taints("n1") == ["not-ready:NoSchedule", "not-ready:NoExecute"]


@controllers_test
async def test_cordons_and_pressure_keep_pods_off(cluster: ControlledCluster) -> None:
    kubelets = await begin(cluster)
    await cluster.user.patch(NODES, "n1", patch={"spec": {"unschedulable": True}})
    await kubelets.report("n2", DiskPressure="True", MemoryPressure="True")
    await cluster.wait(1)
    assert await kubelets.taints("n1") == ["unschedulable:NoSchedule"]
    assert await kubelets.taints("n2") == ["disk-pressure:NoSchedule", "memory-pressure:NoSchedule"]

    await cluster.user.patch(NODES, "n1", patch={"spec": {"unschedulable": None}})
    await kubelets.report("n2", DiskPressure="False", MemoryPressure="False")
    await cluster.wait(1)
    assert await kubelets.taints("n1") == await kubelets.taints("n2") == []


@controllers_test
async def test_pods_stay_as_long_as_their_tolerations_say(cluster: ControlledCluster) -> None:
    kubelets = await begin(cluster)
    key = {"key": "maintenance", "operator": "Exists", "effect": "NoExecute"}
    await kubelets.pod("none", "n1")
    await kubelets.pod("short", "n1", {**key, "tolerationSeconds": 30})
    await kubelets.pod("ever", "n1", key)
    await kubelets.pod("elsewhere", "n2")
    taint = {"key": "maintenance", "effect": "NoExecute"}
    await cluster.user.patch(NODES, "n1", patch={"spec": {"taints": [taint]}})

    await kubelets.renew("n1", "n2", seconds=10)
    assert await kubelets.leaving() == ["none"]
    await kubelets.renew("n1", "n2", seconds=30)
    assert await kubelets.leaving() == ["none", "short"]


@controllers_test
async def test_a_taint_that_is_not_tolerated_ends_the_time_that_another_left(
    cluster: ControlledCluster,
) -> None:
    kubelets = await begin(cluster)
    taint = {"effect": "NoExecute", "value": "v"}
    every = {"operator": "Exists", "effect": "NoExecute"}
    patient = {**every, "key": "a", "tolerationSeconds": 100}
    await kubelets.pod("p", "n1", patient)
    await kubelets.pod("slow", "n1", patient, {**patient, "key": "b", "tolerationSeconds": 0})
    for keys in ("a", "ab"):
        taints = [{"key": key, **taint} for key in keys]
        await cluster.user.patch(NODES, "n1", patch={"spec": {"taints": taints}})
        await kubelets.renew("n1", "n2", seconds=10)

    assert await kubelets.leaving() == ["p"]
    told = [event for event in await kubelets.told() if event.startswith("Taint")]
    assert sorted(told) == [
        "TaintManagerEviction: Cancelling deletion of Pod default/p",
        "TaintManagerEviction: Marking for deletion Pod default/p",
    ]


@controllers_test
async def test_a_pod_whose_time_runs_leaves_though_its_node_is_removed(
    cluster: ControlledCluster,
) -> None:
    kubelets = await begin(cluster)
    toleration = {"key": "a", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 20}
    await kubelets.pod("p", "n1", toleration)
    taints = [{"key": "a", "effect": "NoExecute"}]
    await cluster.user.patch(NODES, "n1", patch={"spec": {"taints": taints}})
    await cluster.wait(1)
    await cluster.user.delete(NODES, "n1")
    await cluster.wait(15)
    assert await kubelets.leaving() == []
    await cluster.wait(10)
    assert await kubelets.leaving() == ["p"]


@controllers_test
async def test_a_node_that_is_unwell_and_then_silent_is_not_ready_no_more_but_unreachable(
    cluster: ControlledCluster,
) -> None:
    kubelets = await begin(cluster)
    await kubelets.report("n1", Ready="False")
    await kubelets.renew("n1", "n2", seconds=10)
    assert await kubelets.taints("n1") == ["not-ready:NoSchedule", "not-ready:NoExecute"]
    await kubelets.renew("n2", seconds=70)
    assert await kubelets.taints("n1") == ["unreachable:NoSchedule", "unreachable:NoExecute"]
