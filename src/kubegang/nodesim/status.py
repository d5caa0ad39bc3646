"""The statuses that a simulated kubelet reports, shaped as a real one's. Pure."""

from __future__ import annotations

from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.times import format_time
from kubegang.nodesim.stages import Step

POD_CONDITIONS = ("PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady")


def ready_node_status(node: JsonObject, *, version: str, now: float) -> JsonObject:
    """Return the status of a healthy node; capacity and allocatable stay as they are.

    A node made without them, for instance by ``kubectl create``, gets none: only its owner
    knows its size.
    """
    status = node.get("status") or {}
    moment = format_time(now)
    healthy = [
        _node_condition("MemoryPressure", "False", "KubeletHasSufficientMemory", moment),
        _node_condition("DiskPressure", "False", "KubeletHasNoDiskPressure", moment),
        _node_condition("PIDPressure", "False", "KubeletHasSufficientPID", moment),
        _node_condition("Ready", "True", "KubeletReady", moment),
    ]
    name = node["metadata"]["name"]
    return {
        **status,
        "conditions": healthy,
        "addresses": status.get("addresses") or [{"type": "Hostname", "address": name}],
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


def is_ready(node: JsonObject) -> bool:
    """Return whether the node reports itself Ready."""
    conditions = (node.get("status") or {}).get("conditions") or []
    return any(c.get("type") == "Ready" and c.get("status") == "True" for c in conditions)


def pod_status_after(pod: JsonObject, step: Step, *, pod_ip: str, now: float) -> JsonObject:
    """Return the pod's whole status after a step has been done."""
    moment = format_time(now)
    status: JsonObject = dict(pod.get("status") or {})
    match step.action:
        case "start":
            status |= {"phase": "Running", "startTime": moment, "podIP": pod_ip}
            status["podIPs"] = [{"ip": pod_ip}]
            status["containerStatuses"] = _containers(pod, {"running": {"startedAt": moment}})
            _set_conditions(status, ready=True, reason="", moment=moment)
        case "restart":
            status["containerStatuses"] = _containers(pod, {"running": {"startedAt": moment}})
            _set_conditions(status, ready=True, reason="", moment=moment)
        case "wait-for-restart":
            waiting = {"waiting": {"reason": "CrashLoopBackOff"}}
            status["containerStatuses"] = _containers(pod, waiting, ended=(step, moment))
            _set_conditions(status, ready=False, reason="ContainersNotReady", moment=moment)
        case "finish":
            _finish(pod, status, exit_code=step.exit_code, moment=moment)
        case "remove":
            # Ended by the signal, as a process that does not catch it.
            _finish(pod, status, exit_code=143, moment=moment)
    return status


def _finish(pod: JsonObject, status: JsonObject, *, exit_code: int, moment: str) -> None:
    status["phase"] = "Failed" if exit_code else "Succeeded"
    state = {"terminated": _terminated(pod, exit_code, moment)}
    status["containerStatuses"] = _containers(pod, state)
    reason = "PodFailed" if exit_code else "PodCompleted"
    _set_conditions(status, ready=False, reason=reason, moment=moment)


def _containers(
    pod: JsonObject, state: JsonObject, *, ended: tuple[Step, str] | None = None
) -> list[JsonObject]:
    before = {c["name"]: c for c in (pod.get("status") or {}).get("containerStatuses") or []}
    statuses = []
    for container in pod["spec"]["containers"]:
        name, old = container["name"], before.get(container["name"], {})
        restarts = int(old.get("restartCount") or 0)
        was_waiting = "waiting" in (old.get("state") or {})
        statuses.append(
            {
                "name": name,
                "state": state,
                "lastState": old.get("lastState") or {}
                if ended is None
                else {"terminated": _terminated(pod, ended[0].exit_code, ended[1])},
                "ready": "running" in state,
                "started": "running" in state,
                "restartCount": restarts + (1 if was_waiting and "running" in state else 0),
                "image": container.get("image", ""),
                "imageID": "",
                "containerID": f"kubegang://{pod['metadata']['uid']}/{name}",
            }
        )
    return statuses


def _terminated(pod: JsonObject, exit_code: int, moment: str) -> JsonObject:
    containers = (pod.get("status") or {}).get("containerStatuses") or [{}]
    running = (containers[0].get("state") or {}).get("running") or {}
    return {
        "exitCode": exit_code,
        "reason": "Error" if exit_code else "Completed",
        "startedAt": running.get("startedAt", moment),
        "finishedAt": moment,
    }


def _set_conditions(status: JsonObject, *, ready: bool, reason: str, moment: str) -> None:
    """Replace the kubelet's own conditions; PodScheduled and others stay untouched."""
    old = {c["type"]: c for c in status.get("conditions") or []}
    for kind in POD_CONDITIONS:
        # Initialised once is initialised for good; the rest follows the containers.
        value = "True" if ready or kind == "Initialized" else "False"
        before = old.get(kind)
        changed = before is None or before.get("status") != value
        condition: JsonObject = {
            "type": kind,
            "status": value,
            "lastTransitionTime": moment
            if before is None or changed
            else before["lastTransitionTime"],
        }
        if value == "False" and reason:
            condition["reason"] = reason
        old[kind] = condition
    status["conditions"] = list(old.values())


def _node_condition(kind: str, status: str, reason: str, moment: str) -> JsonObject:
    return {
        "type": kind,
        "status": status,
        "reason": reason,
        "message": "simulated",
        "lastHeartbeatTime": moment,
        "lastTransitionTime": moment,
    }


def heartbeat_lease(node: str, *, lease_seconds: int, micro_time: str) -> JsonObject:
    """Return the Lease by which a kubelet says that it lives."""
    return {
        "apiVersion": "coordination.k8s.io/v1",
        "kind": "Lease",
        "metadata": {"name": node, "namespace": "kube-node-lease"},
        "spec": {
            "holderIdentity": node,
            "leaseDurationSeconds": lease_seconds,
            "renewTime": micro_time,
        },
    }
