"""What an update means for waiting pods, and what upstream's metrics call it. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from kubegang.scheduler.framework.events import Action, ClusterEvent, EventResource
from kubegang.scheduler.framework.nodes import NodeInfo
from kubegang.scheduler.framework.pods import PodGroupInfo, PodInfo

UNSCHEDULED_POD_ADD: Final = ClusterEvent("UnscheduledPod", Action.ADD)
ASSIGNED_POD_ADD: Final = ClusterEvent("AssignedPod", Action.ADD)
ASSIGNED_POD_DELETE: Final = ClusterEvent("AssignedPod", Action.DELETE)
NODE_ADD: Final = ClusterEvent("Node", Action.ADD)
NODE_DELETE: Final = ClusterEvent("Node", Action.DELETE)
POD_GROUP_ADD: Final = ClusterEvent("PodGroup", Action.ADD)
POD_GROUP_DELETE: Final = ClusterEvent("PodGroup", Action.DELETE)
COMPOSITE_ADD: Final = ClusterEvent("CompositePodGroup", Action.ADD)
COMPOSITE_DELETE: Final = ClusterEvent("CompositePodGroup", Action.DELETE)

ATTEMPT_FAILED: Final = "ScheduleAttemptFailure"
BACKOFF_COMPLETE: Final = "BackoffComplete"
POPPED_EARLY: Final = "PopFromBackoffQ"
FORCE_ACTIVATE: Final = "ForceActivate"
WAITED_TOO_LONG: Final = "UnschedulableTimeout"
UNSCHEDULED_POD_UPDATE: Final = "UnscheduledPodUpdate"
UNSCHEDULED_POD_DELETE: Final = "UnscheduledPodDelete"

_ACTION_LABELS: Final = {
    Action.ADD: "Add",
    Action.DELETE: "Delete",
    Action.UPDATE_NODE_ALLOCATABLE: "UpdateNodeAllocatable",
    Action.UPDATE_NODE_LABEL: "UpdateNodeLabel",
    Action.UPDATE_NODE_TAINT: "UpdateNodeTaint",
    Action.UPDATE_NODE_DECLARED_FEATURE: "UpdateNodeDeclaredFeature",
    Action.UPDATE_POD_LABEL: "UpdatePodLabel",
    Action.UPDATE_POD_SCALE_DOWN: "UpdatePodScaleDown",
    Action.UPDATE_POD_GATES: "UpdatePodSchedulingGatesEliminated",
    Action.UPDATE_POD_TOLERATIONS: "UpdatePodToleration",
    Action.UPDATE_POD_GENERATED_CLAIMS: "UpdatePodGeneratedResourceClaim",
}

_GROUPS: Final[Mapping[EventResource, str]] = {
    "PodGroup": "scheduling.k8s.io",
    "CompositePodGroup": "scheduling.k8s.io",
    "StorageClass": "storage.k8s.io",
    "CSINode": "storage.k8s.io",
    "CSIDriver": "storage.k8s.io",
    "CSIStorageCapacity": "storage.k8s.io",
    "VolumeAttachment": "storage.k8s.io",
    "ResourceClaim": "resource.k8s.io",
    "DeviceClass": "resource.k8s.io",
    "ResourceSlice": "resource.k8s.io",
}


@lru_cache(maxsize=256)
def label(event: ClusterEvent) -> str:
    """Return the event's name as upstream's metrics spell it (measured on 1.37.2)."""
    group = _GROUPS.get(event.resource)
    resource = event.resource if group is None else f"{group}/{event.resource}"
    return resource + _ACTION_LABELS.get(event.actions, "Update")


def node_changes(old: NodeInfo, new: NodeInfo) -> Action:
    """Return what changed of a node that may let a pod in; 0 if nothing did."""
    changes = Action(0)
    if old.allocatable != new.allocatable or old.allowed_pods != new.allowed_pods:
        changes |= Action.UPDATE_NODE_ALLOCATABLE
    if old.labels != new.labels:
        changes |= Action.UPDATE_NODE_LABEL
    # Lifting a cordon counts as a change of taints, as it does upstream.
    if old.taints != new.taints or (old.unschedulable and not new.unschedulable):
        changes |= Action.UPDATE_NODE_TAINT
    if old.declared_features != new.declared_features:
        changes |= Action.UPDATE_NODE_DECLARED_FEATURE
    return changes


def pod_changes(old: PodInfo, new: PodInfo) -> Action:
    """Return what changed of a pod; ``UPDATE_OTHER`` if nothing that is told apart."""
    changes = Action(0)
    if old.labels != new.labels:
        changes |= Action.UPDATE_POD_LABEL
    if old.requests is not new.requests and _asks_for_less(old, new):
        changes |= Action.UPDATE_POD_SCALE_DOWN
    if old.scheduling_gates and not new.scheduling_gates:
        changes |= Action.UPDATE_POD_GATES
    if len(old.tolerations) != len(new.tolerations):
        changes |= Action.UPDATE_POD_TOLERATIONS
    if old.device_claims != new.device_claims:
        changes |= Action.UPDATE_POD_GENERATED_CLAIMS
    return changes or Action.UPDATE_OTHER


def pod_group_changes(old: PodGroupInfo, new: PodGroupInfo) -> Action:
    """Return what changed of a pod group."""
    if old.min_count != new.min_count:
        return Action.UPDATE_POD_GROUP_MIN_COUNT
    return Action.UPDATE_OTHER


def _asks_for_less(old: PodInfo, new: PodInfo) -> bool:
    now_asked = dict(new.requests.items)
    return any(now_asked.get(name, 0) < amount for name, amount in old.requests.items)
