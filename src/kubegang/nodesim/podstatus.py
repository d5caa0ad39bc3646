"""The statuses of pods that a simulated kubelet reports, shaped as a real one's. Pure.

Each is a strategic merge patch: conditions are joined by their type, so those that others
wrote stay. Phases, reasons and messages are the kubelet's.
"""

from __future__ import annotations

import msgspec

from kubegang.apimachinery.objects import JsonObject
from kubegang.nodesim.forms import Container, ContainerStatus, SimulatedPod, Terminated
from kubegang.nodesim.memory import PodMemory
from kubegang.nodesim.stages import Step

DEADLINE_MESSAGE = "Pod was active on the node longer than the specified deadline"


class Place(msgspec.Struct, frozen=True):
    """Where a pod runs: its own address and its node's; empty if there is none."""

    pod_ip: str
    host_ip: str


def status_after(
    pod: SimulatedPod, step: Step, memory: PodMemory, *, place: Place, now: float, moment: str
) -> JsonObject:
    """Return what to report of a pod once a step has been done.

    Args:
        pod: the pod before.
        step: what was done.
        memory: what is known of the pod besides, before the step.
        place: where it runs.
        now: when it was done, in the time of ``memory``.
        moment: the same as the pod tells it.
    """
    match step.action:
        case "create":
            waiting = {"waiting": {"reason": "ContainerCreating"}}
            status = {**_begun(pod, place, moment), "phase": "Pending"}
            status["containerStatuses"] = _containers(pod, waiting)
            status["conditions"] = _conditions(pod, moment, started=False, unready=True)
        case "start":
            status = {**_begun(pod, place, moment), "phase": "Running"}
            status |= _running(pod, moment)
            status["conditions"] = _conditions(pod, moment)
        case "restart":
            last = _last_end(pod, step, moment)
            status = _running(pod, moment, last=last, restarts=1)
            status["conditions"] = _conditions(pod, moment)
        case "crash":
            waiting = {"waiting": _back_off(pod, memory.pause_after(now))}
            ended = _terminated(pod, step.exit_code, moment)
            status = {"containerStatuses": _containers(pod, waiting, last=ended)}
            status["conditions"] = _conditions(pod, moment, unready=True)
        case "finish" | "remove" | "exceed":
            status = _ended(pod, step, moment)
    status["observedGeneration"] = pod.metadata.generation
    return status


def _begun(pod: SimulatedPod, place: Place, moment: str) -> JsonObject:
    status: JsonObject = {"startTime": pod.status.start_time or moment}
    if place.host_ip:
        status |= {"hostIP": place.host_ip, "hostIPs": [{"ip": place.host_ip}]}
    if place.pod_ip:
        status |= {"podIP": place.pod_ip, "podIPs": [{"ip": place.pod_ip}]}
    if pod.spec.init_containers:
        status["initContainerStatuses"] = [
            _init_container(pod, container, moment) for container in pod.spec.init_containers
        ]
    return status


def _running(
    pod: SimulatedPod, moment: str, *, last: JsonObject | None = None, restarts: int = 0
) -> JsonObject:
    state = {"running": {"startedAt": moment}}
    return {"containerStatuses": _containers(pod, state, last=last, restarts=restarts)}


def _ended(pod: SimulatedPod, step: Step, moment: str) -> JsonObject:
    failed = bool(step.exit_code)
    state = {"terminated": _terminated(pod, step.exit_code, moment)}
    status: JsonObject = {
        "phase": "Failed" if failed else "Succeeded",
        "containerStatuses": _containers(pod, state),
        "conditions": _conditions(
            pod, moment, started=False, reason="PodFailed" if failed else "PodCompleted"
        ),
    }
    if step.action == "exceed":
        status |= {"reason": "DeadlineExceeded", "message": DEADLINE_MESSAGE}
    return status


def _containers(
    pod: SimulatedPod,
    state: JsonObject,
    *,
    last: JsonObject | None = None,
    restarts: int = 0,
) -> list[JsonObject]:
    """Return the statuses of all containers, which move together.

    Args:
        pod: the pod before.
        state: of every container now.
        last: how they ended before, if that is new.
        restarts: how many restarts to add.
    """
    before = {status.name: status for status in pod.status.container_statuses}
    running = "running" in state
    return [
        {
            "name": container.name,
            "state": state,
            "lastState": {"terminated": last} if last else _kept_end(before.get(container.name)),
            "ready": running,
            "started": running,
            "restartCount": _restarts(before.get(container.name)) + restarts,
            "image": container.image,
            "imageID": "",
            "containerID": _container_id(pod, container),
        }
        for container in pod.spec.containers
    ]


