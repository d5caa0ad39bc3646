"""What pods and pod groups say in the same way, as the scheduler reads it. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from kubegang.api.core.types import PodCondition, PodResourceClaim, PodResourceClaimStatus
from kubegang.api.meta import Condition
from kubegang.api.scheduling.types import PodGroupResourceClaim, PodGroupResourceClaimStatus
from kubegang.apimachinery.times import parse_time
from kubegang.scheduler.framework.devices import ClaimReference


def device_claims(
    entries: Sequence[PodResourceClaim | PodGroupResourceClaim],
    statuses: Sequence[PodResourceClaimStatus | PodGroupResourceClaimStatus],
) -> tuple[ClaimReference, ...]:
    """Return the device claims that a pod or a group names, with those made for it."""
    generated = {status.name: status.resource_claim_name for status in statuses}
    return tuple(
        ClaimReference(
            entry.name,
            entry.resource_claim_name,
            entry.resource_claim_template_name,
            generated.get(entry.name),
            entry.name in generated,
        )
        for entry in entries
    )


def preemption_policy(value: str | None) -> Literal["PreemptLowerPriority", "Never"]:
    """Return a preemption policy; the default is to preempt."""
    return "Never" if value == "Never" else "PreemptLowerPriority"


def condition_of(
    conditions: Sequence[Condition | PodCondition], condition_type: str
) -> tuple[str, str, str] | None:
    """Return status, reason and message of a condition, or ``None`` without it."""
    for condition in conditions:
        if condition.type == condition_type:
            return (condition.status, condition.reason, condition.message)
    return None


def seconds(timestamp: str | None) -> float:
    """Return a timestamp in seconds since the epoch; 0 if there is none."""
    return parse_time(timestamp) if timestamp else 0.0
