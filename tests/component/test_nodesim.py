"""Simulated nodes against the API server, in virtual time."""

from __future__ import annotations

import itertools
import random

import pytest

from kubegang.apimachinery.errors import ConflictError
from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.times import parse_micro_time
from kubegang.app.configuration import scheduler_configuration
from kubegang.app.embedded import EmbeddedCluster, EmbeddedSettings
from kubegang.base.clock import VirtualClock, run_virtual
from kubegang.client.interface import UnreachableError
from kubegang.client.resources import JOBS, LEASES, NODES, PODS
from kubegang.nodesim.node_file import default_cluster, nodes_of
from kubegang.store.memory import MemoryStore
from tests.component.apiharness import START
from tests.component.jobobjects import CONTAINER, NS, job
from tests.component.nodesharness import PROFILE, NodesOnly, nodes_test


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