def _init_container(pod: SimulatedPod, container: Container, moment: str) -> JsonObject:
    beside = container.restart_policy == "Always"
    ended = {"exitCode": 0, "reason": "Completed", "startedAt": moment, "finishedAt": moment}
    return {
        "name": container.name,
        "state": {"running": {"startedAt": moment}} if beside else {"terminated": ended},
        "lastState": {},
        "ready": True,
        "started": beside,
        "restartCount": 0,
        "image": container.image,
        "imageID": "",
        "containerID": _container_id(pod, container),
    }


def _container_id(pod: SimulatedPod, container: Container) -> str:
    return f"kubegang://{pod.metadata.uid}/{container.name}"


def _restarts(status: ContainerStatus | None) -> int:
    return status.restart_count if status is not None else 0


def _kept_end(status: ContainerStatus | None) -> JsonObject:
    ended = status.last_state.terminated if status is not None else None
    return {} if ended is None else {"terminated": _wire(ended)}


def _last_end(pod: SimulatedPod, step: Step, moment: str) -> JsonObject | None:
    """Return how containers ended that are restarted right now, ``None`` if they waited."""
    first = pod.status.container_statuses[0]
    if first.state.running is None:
        return None
    return _terminated(pod, step.exit_code, moment)


def _terminated(pod: SimulatedPod, exit_code: int, moment: str) -> JsonObject:
    containers = pod.status.container_statuses
    running = containers[0].state.running if containers else None
    return _wire(
        Terminated(
            exit_code=exit_code,
            reason="Error" if exit_code else "Completed",
            started_at=(running.started_at if running is not None else None) or moment,
            finished_at=moment,
        )
    )


def _wire(ended: Terminated) -> JsonObject:
    return {
        "exitCode": ended.exit_code,
        "reason": ended.reason,
        "startedAt": ended.started_at,
        "finishedAt": ended.finished_at,
    }


def _back_off(pod: SimulatedPod, pause: float) -> JsonObject:
    metadata = pod.metadata
    name = f"{metadata.name}_{metadata.namespace}({metadata.uid})"
    return {
        "reason": "CrashLoopBackOff",
        "message": f"back-off {_minutes(pause)} restarting failed "
        f"container={pod.spec.containers[0].name} pod={name}",
    }


def _minutes(seconds: float) -> str:
    """Return a duration as Go prints it: ``40s``, ``1m20s``, ``5m0s``."""
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes}m{rest}s" if minutes else f"{rest}s"


def _conditions(
    pod: SimulatedPod,
    moment: str,
    *,
    started: bool = True,
    unready: bool = False,
    reason: str = "",
) -> list[JsonObject]:
    """Return the kubelet's own conditions.

    Args:
        pod: the pod before.
        moment: when something changed.
        started: whether the pod's sandbox is there.
        unready: whether containers are not ready, but may become so.
        reason: why the pod is at its end, empty if it is not.
    """
    ready = not (unready or reason)
    names = " ".join(container.name for container in pod.spec.containers)
    why = reason or ("ContainersNotReady" if unready else "")
    message = f"containers with unready status: [{names}]" if unready else ""
    initialized = reason if reason == "PodCompleted" else ""
    return [
        _condition(pod, "PodReadyToStartContainers", moment, holds=started),
        _condition(pod, "Initialized", moment, holds=True, reason=initialized),
        _condition(pod, "Ready", moment, holds=ready, reason=why, message=message),
        _condition(pod, "ContainersReady", moment, holds=ready, reason=why, message=message),
    ]


def _condition(
    pod: SimulatedPod, kind: str, moment: str, *, holds: bool, reason: str = "", message: str = ""
) -> JsonObject:
    """Return a condition; null takes away what it said before."""
    value = "True" if holds else "False"
    before = next((c for c in pod.status.conditions if c.type == kind), None)
    since = before.last_transition_time if before is not None and before.status == value else moment
    return {
        "type": kind,
        "status": value,
        "observedGeneration": pod.metadata.generation,
        "lastTransitionTime": since,
        "reason": reason or None,
        "message": message or None,
    }
