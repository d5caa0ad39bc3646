"""The few facts about pods, groups and jobs that reports tell, and what happened to them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from kubegang.scheduler.cycle.decision import Diagnosis
from kubegang.scheduler.framework.pods import PodGroupKey, PodUid

PodState = Literal["pending", "bound", "running", "succeeded", "failed", "evicted", "deleted"]
JobState = Literal["active", "suspended", "succeeded", "failed", "deleted"]
Happened = Literal[
    "created",
    "bound",
    "restarted",
    "succeeded",
    "failed",
    "evicted",
    "deleted",
    "suspended",
    "resumed",
    "waits",
]
EntityKey = PodUid | PodGroupKey


@dataclass(slots=True, eq=False)
class PodRecord:
    """One pod, kept after it is gone.

    Attributes:
        controller: kind and name of its controller, or empty texts.
        group: the PodGroup it names, or ``None``.
        state: ``bound`` until its containers run.
        node: where it is or last was bound.
        detail: why it ended or was evicted.
    """

    uid: PodUid
    namespace: str
    name: str
    controller: tuple[str, str]
    group: PodGroupKey | None
    scheduler_name: str
    created: float
    gates: tuple[str, ...] = ()
    node: str = ""
    state: PodState = "pending"
    detail: str = ""
    restarts: int = 0

    @property
    def is_live(self) -> bool:
        """Whether it has neither ended nor been told to go."""
        return self.state == "pending" or self.holds_node

    @property
    def holds_node(self) -> bool:
        """Whether it is on a node and has not ended."""
        return self.state in ("bound", "running")


@dataclass(slots=True, eq=False)
class GroupRecord:
    """One PodGroup.

    Attributes:
        job: the name of the Job that controls it, or empty.
        min_count: the gang's minimum, ``None`` for a basic group.
        topology_key: the label whose value all members must share, or empty.
    """

    key: PodGroupKey
    job: str
    min_count: int | None = None
    topology_key: str = ""
    exists: bool = True


@dataclass(slots=True, eq=False)
class JobRecord:
    """One Job.

    Attributes:
        wanted: pods that should exist at a time, for what is left to do.
        active: pods that the controller counts as living.
        deadline: when it fails for having run too long, seconds since the epoch.
        problem: the controller's last complaint about it.
    """

    namespace: str
    name: str
    wanted: int = 0
    active: int = 0
    state: JobState = "active"
    detail: str = ""
    deadline: float | None = None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Happening:
    """One thing that happened, in the order in which it did.

    Attributes:
        detail: why, or for a Job that was created how many pods it wants.
    """

    at: float
    what: Happened
    subject: PodRecord | JobRecord | GroupRecord
    detail: str = ""
    diagnosis: Diagnosis | None = None
