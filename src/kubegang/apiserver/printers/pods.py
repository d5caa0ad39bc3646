"""Pods: how far the containers are, in one word.

The status column is the phase, unless something more telling is known: a reason, the first
init container that is not done, or the state of a container.
"""

from __future__ import annotations

from typing import NamedTuple

from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.times import parse_time
from kubegang.apiserver.printers.cells import (
    NONE,
    age,
    has_true_condition,
    member,
    name,
    number,
    objects,
    since,
    terminating,
    text,
)
from kubegang.apiserver.printers.columns import AGE, NAME, Cell, Column, Printer


class _Restarts(NamedTuple):
    """How often containers were restarted, and when the last one ended before that."""

    times: int = 0
    last: str = ""

    def plus(self, status: JsonObject) -> _Restarts:
        """Return the sum with one container's status."""
        ended = text(status, "lastState", "terminated", "finishedAt")
        later = not self.last or (ended and parse_time(ended) > parse_time(self.last))
        return _Restarts(
            self.times + number(status, "restartCount"), ended if ended and later else self.last
        )

    def cell(self, now: float) -> str:
        """Return the cell: the time is shown only if there was a restart."""
        if self.times and self.last:
            return f"{self.times} ({since(self.last, now)} ago)"
        return str(self.times)


class _Summary(NamedTuple):
    """What containers say about their pod."""

    reason: str
    ready: int
    restarts: _Restarts


def _cells(pod: JsonObject, now: float) -> list[Cell]:
    sidecars = _sidecars(pod)
    starting = _init_containers(pod, sidecars)
    summary = starting.summary
    if not starting.unfinished or _is_initialized(pod):
        summary = _containers(pod, summary._replace(restarts=starting.sidecar_restarts))
    total = len(objects(pod, "spec", "containers")) + len(sidecars)
    return [
        name(pod),
        f"{summary.ready}/{total}",
        _deletion_reason(pod) or summary.reason,
        summary.restarts.cell(now),
        age(pod, now),
        text(next(iter(objects(pod, "status", "podIPs")), None), "ip") or NONE,
        text(pod, "spec", "nodeName") or NONE,
        text(pod, "status", "nominatedNodeName") or NONE,
        _readiness_gates(pod),
    ]


def _phase_reason(pod: JsonObject) -> str:
    """Return the reason as long as no container knows better."""
    for entry in objects(pod, "status", "conditions"):
        if entry.get("type") == "PodScheduled" and entry.get("reason") == "SchedulingGated":
            return "SchedulingGated"
    return text(pod, "status", "reason") or text(pod, "status", "phase")


def _sidecars(pod: JsonObject) -> set[str]:
    """Return the names of init containers that keep running beside the others."""
    return {
        text(container, "name")
        for container in objects(pod, "spec", "initContainers")
        if container.get("restartPolicy") == "Always"
    }


class _Starting(NamedTuple):
    """The pod as its init containers show it.

    Attributes:
        sidecar_restarts: what is counted once the pod is past its start.
        unfinished: an init container still runs or has failed.
    """

    summary: _Summary
    sidecar_restarts: _Restarts
    unfinished: bool = False


def _init_containers(pod: JsonObject, sidecars: set[str]) -> _Starting:
    """Walk the init containers up to the first that is not done."""
    restarts = sidecar_restarts = _Restarts()
    ready = 0
    for index, status in enumerate(objects(pod, "status", "initContainerStatuses")):
        restarts = restarts.plus(status)
        is_sidecar = text(status, "name") in sidecars
        if is_sidecar:
            sidecar_restarts = sidecar_restarts.plus(status)
        ended = member(status, "state", "terminated")
        if ended is not None and not number(ended, "exitCode"):
            continue
        if is_sidecar and status.get("started"):
            ready += 1 if status.get("ready") else 0
            continue
        total = len(objects(pod, "spec", "initContainers"))
        reason = f"Init:{_init_reason(status) or f'{index}/{total}'}"
        return _Starting(_Summary(reason, ready, restarts), sidecar_restarts, unfinished=True)
    return _Starting(_Summary(_phase_reason(pod), ready, restarts), sidecar_restarts)


