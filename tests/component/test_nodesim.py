"""Simulated nodes against the API server, in virtual time."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import random
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from typing import Any

import pytest

from kubegang.apimachinery.errors import ConflictError
from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.times import parse_micro_time
from kubegang.app.configuration import scheduler_configuration
from kubegang.app.embedded import EmbeddedCluster, EmbeddedSettings
from kubegang.app.nodes import SimulatedNodes
from kubegang.app.profiles.release import with_gates
from kubegang.app.profiles.table import profile_named
from kubegang.base.clock import VirtualClock, run_virtual
from kubegang.client.api import ApiClient
from kubegang.client.asgi import AsgiTransport
from kubegang.client.interface import UnreachableError
from kubegang.client.resources import CORE_EVENTS, JOBS, LEASES, NODES, PODS
from kubegang.client.testing import RecordingClient
from kubegang.nodesim.node_file import default_cluster, nodes_of
from kubegang.store.memory import MemoryStore
from tests.component.apiharness import START, Api
from tests.component.jobobjects import CONTAINER, NS, bare_pod, job

PROFILE = profile_named("1.37")


class NodesOnly:
    """An API server, an administrator's client, and simulated nodes."""

    def __init__(self, api: Api) -> None:
        self.clock = VirtualClock(START)
        self.user = ApiClient(self._transport(api, "admin"), user_agent="kubectl")
        self.client = RecordingClient(self._transport(api, "system:node:kubegang"))
        self.simulated: SimulatedNodes | None = None

    @contextlib.asynccontextmanager
    async def nodes(
        self,
        count: int = 1,
        *,
        heartbeats: bool = False,
        kubelet_gates: Mapping[str, bool] | None = None,
    ) -> AsyncIterator[None]:
        """Simulate inside the block; ``kubelet_gates`` differ from those that are usual."""
        on = PROFILE.gates["kubelet"]
        gates = {**PROFILE.gates, "kubelet": on.with_changes(kubelet_gates or {})}
        self.simulated = SimulatedNodes(
            self.client,
            with_gates(PROFILE, gates),
            initial_nodes=nodes_of(default_cluster(count)),
            clock=self.clock,
            rng=random.Random(0),
            heartbeats=heartbeats,
        )
        ready = asyncio.Event()
        task = asyncio.create_task(self.simulated.run(ready=ready.set))
        await ready.wait()
        try:
            yield
        finally:
            if task.done():
                task.result()
            task.cancel()
            await asyncio.wait({task})

    async def add_pod(self, name: str, *, node: str = "node-0", **annotations: str) -> None:
        marks = {f"kubegang.dev/{k.replace('_', '-')}": v for k, v in annotations.items()}
        pod = bare_pod(name, node=node, annotations=marks)
        pod["spec"]["restartPolicy"] = "Never"
        await self.user.create(PODS, pod, NS)

    async def pod(self, name: str) -> JsonObject:
        return await self.user.get(PODS, name, NS)

    async def phase(self, name: str) -> str:
        """Return a pod's phase, or ``gone``."""
        pods = (await self.user.list(PODS, NS)).items
        phases = {pod["metadata"]["name"]: str(pod["status"]["phase"]) for pod in pods}
        return phases.get(name, "gone")

    async def wait(self, seconds: float) -> None:
        await self.clock.sleep(seconds)

    def next_due(self) -> float | None:
        return self.simulated.simulator.next_due() if self.simulated is not None else None

    def _transport(self, api: Api, user: str) -> AsgiTransport:
        return AsgiTransport(api.app, user=user, groups=("system:masters",))


def nodes_test(scenario: Callable[[NodesOnly], Coroutine[Any, Any, None]]) -> Callable[[], None]:
    """Make a scenario a test."""

    async def main() -> None:
        await scenario(NodesOnly(await Api.start()))

    def test() -> None:
        run_virtual(main())

    test.__name__ = scenario.__name__
    test.__doc__ = scenario.__doc__
    return test


