"""Pods: their first status, and what ``/status`` may not touch."""

from __future__ import annotations

from kubegang.api.warnings.pods import annotation_warnings
from kubegang.apimachinery.objects import JsonObject
from kubegang.apiserver.strategies.apparmor import annotations_to_fields
from kubegang.apiserver.strategies.labelkeys import merge_label_keys
from kubegang.apiserver.strategies.qos import qos_class
from kubegang.apiserver.strategies.rules import KindRules

_GATED = "Scheduling is blocked due to non-empty scheduling gates"


def prepare_create(pod: JsonObject, now: str) -> None:
    """Write the status with which a pod begins."""
    status: JsonObject = {"phase": "Pending"}
    if pod.get("spec", {}).get("schedulingGates"):
        status["conditions"] = [
            {
                "type": "PodScheduled",
                "status": "False",
                "lastProbeTime": None,
                "lastTransitionTime": now,
                "reason": "SchedulingGated",
                "message": _GATED,
            }
        ]
    status["qosClass"] = qos_class(pod)
    pod["status"] = status


def prepare_status_update(new: JsonObject, old: JsonObject) -> None:
    """Keep owners and, unless given, the class: both are settled at creation."""
    metadata, old_metadata = new["metadata"], old["metadata"]
    metadata.pop("ownerReferences", None)
    if "ownerReferences" in old_metadata:
        metadata["ownerReferences"] = old_metadata["ownerReferences"]
    status = new.get("status")
    old_class = (old.get("status") or {}).get("qosClass")
    if status is not None and not status.get("qosClass") and old_class:
        status["qosClass"] = old_class


def complete_create(pod: JsonObject) -> None:
    """Finish what the pod says by labels and annotations."""
    merge_label_keys(pod)
    annotations_to_fields(pod)


PODS = KindRules(
    early_warnings=annotation_warnings,
    prepare_create=prepare_create,
    complete_create=complete_create,
    prepare_status_update=prepare_status_update,
)
