"""Affinity and spreading through the real API: what wakes pods, and what is looked up."""

from __future__ import annotations

from typing import Any

from kubegang.client.resources import NAMESPACES, NODES, PODS, REPLICASETS, SERVICES
from tests.component.schedulerharness import NS, Cluster, node, pod, scheduler_test

APP = {"matchLabels": {"app": "x"}}


def near(**term: Any) -> dict[str, Any]:
    return {"podAffinity": _required(**term)}


def apart(**term: Any) -> dict[str, Any]:
    return {"podAntiAffinity": _required(**term)}


def _required(**term: Any) -> dict[str, Any]:
    whole = {"topologyKey": "zone", "labelSelector": APP, **term}
    return {"requiredDuringSchedulingIgnoredDuringExecution": [whole]}


async def add_zones(cluster: Cluster, **zones: str) -> None:
    for name, zone in zones.items():
        obj = node(name, cpu=8)
        obj["metadata"]["labels"] = {"zone": zone, "kubernetes.io/hostname": name}
        await cluster.user.create(NODES, obj)


async def add(cluster: Cluster, name: str, *, ns: str = NS, **spec: Any) -> None:
    obj = pod(name, **spec)
    obj["metadata"]["labels"] = {"app": "x", "name": name}
    await cluster.user.create(PODS, obj, ns)


@scheduler_test
async def test_a_pod_that_keeps_apart_goes_in_when_the_other_goes(cluster: Cluster) -> None:
    await add_zones(cluster, n="a")
    await cluster.start()
    await add(cluster, "first", affinity=apart())
    await cluster.wait_for(["first"], at_most=0.1)
    await add(cluster, "second", affinity=apart())
    await cluster.wait(3)
    said = (await cluster.condition("second"))["message"]
    assert said.startswith(
        "0/1 nodes are available: 1 node(s) didn't match pod anti-affinity rules."
    )
    await cluster.delete_pod("first")
    await cluster.wait_for(["second"], at_most=0.1)


@scheduler_test
async def test_a_pod_follows_the_one_it_waits_for(cluster: Cluster) -> None:
    await add_zones(cluster, n="a", m="b")
    await cluster.start()
    wanted = {"matchLabels": {"name": "leader"}}
    await add(cluster, "worker", affinity=near(labelSelector=wanted))
    await cluster.wait(3)
    assert (await cluster.placements()) == {}
    await add(cluster, "leader")
    await cluster.wait_for(["leader", "worker"], at_most=0.1)
    assert len(set((await cluster.placements()).values())) == 1


@scheduler_test
async def test_a_pod_waits_for_a_new_zone(cluster: Cluster) -> None:
    await add_zones(cluster, n="a", m="b")
    await cluster.start()
    spread = {
        "maxSkew": 1,
        "topologyKey": "zone",
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": APP,
        "minDomains": 3,
    }
    await add(cluster, "one", topologySpreadConstraints=[spread])
    await add(cluster, "two", topologySpreadConstraints=[spread])
    await add(cluster, "three", topologySpreadConstraints=[spread])
    await cluster.wait(3)
    assert (await cluster.placements()).keys() == {"one", "two"}
    await add_zones(cluster, o="c")
    await cluster.wait_for(["three"], at_most=0.1)


@scheduler_test
async def test_namespaces_are_looked_up_by_their_labels(cluster: Cluster) -> None:
    await add_zones(cluster, n="a", m="b")
    for name, team in (("red", "red"), ("blue", "blue")):
        obj = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
        obj["metadata"]["labels"] = {"team": team}  # type: ignore[index]
        await cluster.user.create(NAMESPACES, obj)
    await cluster.start()
    await add(cluster, "r", ns="red", nodeName="n")
    await add(cluster, "b", ns="blue", nodeName="m")
    await cluster.wait(0.5)
    for index in range(4):
        blue_only = {"matchLabels": {"team": "blue"}}
        await add(cluster, f"p{index}", affinity=apart(namespaceSelector=blue_only))
    await cluster.wait(2)
    assert set((await cluster.placements()).values()) == {"n"}


@scheduler_test
async def test_pods_of_one_revision_are_spread_apart_from_the_other(cluster: Cluster) -> None:
    await add_zones(cluster, n="a", m="b")
    await cluster.start()
    by_name = {"topologyKey": "zone", "labelSelector": APP, "matchLabelKeys": ["name"]}
    for name in ("one", "two", "three"):
        await add(cluster, name, affinity=apart(**by_name))
    await cluster.wait_for(["one", "two", "three"], at_most=0.1)


SELECTING = [
    {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "s"},
        "spec": {"selector": {"app": "x"}, "ports": [{"port": 80}]},
    },
    {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "metadata": {"name": "web"},
        "spec": {
            "selector": {"matchLabels": {"of": "web"}},
            "template": {
                "metadata": {"labels": {"of": "web"}},
                "spec": {"containers": [{"name": "c", "image": "x"}]},
            },
        },
    },
]


@scheduler_test
async def test_pods_of_a_service_or_replica_set_are_spread_by_default(cluster: Cluster) -> None:
    """Although the other node is fuller, and would be left alone otherwise."""
    await add_zones(cluster, empty="a", fuller="b")
    await cluster.add_pods("filler-1", "filler-2", nodeName="fuller")
    service, replica_set = SELECTING
    await cluster.user.create(SERVICES, service, NS)
    made = await cluster.user.create(REPLICASETS, replica_set, NS)
    owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "controller": True}
    owners = [{**owner, "uid": made["metadata"]["uid"]}]
    await cluster.start()
    for labels, references, names in (
        ({}, [], ("u1", "u2")),
        ({"app": "x"}, [], ("s1", "s2")),
        ({"of": "web"}, owners, ("w1", "w2")),
    ):
        for name in names:
            obj = pod(name)
            obj["metadata"] |= {"labels": labels, "ownerReferences": references}
            await cluster.user.create(PODS, obj, NS)
        await cluster.wait_for(names, at_most=0.1)
        placed = await cluster.placements()
        want = {"empty", "fuller"} if labels else {"empty"}
        assert {placed[name] for name in names} == want
        for name in names:
            await cluster.delete_pod(name)
