"""What a simulated kubelet does next with a pod, and when.

A pod bound to a simulated node goes through these stages:

    bound ──▶ creating ──▶ running ──▶ succeeded     kubegang.dev/run-duration: 60s
       └───────────────────▶ │ ▲ └───▶ failed        … with kubegang.dev/exit-code: "1",
                             │ │                     or kubegang.dev/fail-after: 30s
                             ▼ │
                          restarting                 restartPolicy Always, or OnFailure
                                                     after a failure
    any stage, marked for deletion ──▶ removed

It is creating only with kubegang.dev/start-delay. Without an annotation that ends it, a pod
runs until it is deleted. All containers of a pod move together. Pure.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from kubegang.apimachinery.times import parse_time
from kubegang.nodesim.annotations import Behaviour, behaviour_of
from kubegang.nodesim.forms import SimulatedPod
from kubegang.nodesim.memory import PodMemory

SIGTERM_CODE, SIGKILL_CODE = 143, 137

Action = Literal["create", "start", "finish", "crash", "restart", "exceed", "remove"]


class Step(msgspec.Struct, frozen=True):
    """One thing to do with a pod.

    Attributes:
        action: ``crash`` leaves the containers waiting for a restart; ``exceed`` ends a pod
            that was active for too long.
        at: when, in seconds since the epoch; a time that has passed means now.
        exit_code: with which the containers end, where they do.
    """

    action: Action
    at: float
    exit_code: int = 0


def next_step(pod: SimulatedPod, memory: PodMemory) -> Step | None:
    """Return what happens to a pod next, or ``None`` if nothing does by itself.

    Args:
        pod: a pod with spec.nodeName.
        memory: what is known of it besides; it has seen the pod.

    Raises:
        AnnotationError: one of our annotations cannot be read.
    """
    behaviour = behaviour_of(pod.metadata.annotations)
    if pod.metadata.deletion_timestamp:
        return _removal(pod, behaviour, memory)
    if pod.has_ended:
        return None
    steps = [_deadline(pod), _move(pod, behaviour, memory)]
    return min((step for step in steps if step is not None), key=_at, default=None)


def _at(step: Step) -> float:
    return step.at


def _move(pod: SimulatedPod, behaviour: Behaviour, memory: PodMemory) -> Step | None:
    state = pod.status.container_statuses[0].state if pod.status.container_statuses else None
    if state is None:
        if behaviour.starts_after:
            return Step("create", memory.bound)
        return Step("start", memory.bound)
    if state.running is not None:
        started = memory.started
        if started is None:
            # Known to the second only, after the simulator was started anew.
            text = state.running.started_at
            started = parse_time(text) if text else memory.bound
        return _ending(pod, behaviour, memory, started=started)
    if pod.status.phase == "Pending":
        return Step("start", memory.bound + behaviour.starts_after)
    # Without memory there is no pause, as with a kubelet that was started anew.
    return Step("restart", memory.ended + memory.pause if memory.ended is not None else 0.0)


def _ending(
    pod: SimulatedPod, behaviour: Behaviour, memory: PodMemory, *, started: float
) -> Step | None:
    if behaviour.runs_for is None:
        return None
    at, code = started + behaviour.runs_for, behaviour.exit_code
    policy = pod.spec.restart_policy
    if policy == "Never" or (policy == "OnFailure" and code == 0):
        return Step("finish", at, code)
    # The first restart comes at once, so there is nothing to see of the pause.
    return Step("crash" if memory.pause_after(at) else "restart", at, code)


def _deadline(pod: SimulatedPod) -> Step | None:
    seconds, started = pod.spec.active_deadline_seconds, pod.status.start_time
    if seconds is None or started is None:
        return None
    return Step("exceed", parse_time(started) + seconds, SIGTERM_CODE)


def _removal(pod: SimulatedPod, behaviour: Behaviour, memory: PodMemory) -> Step:
    grace = float(pod.metadata.deletion_grace_period_seconds or 0)
    marked = memory.marked or 0.0
    if pod.has_ended:
        return Step("remove", marked)
    if behaviour.ends_within > grace:
        # It ignores the signal and is killed when the grace period is over.
        return Step("remove", marked + grace, SIGKILL_CODE)
    return Step("remove", marked + behaviour.ends_within, SIGTERM_CODE)