def _init_reason(status: JsonObject) -> str:
    """Return why an init container has failed or waits; empty if it simply runs."""
    if (ended := member(status, "state", "terminated")) is not None:
        return _end_reason(ended)
    waiting = text(status, "state", "waiting", "reason")
    return "" if waiting == "PodInitializing" else waiting


def _end_reason(ended: JsonObject) -> str:
    if reason := text(ended, "reason"):
        return reason
    if signal := number(ended, "signal"):
        return f"Signal:{signal}"
    return f"ExitCode:{number(ended, 'exitCode')}"


def _containers(pod: JsonObject, summary: _Summary) -> _Summary:
    """Add the main containers; the first one's reason wins, so they are walked from the end."""
    reason, ready, restarts = summary
    running = 0
    failure = ""
    for status in reversed(objects(pod, "status", "containerStatuses")):
        restarts = restarts.plus(status)
        if waiting := text(status, "state", "waiting", "reason"):
            reason = waiting
        elif (ended := member(status, "state", "terminated")) is not None:
            reason = _end_reason(ended)
            failure = reason if number(ended, "exitCode") else failure
        elif status.get("ready") and member(status, "state", "running") is not None:
            running += 1
    if reason == "Completed":
        reason = _reason_beside_completed(pod, failure, running=running)
    return _Summary(reason, ready + running, restarts)


def _reason_beside_completed(pod: JsonObject, failure: str, *, running: int) -> str:
    """Return the word for a pod of which one container has ended well."""
    if running and has_true_condition(pod, "Ready"):
        return "Running"
    return failure or ("NotReady" if running else "Completed")


def _is_initialized(pod: JsonObject) -> bool:
    """Return whether the pod says so; the first such condition counts."""
    for entry in objects(pod, "status", "conditions"):
        if entry.get("type") == "Initialized":
            return entry.get("status") == "True"
    return False


def _deletion_reason(pod: JsonObject) -> str:
    """Return the word for a pod on its way out, or nothing."""
    if not terminating(pod):
        return ""
    if text(pod, "status", "reason") == "NodeLost":
        return "Unknown"
    return "" if text(pod, "status", "phase") in {"Succeeded", "Failed"} else "Terminating"


def _readiness_gates(pod: JsonObject) -> str:
    gates = objects(pod, "spec", "readinessGates")
    if not gates:
        return NONE
    # The first condition of a type counts, so later ones must not overwrite it.
    status_of = {
        text(entry, "type"): entry.get("status")
        for entry in reversed(objects(pod, "status", "conditions"))
    }
    passed = sum(status_of.get(text(gate, "conditionType")) == "True" for gate in gates)
    return f"{passed}/{len(gates)}"


_ENDS = {
    "Succeeded": "The pod has completed successfully.",
    "Failed": "The pod failed.",
}


def _conditions(pod: JsonObject) -> list[JsonObject]:
    phase = text(pod, "status", "phase")
    if phase not in _ENDS:
        return []
    return [{"type": "Completed", "status": "True", "reason": phase, "message": _ENDS[phase]}]


POD = Printer(
    (
        NAME,
        Column("Ready", "Containers that are ready, and how many there are."),
        Column("Status", "The state of the containers in one word."),
        Column("Restarts", "How often containers were restarted, and when last."),
        AGE,
        Column("IP", "The pod's address.", wide=True),
        Column("Node", "The node that the pod is bound to.", wide=True),
        Column("Nominated Node", "The node held free for the pod by preemption.", wide=True),
        Column("Readiness Gates", "Readiness gates that are passed.", wide=True),
    ),
    _cells,
    _conditions,
)
