"""DaemonSets in virtual time."""

from __future__ import annotations

from typing import Any

from kubegang.apimachinery.objects import JsonObject
from kubegang.client.resources import NODES, PODS
from tests.component.workloadobjects import NS, Operators, played, workload

NEW = "registry.example/app:2"
TAINT = {"key": "dedicated", "effect": "NoSchedule"}


def daemon(**spec: Any) -> JsonObject:
    """Return a DaemonSet."""
    return workload("DaemonSet", **spec)


async def nodes_of(op: Operators) -> list[str]:
    """Return the nodes that pods are meant for."""
    found = []
    for pod in await op.pods():
        required = pod["spec"]["affinity"]["nodeAffinity"]
        (term,) = required["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]
        found += term["matchFields"][0]["values"]
    return sorted(found)


async def make_nodes(op: Operators, *names: str) -> None:
    for name in names:
        await op.make_node(name)


@played
async def test_every_node_gets_its_pod(op: Operators) -> None:
    await make_nodes(op, "n1", "n2")
    await op.create(daemon())
    await op.settle()
    await op.make_node("n3")
    await op.settle()

    assert await nodes_of(op) == ["n1", "n2", "n3"]
    status = await op.status("DaemonSet")
    assert (status["desiredNumberScheduled"], status["numberAvailable"]) == (3, 3)
    pod = (await op.all("Pod"))[0]
    keys = [toleration["key"] for toleration in pod["spec"]["tolerations"]]
    assert keys == [
        f"node.kubernetes.io/{name}"
        for name in (
            "not-ready",
            "unreachable",
            "disk-pressure",
            "memory-pressure",
            "pid-pressure",
            "unschedulable",
        )
    ]


@played
async def test_only_fitting_nodes_get_a_pod(op: Operators) -> None:
    await op.make_node("n1", spec={"taints": [TAINT]})
    await op.make_node("n2")
    await op.make_node("n3", spec={"unschedulable": True})
    template = daemon()["spec"]["template"]
    template["spec"]["affinity"] = {
        "nodeAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": {
                "nodeSelectorTerms": [
                    {"matchFields": [_expression("metadata.name", "NotIn", "n2")]},
                    {"matchExpressions": [_expression("zone", "Exists")]},
                ]
            }
        }
    }
    await op.create(daemon(template=template))

    assert await nodes_of(op) == ["n3"]


def _expression(key: str, operator: str, *values: str) -> JsonObject:
    return {"key": key, "operator": operator, **({"values": list(values)} if values else {})}


@played
async def test_a_taint_drives_pods_away_only_if_it_says_so(op: Operators) -> None:
    await make_nodes(op, "n1")
    await op.create(daemon())
    (pod,) = await op.pods()
    await op.bind(pod, "n1")
    await op.settle()
    await op.api.patch(NODES, "n1", patch={"spec": {"taints": [TAINT]}})
    await op.wait(2)
    assert await nodes_of(op) == ["n1"]
    # As upstream, the status tells at the next look for another reason.
    assert (await op.status("DaemonSet"))["numberMisscheduled"] == 0
    await op.change("DaemonSet", revisionHistoryLimit=3)
    assert (await op.status("DaemonSet"))["numberMisscheduled"] == 1

    taint = {**TAINT, "effect": "NoExecute"}
    await op.api.patch(NODES, "n1", patch={"spec": {"taints": [taint]}})
    await op.wait(2)

    assert await op.pods() == []


@played
async def test_an_update_replaces_pods_within_its_limit(op: Operators) -> None:
    await make_nodes(op, "n1", "n2", "n3")
    await op.create(daemon())
    await op.settle()
    await op.set_image("DaemonSet", NEW)
    assert await op.images() == ["1", "1", "2"]
    await op.settle()

    assert await op.images() == ["2", "2", "2"]
    assert len(await op.names("ControllerRevision")) == 2


@played
async def test_with_surge_the_old_pod_stays_until_the_new_one_works(op: Operators) -> None:
    await make_nodes(op, "n1", "n2")
    rolling = {"maxSurge": 1, "maxUnavailable": 0}
    strategy = {"type": "RollingUpdate", "rollingUpdate": rolling}
    await op.create(daemon(updateStrategy=strategy))
    await op.settle()
    await op.set_image("DaemonSet", NEW)
    assert await op.images() == ["1", "1", "2"]
    await op.settle()

    assert await op.images() == ["2", "2"]


@played
async def test_a_failed_pod_is_made_anew_ever_more_slowly(op: Operators) -> None:
    await make_nodes(op, "n1")
    await op.create(daemon())
    lives = []
    for _ in range(3):
        (pod,) = await op.pods()
        lives.append(pod["metadata"]["name"])
        failed = {"status": {"phase": "Failed"}}
        await op.api.patch(PODS, lives[-1], NS, patch=failed, subresource="status")
        await op.wait(1)
    (pod,) = await op.pods()
    assert pod["metadata"]["name"] == lives[-1]

    await op.wait(4)

    (pod,) = await op.pods()
    assert pod["metadata"]["name"] not in lives
    told = await op.events("FailedDaemonPod")
    assert told[0] == (
        f"Found failed daemon pod default/{lives[0]} on node n1, will try to kill it"
    )
