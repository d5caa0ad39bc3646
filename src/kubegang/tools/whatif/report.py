"""What a plan consists of; printed as text, JSON and YAML."""

from __future__ import annotations

from typing import Literal

import msgspec


class PlannedBind(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """A pod that would get a node.

    Attributes:
        unit: what it belongs to: its owner, its group, or itself.
        at: virtual seconds from now.
        anyway: it would get one without the change too.
    """

    pod: str
    unit: str
    node: str
    at: float
    anyway: bool = False


class PlannedEviction(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """A pod that would have to go.

    Attributes:
        reason: ``preempted`` by the scheduler, or ``drained`` with its node.
        preemptor: for whom, if it is preempted.
        returns: its controller makes it anew, and it waits again.
    """

    pod: str
    unit: str
    node: str
    reason: Literal["preempted", "drained"]
    preemptor: str = ""
    at: float = 0.0
    returns: bool = False
    anyway: bool = False


class PlannedMove(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """A pod that would have to run elsewhere.

    Attributes:
        beneficiary: what starts thereby.
    """

    pod: str
    unit: str
    origin: str
    node: str
    beneficiary: str


class StillPending(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """A group or pod that would go on waiting.

    Attributes:
        unit: what its pods belong to: their owner, their group, or the pod itself.
        group: the group, or empty.
        needed: members without which none starts, 0 without a group.
        scheduled: members that have a node then.
        message: the scheduler's Diagnosis.
        started_without: without the change it would start.
    """

    unit: str
    group: str = ""
    pods: int
    needed: int
    scheduled: int
    message: str
    upstream_message: str = ""
    started_without: bool = False


class Plan(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """What would happen by the rules of one release, until nothing changes any more.

    Attributes:
        moves: what would have to be moved first, if moves were asked for.
        refused: what the release's API does not take of what was to be submitted.
        settled: whether it came to an end; if not, it was stopped after an hour.
        notes: what else to know.
    """

    kubernetes_version: str
    binds: tuple[PlannedBind, ...] = ()
    evictions: tuple[PlannedEviction, ...] = ()
    pending: tuple[StillPending, ...] = ()
    moves: tuple[PlannedMove, ...] = ()
    refused: tuple[str, ...] = ()
    settled: bool = True
    notes: tuple[str, ...] = ()

    @property
    def is_fine(self) -> bool:
        """Whether nothing stays pending."""
        return not self.pending and not self.refused


class WhatIfReport(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """The answer to ``kubegang what-if``.

    Attributes:
        suppositions: what was supposed, in words.
        plans: one per release.
        unseen: what could not be read.
        answer: what was found out beyond the plans: the least number of nodes that is enough.
    """

    suppositions: tuple[str, ...]
    plans: tuple[Plan, ...]
    unseen: tuple[str, ...] = ()
    answer: str = ""

    @property
    def is_fine(self) -> bool:
        """Whether nothing stays pending in any release."""
        return all(plan.is_fine for plan in self.plans)