@nodes_test
async def test_nodes_become_ready_with_an_address_each(cluster: NodesOnly) -> None:
    async with cluster.nodes(3):
        await cluster.wait(1)

    nodes = (await cluster.user.list(NODES)).items
    for node in nodes:
        conditions = {c["type"]: c["status"] for c in node["status"]["conditions"]}
        assert conditions["Ready"] == "True"
        assert node["status"]["allocatable"]["cpu"] == "32"
    assert {node["status"]["addresses"][0]["address"] for node in nodes} == {
        "172.16.0.1",
        "172.16.0.2",
        "172.16.0.3",
    }


@nodes_test
async def test_any_node_object_is_simulated(cluster: NodesOnly) -> None:
    async with cluster.nodes(0):
        taint = {"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"}
        node = {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": "mine"},
            "spec": {"taints": [taint]},
        }
        await cluster.user.create(NODES, node)
        await cluster.wait(1)

    mine = await cluster.user.get(NODES, "mine")
    assert any(c["type"] == "Ready" and c["status"] == "True" for c in mine["status"]["conditions"])
    assert "taints" not in mine["spec"]


@nodes_test
async def test_a_pod_runs_exactly_as_long_as_it_should(cluster: NodesOnly) -> None:
    async with cluster.nodes():
        await cluster.wait(0.7)
        await cluster.add_pod("p", run_duration="10s")
        await cluster.wait(9.9)
        assert await cluster.phase("p") == "Running"
        assert cluster.next_due() is not None

        await cluster.wait(0.2)
        assert await cluster.phase("p") == "Succeeded"
        assert cluster.next_due() is None


@nodes_test
async def test_a_pod_waits_for_a_node_that_is_not_there_yet(cluster: NodesOnly) -> None:
    async with cluster.nodes():
        await cluster.add_pod("p", node="later")
        await cluster.wait(5)
        assert await cluster.phase("p") == "Pending"

        node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "later"}}
        await cluster.user.create(NODES, node)
        await cluster.wait(1)
        assert await cluster.phase("p") == "Running"


@nodes_test
async def test_a_simulator_goes_on_where_another_stopped(cluster: NodesOnly) -> None:
    async with cluster.nodes():
        await cluster.add_pod("running", run_duration="60s")
        await cluster.add_pod("deleted", termination_duration="20s")
        await cluster.wait(10)
        await cluster.user.delete(PODS, "deleted", NS)
        await cluster.wait(1)
    await cluster.add_pod("new")
    await cluster.wait(4)

    async with cluster.nodes():
        await cluster.wait(1)
        assert await cluster.phase("new") == "Running"
        addresses = [(await cluster.pod(name))["status"]["podIP"] for name in ("running", "new")]
        assert len(set(addresses)) == 2
        await cluster.wait(17)
        assert await cluster.phase("deleted") == "gone"
        assert await cluster.phase("running") == "Running"
        await cluster.wait(33)
        assert await cluster.phase("running") == "Succeeded"
    assert len((await cluster.user.list(NODES)).items) == 1


@nodes_test
async def test_a_deleted_pod_reports_its_end_before_it_goes(cluster: NodesOnly) -> None:
    async with cluster.nodes():
        await cluster.add_pod("p", termination_duration="5s")
        await cluster.wait(1)
        listing = await cluster.user.list(PODS, NS)
        await cluster.user.delete(PODS, "p", NS)
        await cluster.wait(4.5)
        assert await cluster.phase("p") == "Running"
        await cluster.wait(1)

        watch = cluster.user.watch(
            PODS, NS, resource_version=listing.resource_version, timeout_seconds=1
        )
        seen = [(event.type, event.object["status"]["phase"]) async for event in watch]
    assert list(dict.fromkeys(seen)) == [
        ("MODIFIED", "Running"),
        ("MODIFIED", "Failed"),
        ("DELETED", "Failed"),
    ]


