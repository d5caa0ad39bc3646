"""The begin of an attempt at a pod with claims: looked up, and refused if hopeless. Pure."""

from __future__ import annotations

from kubegang.api.resource.types import AllocationResult, DeviceRequest, ResourceClaim
from kubegang.api.scheduling_rules import ResourceClaimRules
from kubegang.scheduler.framework.cluster import ClusterView
from kubegang.scheduler.framework.devices import ClaimReference
from kubegang.scheduler.framework.extendedresources import needs_devices
from kubegang.scheduler.framework.pods import PodInfo
from kubegang.scheduler.framework.status import SKIP, SUCCESS, Status, failure, unresolvable
from kubegang.scheduler.plugins.dynamicresources.claims import (
    ClaimProblemError,
    NamedClaim,
    claims_of,
    consumer_of,
)
from kubegang.scheduler.plugins.dynamicresources.extended import own_claim
from kubegang.scheduler.plugins.dynamicresources.notes import GroupNotes, PodNotes
from kubegang.scheduler.plugins.dynamicresources.requests import claim_name
from kubegang.scheduler.plugins.dynamicresources.settings import Settings


def begin(
    notes: PodNotes,
    pod: PodInfo,
    *,
    cluster: ClusterView,
    group: GroupNotes | None,
    settings: Settings,
    rules: ResourceClaimRules,
) -> Status:
    """Fill in the notes of an attempt, which stay empty if the pod is refused."""
    try:
        named = claims_of(pod, cluster.devices.claim, with_groups=settings.group_claims)
    except ClaimProblemError as problem:
        return unresolvable(str(problem))
    extended = settings.extended and needs_devices(pod.extended_requests, cluster.devices)
    if not named and not extended:
        return SKIP
    for position, (_, claim) in enumerate(named):
        if claim.status.allocation is not None:
            continue
        shared = _promised_to_siblings(claim, cluster, group if rules.siblings_share else None)
        if shared is not None:
            notes.shared[position] = shared
            continue
        status = _can_be_allocated(claim, cluster, settings)
        if not status.is_success:
            return status
    _fill_in(notes, pod, named, cluster=cluster, settings=settings)
    if extended:
        notes.extended = len(notes.claims)
        notes.claims += (own_claim(pod, cluster.devices),)
        notes.consumers += (consumer_of(pod, ClaimReference(""), None),)
    return SUCCESS


def _fill_in(
    notes: PodNotes,
    pod: PodInfo,
    named: tuple[NamedClaim, ...],
    *,
    cluster: ClusterView,
    settings: Settings,
) -> None:
    with_group = settings.group_claims and pod.pod_group is not None
    group = cluster.pod_group(pod.pod_group) if with_group and pod.pod_group else None
    notes.claims = tuple(claim for _, claim in named)
    notes.consumers = tuple(consumer_of(pod, reference, group) for reference, _ in named)


def _promised_to_siblings(
    claim: ResourceClaim, cluster: ClusterView, group: GroupNotes | None
) -> AllocationResult | None:
    if group is None or claim.metadata.uid not in group.pending:
        return None
    return cluster.devices.promised(claim.metadata.uid)


def _can_be_allocated(claim: ResourceClaim, cluster: ClusterView, settings: Settings) -> Status:
    name = claim_name(claim)
    if cluster.devices.promised(claim.metadata.uid) is not None:
        return unresolvable(f"resource claim {name} is in the process of being allocated")
    for request in claim.spec.devices.requests:
        status = _can_be_fulfilled(request, name, cluster, settings)
        if not status.is_success:
            return status
    return SUCCESS


def _can_be_fulfilled(
    request: DeviceRequest, claim: str, cluster: ClusterView, settings: Settings
) -> Status:
    if request.exactly is not None:
        return _class_exists(request.exactly.device_class_name, request.name, cluster)
    where = f"resource claim {claim}, request {request.name}"
    if not request.first_available:
        return unresolvable(f"{where}: unknown request type")
    if not settings.features.prioritized_list:
        return unresolvable(
            f"{where}: has subrequests, but the DRAPrioritizedList feature is disabled"
        )
    for alternative in request.first_available:
        name = f"{request.name}/{alternative.name}"
        status = _class_exists(alternative.device_class_name, name, cluster)
        if not status.is_success:
            return status
    return SUCCESS


def _class_exists(device_class: str, request: str, cluster: ClusterView) -> Status:
    if not device_class:
        return failure(f"request {request}: unsupported request type")
    if device_class not in cluster.devices.classes:
        return unresolvable(f"request {request}: device class {device_class} does not exist")
    return SUCCESS
