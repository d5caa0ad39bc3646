"""Things that happen in the cluster, as plugins register for them.

A pod that a plugin refused is worth another attempt when something happened that this
plugin cares about. The queue matches events against what the refusing plugins registered
and, where there is a hint, asks it about the very objects.
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Literal, NamedTuple

from kubegang.scheduler.framework.devices import DeviceObject
from kubegang.scheduler.framework.nodes import NodeInfo
from kubegang.scheduler.framework.pods import PodGroupInfo, PodInfo
from kubegang.scheduler.framework.storage import StorageObject

EventResource = Literal[
    "Node",
    "AssignedPod",
    "UnscheduledPod",
    "TargetPod",
    "PodGroup",
    "CompositePodGroup",
    "PersistentVolumeClaim",
    "PersistentVolume",
    "StorageClass",
    "CSINode",
    "CSIDriver",
    "CSIStorageCapacity",
    "VolumeAttachment",
    "ResourceClaim",
    "DeviceClass",
    "ResourceSlice",
]
"""``TargetPod`` is the waiting pod itself; the hint is asked about the new form of it."""


class Action(enum.IntFlag):
    """What happened to an object, as finely as plugins tell it apart.

    ``UPDATE_NODE_TAINT`` stands for spec.unschedulable as well, which is a taint in effect.
    """

    ADD = enum.auto()
    DELETE = enum.auto()
    UPDATE_NODE_ALLOCATABLE = enum.auto()
    UPDATE_NODE_LABEL = enum.auto()
    UPDATE_NODE_TAINT = enum.auto()
    UPDATE_NODE_DECLARED_FEATURE = enum.auto()
    UPDATE_POD_LABEL = enum.auto()
    UPDATE_POD_SCALE_DOWN = enum.auto()
    UPDATE_POD_GATES = enum.auto()
    UPDATE_POD_TOLERATIONS = enum.auto()
    UPDATE_POD_GENERATED_CLAIMS = enum.auto()
    UPDATE_POD_GROUP_MIN_COUNT = enum.auto()
    UPDATE_OTHER = enum.auto()


class ClusterEvent(NamedTuple):
    """One happening, or a set of them when a plugin registers."""

    resource: EventResource
    actions: Action

    def matches(self, happened: ClusterEvent) -> bool:
        """Return whether ``happened`` is among what this registration is for."""
        return self.resource == happened.resource and bool(self.actions & happened.actions)


ClusterObject = NodeInfo | PodInfo | PodGroupInfo | StorageObject | DeviceObject

QueueingHint = Callable[[PodInfo, ClusterObject | None, ClusterObject | None], bool]
"""(waiting pod, old, new) → whether another attempt is worth it now."""


class HintRegistration(NamedTuple):
    """An event that may cure a plugin's refusal, and the question that narrows it.

    ``is_schedulable_after`` is ``None`` where every such event is worth an attempt.
    """

    event: ClusterEvent
    is_schedulable_after: QueueingHint | None = None
