"""What an explanation consists of; printed as text, JSON and YAML."""

from __future__ import annotations

from typing import Literal

import msgspec

State = Literal["scheduled", "would-start", "makes-room", "unschedulable", "waiting", "error"]
"""``scheduled``: the minimum has nodes. ``would-start``: the next attempt places it.
``makes-room``: the next attempt evicts others for it. The others are those of a Diagnosis."""

ChangeKind = Literal[
    "create-pods",
    "create-group",
    "remove-gates",
    "same-scheduler",
    "same-priority",
    "uncordon",
    "remove-taint",
    "tolerate-taint",
    "free",
    "move-pods",
    "lower-min-count",
    "relax",
    "reorder",
    "raise-priority",
    "add-nodes",
]


class Subject(msgspec.Struct, frozen=True):
    """Kind, namespace and name of what was asked about."""

    kind: str
    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.kind} {self.namespace}/{self.name}"


class Amount(msgspec.Struct, frozen=True):
    """So much of a resource, as manifests write it."""

    resource: str
    amount: str


class OwnerFinding(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """Who makes a group's pods.

    Attributes:
        can_create: how many pods may exist at once before any of them runs; ``None`` if that
            is not known.
        why: what limits it, in words.
        problem: what the owner was told last.
    """

    kind: str
    name: str
    can_create: int | None = None
    why: str = ""
    problem: str = ""


class Quorum(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """Who is needed, and who is there.

    Attributes:
        needed: members without which none starts; of a composite these are child groups.
        exist: members that exist and are not finished.
        scheduled: pods that have a node.
        missing: how many must still be created.
        reachable: whether the owners can ever create enough; ``None`` if that is not known.
        message: all that in one sentence.
    """

    needed: int
    exist: int
    scheduled: int
    missing: int
    reachable: bool | None = None
    owners: tuple[OwnerFinding, ...] = ()
    message: str


class ResourceTotal(msgspec.Struct, frozen=True, kw_only=True):
    """What the minimum asks for in all, what exists on the nodes it may use, what is free."""

    resource: str
    needed: str
    exists: str
    free: str
    suffices: bool


class NearNode(msgspec.Struct, frozen=True):
    """A node that only lacks room, and how much."""

    node: str
    lacks: tuple[Amount, ...]


class DomainFinding(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """What became of the group on one candidate set of nodes.

    Attributes:
        domain: the value of the topology key; empty for the whole cluster.
        placed: members that found room there, beside those that run there already.
        missing: how many more would be needed.
        free: of each resource the group asks for, on all nodes of the domain together.
        reasons: why the first member without room was refused, node by node.
    """

    domain: str
    nodes: int
    placed: int
    missing: int
    free: tuple[Amount, ...] = ()
    reasons: tuple[str, ...] = ()


class NodeClassFinding(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """Nodes of one shape, and why they were refused.

    Attributes:
        shape: what they have, and their taints.
        example: the first of them.
        reasons: with the number of nodes that each removed, most frequent first.
    """

    shape: str
    nodes: int
    example: str
    reasons: tuple[str, ...] = ()


class Holder(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """Who has the resources that are lacking.

    Attributes:
        weaker: whether its priority is lower, so that preemption may look at it.
    """

    kind: str
    namespace: str
    name: str
    pods: int
    nodes: int
    priority: int
    weaker: bool
    holds: tuple[Amount, ...]


class RoomFinding(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """What preemption could do.

    Attributes:
        possible: whether the next attempt would evict somebody.
        victims: who that would be, as ``namespace/name``.
        message: the same in words, and why not.
    """

    possible: bool
    victims: tuple[str, ...] = ()
    weaker_pods: int = 0
    message: str


class Retry(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """When the scheduler will look again.

    Attributes:
        at_most: seconds between attempts once it has failed often; ``None`` while it is held.
        events: what happening makes it look earlier.
        message: the same in words.
    """

    at_most: float | None = None
    events: tuple[str, ...] = ()
    message: str


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """A change that makes it start; tried with the scheduler's decision.

    Attributes:
        size: how large it is, in the unit of its kind: pods, nodes, priority, …
        smallest: no smaller one of its kind helps; where that was not proven, ``False``.
        message: what to do.
    """

    kind: ChangeKind
    size: int
    smallest: bool = True
    message: str


class BoundPod(msgspec.Struct, frozen=True):
    """A member that has a node."""

    name: str
    node: str
    domain: str = ""


class Explanation(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """Why one pod or group is where it is.

    Attributes:
        subject: a pod, or the group that is decided about as a whole.
        scheduler: its schedulerName.
        message: the scheduler's Diagnosis.
        upstream_message: what kube-scheduler of this release says in the condition.
        changes: the one that is easiest to make first.
        warnings: what is odd about it, whether or not it waits for that.
    """

    subject: Subject
    scheduler: str
    state: State
    message: str
    upstream_message: str = ""
    quorum: Quorum | None = None
    totals: tuple[ResourceTotal, ...] = ()
    domains: tuple[DomainFinding, ...] = ()
    node_classes: tuple[NodeClassFinding, ...] = ()
    near: tuple[NearNode, ...] = ()
    holders: tuple[Holder, ...] = ()
    room: RoomFinding | None = None
    retry: Retry | None = None
    changes: tuple[Change, ...] = ()
    bound: tuple[BoundPod, ...] = ()
    warnings: tuple[str, ...] = ()


class ExplainReport(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """The answer to ``kubegang explain``.

    Attributes:
        parts: one for each group, or pod outside of groups, that the subject consists of.
        unseen: what could not be read, and so is not part of the answer.
        notes: what else to know about the answer.
    """

    subject: Subject
    kubernetes_version: str
    parts: tuple[Explanation, ...] = ()
    unseen: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def is_fine(self) -> bool:
        """Whether everything runs, or starts with the next attempt."""
        return all(part.state in ("scheduled", "would-start") for part in self.parts)
