"""What a search for a node ends with: the node, or why there is none. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from kubegang.scheduler.cycle.handle import CycleHandle
from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.fiterror import (
    NO_NODES,
    count_reasons,
    fit_error,
    refused_before_nodes,
)
from kubegang.scheduler.framework.interface import Refusal
from kubegang.scheduler.framework.nodetable import RowArray
from kubegang.scheduler.framework.pods import NodeName, PodInfo
from kubegang.scheduler.framework.status import Code, Status, unresolvable
from kubegang.scheduler.runtime.filtering import PreFilterOutcome, go_list


class FoundNode(msgspec.Struct, frozen=True):
    """The node that was chosen."""

    row: int
    node: NodeName


class NoNode(msgspec.Struct, frozen=True):
    """Why no node was chosen.

    Attributes:
        status: a refusal, or an error.
        message: what kube-scheduler says about it, without what post filters add.
        nodes: how many nodes there were to look at.
        refusals: why each of them was refused.
        plugins: whose refusals they are, sorted.
    """

    status: Status
    message: str
    nodes: int = 0
    refusals: tuple[Refusal, ...] = ()
    plugins: tuple[str, ...] = ()


NOWHERE_TO_LOOK: Final = NoNode(Status(Code.UNRESOLVABLE, cause=NO_NODES), NO_NODES)
"""There is no node at all, in the cluster or in the placement."""


def refused_whole(outcome: PreFilterOutcome, order: RowArray) -> NoNode:
    """Say that a plugin refused the pod before any node was looked at."""
    status = outcome.status
    if not status.is_rejected:
        return NoNode(status, status.as_error)
    refusals = (Refusal(order, status),)
    return NoNode(
        Status(Code.UNSCHEDULABLE),
        refused_before_nodes(len(order), status.message),
        len(order),
        refusals,
        _authors(refusals, outcome.narrowed_by),
    )


def none_fits(
    handle: CycleHandle,
    state: CycleState,
    *,
    pod: PodInfo,
    order: RowArray,
    outcome: PreFilterOutcome,
) -> NoNode:
    """Say why each node was refused.

    Args:
        handle: the cycle's plugins and nodes.
        state: the notes of the pod's attempt.
        pod: whose search it was.
        order: the nodes that there were to look at.
        outcome: what plugins said beforehand; they may have left nodes out.
    """
    left = outcome.left(order, handle.cluster.nodes)
    refusals = [
        *_left_out(order[~left], outcome.narrowed_by),
        *handle.refusals(state, pod, rows=order[left]),
    ]
    message = fit_error(len(order), count_reasons(refusals))
    plugins = _authors(refusals, outcome.narrowed_by)
    return NoNode(Status(Code.UNSCHEDULABLE), message, len(order), tuple(refusals), plugins)


def _left_out(rows: RowArray, narrowed_by: tuple[str, ...]) -> list[Refusal]:
    if not len(rows):
        return []
    text = f"node(s) didn't satisfy plugin(s) {go_list(narrowed_by)}"
    return [Refusal(rows, unresolvable(text))]


def _authors(refusals: Sequence[Refusal], narrowed_by: tuple[str, ...]) -> tuple[str, ...]:
    said = {refusal.status.plugin for refusal in refusals if refusal.status.plugin}
    return tuple(sorted(said.union(narrowed_by)))
