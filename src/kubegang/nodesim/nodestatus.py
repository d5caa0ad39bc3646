"""What a simulated kubelet reports of its node. Pure."""

from __future__ import annotations

from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.times import format_time
from kubegang.nodesim.forms import SimulatedNode

NOT_READY_TAINT = "node.kubernetes.io/not-ready"

_HEALTHY = (
    ("MemoryPressure", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
    ("DiskPressure", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
    ("PIDPressure", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
    ("Ready", "KubeletReady", "kubelet is posting ready status"),
)


def ready_status(node: SimulatedNode, *, address: str, version: str, now: float) -> JsonObject:
    """Return the status of a healthy node, as a strategic merge patch.

    Capacity and allocatable stay as they are: a node made without them, for instance by
    ``kubectl create``, gets none, since only its owner knows its size.

    Args:
        node: the node before.
        address: its IP address, if it has no addresses yet.
        version: of the kubelet.
        now: seconds since the epoch.
    """
    moment = format_time(now)
    status: JsonObject = {
        "conditions": [
            {
                "type": kind,
                "status": "True" if kind == "Ready" else "False",
                "reason": reason,
                "message": message,
                "lastHeartbeatTime": moment,
                "lastTransitionTime": moment,
            }
            for kind, reason, message in _HEALTHY
        ],
        "nodeInfo": {
            "machineID": "",
            "systemUUID": "",
            "bootID": "",
            "kernelVersion": "simulated",
            "osImage": "kubegang simulated node",
            "containerRuntimeVersion": "kubegang://0.1.0",
            "kubeletVersion": version,
            "kubeProxyVersion": "",
            "operatingSystem": "linux",
            "architecture": "amd64",
        },
    }
    if not node.status.addresses:
        status["addresses"] = [
            {"type": "InternalIP", "address": address},
            {"type": "Hostname", "address": node.metadata.name},
        ]
    return status


def taints_when_ready(node: SimulatedNode) -> list[JsonObject] | None:
    """Return the taints to keep once the node is ready, ``None`` if they stay as they are.

    The admission plug-in TaintNodesByCondition, if it is on, taints every new node.
    """
    kept = [taint for taint in node.spec.taints if taint.key != NOT_READY_TAINT]
    if len(kept) == len(node.spec.taints):
        return None
    return [
        {
            "key": taint.key,
            "effect": taint.effect,
            **({"value": taint.value} if taint.value else {}),
            **({"timeAdded": taint.time_added} if taint.time_added else {}),
        }
        for taint in kept
    ]


def lease_of(node: SimulatedNode, *, lease_seconds: int, micro_time: str) -> JsonObject:
    """Return the Lease by which a kubelet says that it lives; it goes with the node."""
    name = node.metadata.name
    owner = {"apiVersion": "v1", "kind": "Node", "name": name, "uid": node.metadata.uid}
    return {
        "apiVersion": "coordination.k8s.io/v1",
        "kind": "Lease",
        "metadata": {
            "name": name,
            "namespace": "kube-node-lease",
            "ownerReferences": [owner],
        },
        "spec": {
            "holderIdentity": name,
            "leaseDurationSeconds": lease_seconds,
            "renewTime": micro_time,
        },
    }