@nodes_test
async def test_a_long_goodbye_ends_with_the_grace_period(cluster: NodesOnly) -> None:
    async with cluster.nodes():
        await cluster.add_pod("p", termination_duration="1h")
        await cluster.wait(1)
        await cluster.user.delete(PODS, "p", NS, grace_period_seconds=10)
        await cluster.wait(9.5)
        assert await cluster.phase("p") == "Running"

        await cluster.wait(1)
        assert await cluster.phase("p") == "gone"


@pytest.mark.parametrize(
    "error",
    [
        pytest.param(UnreachableError("reset"), id="unreachable"),
        pytest.param(ConflictError("changed"), id="conflict"),
    ],
)
def test_a_status_that_was_not_taken_is_reported_again(error: Exception) -> None:
    @nodes_test
    async def scenario(cluster: NodesOnly) -> None:
        async with cluster.nodes():
            assert isinstance(error, UnreachableError | ConflictError)
            cluster.client.fail(error, method="PATCH", path="/pods/p/status", times=3)
            await cluster.add_pod("p", run_duration="5s")
            await cluster.wait(2)
            assert await cluster.phase("p") == "Running"
            await cluster.wait(5)
            assert await cluster.phase("p") == "Succeeded"

    scenario()


@nodes_test
async def test_each_step_of_a_pod_is_one_request_and_idle_nodes_cost_none(
    cluster: NodesOnly,
) -> None:
    async with cluster.nodes(100):
        for number in range(300):
            await cluster.add_pod(f"p{number}", node=f"node-{number % 100}", run_duration="60s")
        await cluster.wait(70)
        writes = cluster.client.sent(method="PATCH", path="/pods/")
        before = len(cluster.client.sent())

        # Short of the time after which a watch is taken up anew.
        await cluster.wait(200)

        assert len(writes) == 600
        assert len(cluster.client.sent()) == before


@nodes_test
async def test_heartbeats_are_spread_and_kept_up(cluster: NodesOnly) -> None:
    async with cluster.nodes(4, heartbeats=True):
        await cluster.wait(25)
        leases = (await cluster.user.list(LEASES, "kube-node-lease")).items
        renewed = sorted(parse_micro_time(lease["spec"]["renewTime"]) for lease in leases)
        ages = [cluster.clock.now() - moment for moment in renewed]

    assert len(leases) == 4
    assert max(ages) <= 10
    assert min(b - a for a, b in itertools.pairwise(renewed)) > 2
    assert leases[0]["metadata"]["ownerReferences"][0]["kind"] == "Node"


def test_a_gang_of_a_job_runs_on_simulated_nodes() -> None:
    """Every component together: Job, PodGroup, scheduler, nodes, Job."""

    async def main() -> list[str]:
        cluster = EmbeddedCluster(
            EmbeddedSettings(
                profile=PROFILE,
                config=scheduler_configuration("", PROFILE),
                initial_nodes=nodes_of(default_cluster(2)),
            ),
            store=MemoryStore(),
            clock=VirtualClock(START),
            rng=random.Random(0),
        )
        template = {
            "metadata": {"annotations": {"kubegang.dev/run-duration": "30s"}},
            "spec": {"restartPolicy": "Never", "containers": [CONTAINER]},
        }
        gang: JsonObject = {"schedulingPolicy": {"gang": {}}}
        async with cluster.running():
            await cluster.client.create(
                JOBS, job(parallelism=4, completions=4, scheduling=gang, template=template), NS
            )
            await VirtualClock(START).sleep(40)
            status = (await cluster.client.get(JOBS, "train", NS))["status"]
        assert status["succeeded"] == 4
        return [c["type"] for c in status["conditions"] if c["status"] == "True"]

    assert run_virtual(main()) == ["SuccessCriteriaMet", "Complete"]


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
