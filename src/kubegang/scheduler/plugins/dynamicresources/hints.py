"""Whether a change of a claim or of the pod itself may let a pod in. Pure."""

from __future__ import annotations

from kubegang.api.resource.types import ResourceClaim
from kubegang.scheduler.framework.events import ClusterObject
from kubegang.scheduler.framework.pods import PodInfo


def is_schedulable_after_claim_change(
    pod: PodInfo, old: ClusterObject | None, new: ClusterObject | None
) -> bool:
    """Return whether devices came free, or the status of a claim of the pod changed."""
    before = old if isinstance(old, ResourceClaim) else None
    now = new if isinstance(new, ResourceClaim) else None
    if now is None:
        return before is not None and before.status.allocation is not None
    if not _knows_its_claims(pod):
        return False
    if before is not None and before.status.allocation and now.status.allocation is None:
        return True
    if not _uses(pod, now):
        return False
    return before is None or before.status != now.status


def is_schedulable_after_own_change(
    pod: PodInfo, old: ClusterObject | None, new: ClusterObject | None
) -> bool:
    """Return whether the pod's status says now which claims were made for it."""
    return isinstance(new, PodInfo) and _knows_its_claims(new)


def _knows_its_claims(pod: PodInfo) -> bool:
    return all(c.claim is not None or c.is_generated for c in pod.device_claims)


def _uses(pod: PodInfo, claim: ResourceClaim) -> bool:
    return pod.namespace == claim.metadata.namespace and any(
        reference.claim_name == claim.metadata.name for reference in pod.device_claims
    )
