"""What an overview consists of; shown on the page and in a terminal."""

from __future__ import annotations

from typing import Literal

import msgspec

from kubegang.tools.explaining.report import Subject
from kubegang.tools.workunits import WorkUnit

GangState = Literal[
    "running", "starting", "would-start", "unschedulable", "waiting", "error", "finished"
]
"""``running``: the minimum has nodes and its pods run. ``starting``: it has nodes, and some pod
does not run yet. ``finished``: its Job is. The others are those of an explanation."""


class Gang(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """A group of pods, or a pod that belongs to none.

    Attributes:
        subject: what to ask ``kubegang explain`` about.
        unit: under which name people know it.
        message: why it waits; empty for what runs.
        needed: members without which none starts, 0 for what is no gang.
        exist: members that exist and are not finished.
        scheduled: pods that have a node.
        created: when, seconds since the epoch.
        place: the domain of its topology key, or of the innermost one that it fits into.
    """

    subject: Subject
    unit: WorkUnit
    state: GangState
    message: str = ""
    needed: int = 0
    exist: int = 0
    scheduled: int = 0
    priority: int = 0
    scheduler: str = ""
    created: float = 0.0
    place: str = ""


class Use(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """How much of a resource is taken, as manifests write it, and as a share."""

    resource: str
    used: str
    allocatable: str
    share: float


class NodePod(msgspec.Struct, frozen=True, rename="camel"):
    """A pod on its node.

    Attributes:
        runs: whether its containers were started.
    """

    namespace: str
    name: str
    unit: WorkUnit
    runs: bool


class NodeView(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """A node with what is on it."""

    name: str
    unschedulable: bool
    taints: tuple[str, ...]
    uses: tuple[Use, ...]
    pods: tuple[NodePod, ...]


class Domain(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """One topology domain.

    Attributes:
        path: the value of each key of the overview.
        uses: of all its nodes together.
    """

    path: tuple[str, ...]
    uses: tuple[Use, ...]
    nodes: tuple[NodeView, ...]


class Overview(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """A cluster at one moment.

    Attributes:
        taken: when, seconds since the epoch.
        keys: the labels that make domains, outermost first.
        gangs: those that wait first, in the order of the scheduler's queue.
        unseen: what could not be read, and so is not part of it.
    """

    kubernetes_version: str
    taken: float
    keys: tuple[str, ...]
    domains: tuple[Domain, ...]
    gangs: tuple[Gang, ...]
    unseen: tuple[str, ...] = ()
