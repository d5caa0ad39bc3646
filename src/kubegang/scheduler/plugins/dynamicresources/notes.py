"""What the plugin keeps from one extension point to the next."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from kubegang.api.resource.types import AllocationResult, ClaimConsumer, ResourceClaim
from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.nodetable import BoolArray
from kubegang.scheduler.framework.pods import NodeName, PodUid
from kubegang.scheduler.framework.status import Status
from kubegang.scheduler.plugins.dynamicresources.extended import NodeClaim, is_in_mind

KEY: Final = "DynamicResources"

Allocations = dict[int, AllocationResult]
"""What claims are given, by their position among the pod's claims."""


@dataclass(slots=True)
class PodNotes:
    """What is known of one attempt at a pod; without claims if it has none, or was refused.

    Attributes:
        claims: as they were when the attempt began.
        consumers: for whom each is reserved.
        shared: what siblings were promised in this cycle.
        promised: what was promised when the pod took its node.
        reachable: nodes from which what a claim has can be reached.
        useless: claims with devices that cannot be made ready.
        found: per node what claims without an allocation would be given there.
        answers: per row what was said about the node.
        seen_at: the versions of nodes and devices for which the answers hold.
        unavailable: allocated claims that some node could not use.
        held: claims for which the pod counts as one that shares the promise.
        extended: the position of the claim for extended resources, which comes last.
        on_nodes: per node how that claim is there; it is not needed on all.
        made: the name of that claim once it is made, to be taken back.
    """

    claims: tuple[ResourceClaim, ...] = ()
    consumers: tuple[ClaimConsumer, ...] = ()
    shared: Allocations = field(default_factory=dict)
    promised: Allocations = field(default_factory=dict)
    reachable: dict[int, BoolArray] = field(default_factory=dict)
    useless: set[int] = field(default_factory=set)
    found: dict[NodeName, Allocations] = field(default_factory=dict)
    answers: dict[int, Status] = field(default_factory=dict)
    seen_at: tuple[int, int] = (-1, -1)
    unavailable: set[int] = field(default_factory=set)
    held: list[str] = field(default_factory=list)
    extended: int | None = None
    on_nodes: dict[NodeName, NodeClaim] = field(default_factory=dict)
    made: str = ""

    @property
    def left_over(self) -> ResourceClaim | None:
        """The claim for extended resources that an earlier attempt made and did not use."""
        claim = None if self.extended is None else self.claims[self.extended]
        return None if claim is None or is_in_mind(claim) else claim

    def unallocated(self) -> list[int]:
        """Return the positions of claims whose status has no allocation."""
        return [i for i, claim in enumerate(self.claims) if claim.status.allocation is None]

    def allocation(self, position: int) -> AllocationResult | None:
        """Return what a claim has or is promised, ``None`` if nothing yet."""
        allocated = self.claims[position].status.allocation
        return allocated or self.promised.get(position) or self.shared.get(position)


@dataclass(slots=True)
class GroupNotes:
    """What is known of one cycle of a whole group.

    Attributes:
        pending: claims that were promised to members in this cycle.
        pods: of each member that was tried, the notes of the last attempt.
    """

    pending: set[str] = field(default_factory=set)
    pods: dict[PodUid, PodNotes] = field(default_factory=dict)


NO_CLAIMS: Final = PodNotes()
"""For all pods without claims; never changed."""


def notes_of(state: CycleState) -> PodNotes:
    """Return the notes of an attempt, which say nothing before the plugin was asked."""
    notes: PodNotes | None = state.read(KEY)
    return NO_CLAIMS if notes is None else notes


def group_notes_of(state: CycleState) -> GroupNotes | None:
    """Return the notes of the group cycle that an attempt belongs to, if it does."""
    notes: GroupNotes | None = None if state.group is None else state.group.read(KEY)
    return notes


def begin_group(state: CycleState) -> GroupNotes | None:
    """Return the same, made if need be."""
    if state.group is None:
        return None
    notes: GroupNotes | None = state.group.read(KEY)
    if notes is None:
        notes = GroupNotes()
        state.group.write(KEY, notes)
    return notes
