"""Stories of the controllers of workloads, budgets and nodes."""

from __future__ import annotations

from typing import Any

from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.times import format_time
from kubegang.client.resources import (
    CONTROLLERREVISIONS,
    DAEMONSETS,
    DEPLOYMENTS,
    NODES,
    PODDISRUPTIONBUDGETS,
    PODS,
    REPLICASETS,
    STATEFULSETS,
)
from tests.component.jobobjects import NS, Users, bare_pod
from tests.component.storyrows import Row
from tests.component.workloadobjects import template, workload

NEW = template("registry.example/app:2")
READY = {"type": "Ready", "status": "True"}


async def replica_set_shrinks(users: Users) -> None:
    await users.api.create(REPLICASETS, workload("ReplicaSet", replicas=2), NS)
    await users.wait(5)
    await users.api.patch(REPLICASETS, "web", NS, patch={"spec": {"replicas": 1}})


async def deployment_rolls(users: Users) -> None:
    await users.api.create(DEPLOYMENTS, workload("Deployment", replicas=1), NS)
    await users.wait(5)
    await users.api.patch(DEPLOYMENTS, "web", NS, patch={"spec": {"template": NEW}})
    await users.wait(5)
    await all_ready(users)


async def stateful_set_grows(users: Users) -> None:
    await users.api.create(STATEFULSETS, workload("StatefulSet", replicas=2), NS)
    await users.wait(5)
    await all_ready(users)
    await users.wait(5)
    await all_ready(users)


async def daemon_set_meets_a_node(users: Users) -> None:
    await users.make_node("n1")
    await users.api.create(DAEMONSETS, workload("DaemonSet"), NS)
    await users.wait(5)
    await users.make_node("n2")


async def budget_counts_its_pods(users: Users) -> None:
    budget: JsonObject = {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": "b"},
        "spec": {"selector": {"matchLabels": {"app": "web"}}, "minAvailable": 1},
    }
    await users.api.create(PODDISRUPTIONBUDGETS, budget, NS)
    for name in ("p1", "p2"):
        await users.submit(bare_pod(name, node="n1", labels={"app": "web"}))
    await users.wait(5)
    await all_ready(users)
    await users.wait(5)
    await users.api.delete(PODS, "p1", NS, grace_period_seconds=0)


async def tainted_node_loses_its_pod(users: Users) -> None:
    await users.make_node("n1")
    await users.submit(bare_pod("p", node="n1"))
    await users.wait(2)
    taint = {"key": "example.com/broken", "effect": "NoExecute"}
    await users.api.patch(NODES, "n1", patch={"spec": {"taints": [taint]}})


async def node_becomes_ready(users: Users) -> None:
    await users.make_node("n1")
    await report(users, Ready="False")
    await users.wait(2)
    await users.api.patch(NODES, "n1", patch={"spec": {"unschedulable": True}})
    await users.wait(2)
    await report(users, Ready="True")
    # Nobody sends heartbeats, so it falls silent.
    await users.wait(60)


async def all_ready(users: Users) -> None:
    """Have every pod run and be ready."""
    moment = format_time(users.cluster.clock.now())
    ready = {**READY, "lastTransitionTime": moment}
    status: dict[str, Any] = {"phase": "Running", "conditions": [ready]}
    for pod in await users.active():
        name = pod["metadata"]["name"]
        await users.api.patch(
            PODS,
            name,
            NS,
            patch={"status": status},
            patch_type="strategic",
            subresource="status",
        )


async def report(users: Users, **conditions: str) -> None:
    """Post conditions of the node as a kubelet does."""
    moment = format_time(users.cluster.clock.now())
    times = {"lastHeartbeatTime": moment, "lastTransitionTime": moment}
    posted = [{"type": kind, "status": value, **times} for kind, value in conditions.items()]
    patch = {"status": {"conditions": posted}}
    await users.api.patch(NODES, "n1", patch=patch, patch_type="strategic", subresource="status")


ROWS: dict[str, Row] = {
    "a replica set shrinks": Row(
        replica_set_shrinks, ("replicaset-controller",), (REPLICASETS, PODS)
    ),
    "a deployment rolls": Row(
        deployment_rolls,
        ("deployment-controller", "replicaset-controller"),
        (DEPLOYMENTS, REPLICASETS, PODS),
    ),
    "a stateful set grows": Row(
        stateful_set_grows, ("statefulset-controller",), (STATEFULSETS, CONTROLLERREVISIONS, PODS)
    ),
    "a daemon set meets a node": Row(
        daemon_set_meets_a_node, ("daemonset-controller",), (DAEMONSETS, CONTROLLERREVISIONS, PODS)
    ),
    "a budget counts its pods": Row(
        budget_counts_its_pods, ("disruption-controller",), (PODDISRUPTIONBUDGETS, PODS)
    ),
    "a tainted node loses its pod": Row(
        tainted_node_loses_its_pod,
        ("taint-eviction-controller",),
        (NODES, PODS),
        # A pod that is being deleted is treated like others (measured on 1.37.2).
        again=("DELETE /api/v1/namespaces/default/pods/p",),
    ),
    "a node becomes ready": Row(node_becomes_ready, ("node-lifecycle-controller",), (NODES,)),
}
