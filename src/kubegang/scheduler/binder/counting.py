"""Counting a decision as real: pods are assumed on their nodes, and plugins reserve.

The cycle tried all this on its snapshot and took it back. Nothing has happened since, so what
was possible then is possible now; a plugin that changes its mind all the same costs its pod
the node, and nobody else.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from kubegang.scheduler.cache.cache import Cache
from kubegang.scheduler.cycle.decision import (
    BindPod,
    Decision,
    EvictPod,
    FailPod,
    Instruction,
    NominateNode,
    WaitOnPermit,
    fail_after_choice,
)
from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.pods import PodUid
from kubegang.scheduler.framework.status import SUCCESS, Status
from kubegang.scheduler.queue.entries import EntityKey
from kubegang.scheduler.runtime.binding import run_reserve_plugins
from kubegang.scheduler.runtime.framework import Framework


def count_as_real(
    decision: Decision,
    cache: Cache,
    *,
    entity: EntityKey,
    framework: Framework,
    notes: Mapping[PodUid, CycleState],
) -> Decision:
    """Let the cache count a decision, and return the decision as it came true."""
    cache.set_scan_start(decision.scan_start)
    refused: dict[PodUid, FailPod] = {}
    for instruction in decision.instructions:
        match instruction:
            case BindPod(pod) | WaitOnPermit(pod):
                status = _take_node(instruction, cache, framework=framework, notes=notes)
                if not status.is_success:
                    refused[pod.uid] = fail_after_choice(pod, status)
            case NominateNode(pod, node):
                cache.nominate(pod.uid, node)
            case EvictPod():
                cache.groups.begin_preemption(instruction.preemptor or entity)
    return _without(decision, refused) if refused else decision


def _take_node(
    instruction: BindPod | WaitOnPermit,
    cache: Cache,
    *,
    framework: Framework,
    notes: Mapping[PodUid, CycleState],
) -> Status:
    pod, node = instruction.pod, instruction.node
    cache.assume(pod.uid, node)
    state = notes.get(pod.uid)
    if state is None or not framework.reserve_plugins:
        return SUCCESS
    status = run_reserve_plugins(framework, state, pod=pod, node=node, cluster=cache.snapshot())
    if not status.is_success:
        cache.forget(pod.uid)
    return status


def _without(decision: Decision, refused: Mapping[PodUid, FailPod]) -> Decision:
    instructions: list[Instruction] = []
    for instruction in decision.instructions:
        if not isinstance(instruction, BindPod | WaitOnPermit):
            instructions.append(instruction)
        else:
            instructions.append(refused.get(instruction.pod.uid, instruction))
    pods = tuple(fail.pod for fail in refused.values())
    alone = decision.status in ("scheduled", "waiting-on-permit") and len(instructions) == len(pods)
    return msgspec.structs.replace(
        decision,
        instructions=tuple(instructions),
        unbound=(*decision.unbound, *pods),
        status="unschedulable" if alone else decision.status,
    )
