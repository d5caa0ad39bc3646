"""What one cycle decided, and why: a value, carried out elsewhere.

Instructions are small and imperative. ``scheduler.py`` and ``binder`` carry them out;
``explain`` and ``run`` print the diagnosis they come with. Pure.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from kubegang.scheduler.cycle.batch import Batch, BatchReport
from kubegang.scheduler.framework.binding import ApiChange, PermitWait
from kubegang.scheduler.framework.fiterror import chosen_node_error, refused_by
from kubegang.scheduler.framework.pods import NodeName, PodGroupKey, PodInfo, PodUid
from kubegang.scheduler.framework.status import Status

ConditionReason = Literal["Unschedulable", "SchedulerError", "Scheduled"]

DecisionStatus = Literal[
    "scheduled", "partly-scheduled", "waiting-on-permit", "unschedulable", "error", "skipped"
]
"""How an attempt ended; ``waiting-on-permit``: the pod has a node and waits for others."""


class BindPod(msgspec.Struct, frozen=True):
    """Assume the pod on the node, reserve, and bind it through the API."""

    pod: PodInfo
    node: NodeName


class WaitOnPermit(msgspec.Struct, frozen=True):
    """Assume the pod on the node and reserve; bind it once every plugin here allows it.

    Attributes:
        message: why they make it wait.
    """

    pod: PodInfo
    node: NodeName
    waits: tuple[PermitWait, ...]
    message: str = ""


class AllowWaitingPod(msgspec.Struct, frozen=True):
    """Let a pod that waits on permit go on, as far as one plugin is concerned."""

    plugin: str
    pod: PodUid


class RejectWaitingPod(msgspec.Struct, frozen=True):
    """Send a pod that waits on permit back to the queue."""

    plugin: str
    pod: PodUid
    message: str


class ActivatePods(msgspec.Struct, frozen=True):
    """Let pods in the queue be tried now, unless a plugin holds them.

    Attributes:
        keys: single pods, or all waiting members of a group.
    """

    keys: tuple[PodUid | PodGroupKey, ...]


class NominateNode(msgspec.Struct, frozen=True):
    """Write status.nominatedNodeName; empty clears it."""

    pod: PodInfo
    node: NodeName


class FailPod(msgspec.Struct, frozen=True):
    """Write PodScheduled=False and the FailedScheduling event, and requeue the pod.

    Attributes:
        plugins: whose refusals they were, sorted; the queue asks their hints. Empty when no
            plugin refused the pod itself, as with errors or a gang that has no quorum.
    """

    pod: PodInfo
    reason: Literal["Unschedulable", "SchedulerError"]
    message: str
    plugins: tuple[str, ...] = ()


def fail_after_choice(pod: PodInfo, status: Status) -> FailPod:
    """Return what a pod is told that is refused after its node was chosen."""
    reason: Literal["Unschedulable", "SchedulerError"] = (
        "Unschedulable" if status.is_rejected else "SchedulerError"
    )
    return FailPod(pod, reason, chosen_node_error(status), refused_by(status))


class EvictPod(msgspec.Struct, frozen=True):
    """Make room: condition DisruptionTarget, event Preempted, delete.

    Attributes:
        message: the event's text.
        condition_message: the DisruptionTarget condition's text.
        preemptor: the single pod that asks for it; ``None`` for a group.
    """

    pod: PodInfo
    message: str
    condition_message: str
    preemptor: PodUid | None = None


class SetPodGroupCondition(msgspec.Struct, frozen=True):
    """Write the group's scheduling condition, unless it is True already or says the same."""

    group: PodGroupKey
    status: Literal["True", "False"]
    reason: ConditionReason
    message: str


class ChangeObject(msgspec.Struct, frozen=True):
    """Change an object through the API; whether that succeeds is for a later attempt."""

    change: ApiChange


class SkipPod(msgspec.Struct, frozen=True):
    """Drop the pod from the queue: it is being deleted, or assumed already.

    Attributes:
        message: the text of a FailedScheduling event, or empty for none.
    """

    pod: PodInfo
    message: str = ""


Instruction = (
    BindPod
    | WaitOnPermit
    | AllowWaitingPod
    | RejectWaitingPod
    | ActivatePods
    | NominateNode
    | FailPod
    | EvictPod
    | SkipPod
    | SetPodGroupCondition
    | ChangeObject
)


class NodeReason(msgspec.Struct, frozen=True):
    """How many nodes one reason removed."""

    reason: str
    nodes: int


class PodDiagnosis(msgspec.Struct, frozen=True):
    """Why one pod found no node: its reasons, most frequent first as upstream prints them."""

    pod: PodInfo
    nodes: int
    reasons: tuple[NodeReason, ...]
    message: str


class Diagnosis(msgspec.Struct, frozen=True, kw_only=True):
    """Why the entity is where it is: the one source of condition, event, explain and page.

    Attributes:
        outcome: ``scheduled``: what is needed is being bound. ``unschedulable``: it waits for
            room. ``waiting``: it waits for pods, its PodGroup object or a gate, and was not
            tried. ``error``: rules are broken, such as unequal priorities.
        message: one sentence for people: what was needed, what was found, what would help.
        upstream_message: what kube-scheduler of this version says in the group's condition.
        group: the group, or ``None`` for an ordinary pod.
        quorum: members needed in all, 0 without a group.
        scheduled: members bound or being bound, those of this cycle included.
        pods: one entry per member that found no node.
    """

    outcome: Literal["scheduled", "unschedulable", "waiting", "error"]
    message: str
    upstream_message: str = ""
    group: PodGroupKey | None = None
    quorum: int = 0
    scheduled: int = 0
    pods: tuple[PodDiagnosis, ...] = ()


class SearchForRoom(msgspec.Struct, frozen=True):
    """What post filters came to, in numbers.

    Attributes:
        outcome: ``Success``: room is being made, or was begun to be made earlier.
        victims: those that are terminating already among them.
        group_units: how many of them, or groups of them, belong to pod groups.
        budget_violations: how many of them a disruption budget protects.
    """

    outcome: str
    victims: int = 0
    group_units: int = 0
    budget_violations: int = 0


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """The result of one cycle: what to do, in this order, and why.

    Attributes:
        status: how the attempt ended, for requeueing and metrics.
        unbound: members that were tried or present and are not being bound, in order; they
            go back to the queue.
        scan_start: where the next search for a node begins; give it to the snapshot's
            builder.
        room: what post filters came to, if they were asked.
        backs_off_as: how the attempt counts for the backoff. Not the same as ``status`` for a
            group that found no room and whose post filters then failed: reported as an
            error, it backs off as unschedulable (1.37).
        batch: what is kept of this cycle for the profile's next pod; give it to the next call
            of ``decide``.
        batching: how often that was of use in this cycle; ``None``: batching is turned off.
    """

    instructions: tuple[Instruction, ...]
    diagnosis: Diagnosis
    status: DecisionStatus
    unbound: tuple[PodInfo, ...] = ()
    scan_start: int = 0
    room: SearchForRoom | None = None
    backs_off_as: Literal["unschedulable", "error"] = "unschedulable"
    batch: Batch | None = None
    batching: BatchReport | None = None
