"""Which claims a pod means, and for whom they are reserved. Pure.

A pod's entry that names the same claim or template as an entry of the same name in its pod
group is the group's: the claim is reserved for the group (KEP-5729).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from kubegang.api.resource.types import ClaimConsumer, ResourceClaim
from kubegang.scheduler.framework.devices import ClaimReference
from kubegang.scheduler.framework.pods import PodGroupInfo, PodInfo

_SCHEDULING: Final = "scheduling.k8s.io"
_POD_GROUPS: Final = "podgroups"

FindClaim = Callable[[str, str], ResourceClaim | None]
"""Returns a claim by namespace and name."""


class ClaimProblemError(Exception):
    """Why a pod cannot have its claims yet; the text is upstream's."""


class NamedClaim(NamedTuple):
    """A claim, and the entry of the pod that means it."""

    reference: ClaimReference
    claim: ResourceClaim


def claims_of(pod: PodInfo, find: FindClaim, *, with_groups: bool) -> tuple[NamedClaim, ...]:
    """Return the claims that a pod needs, in its order.

    Args:
        pod: names them.
        find: the claims there are.
        with_groups: whether claims may have been made for the pod's group.

    Raises:
        ClaimProblemError: one is missing, is going, or was made for somebody else.
    """
    found: list[NamedClaim] = []
    for reference in pod.device_claims:
        name = _name(pod, reference)
        if name is None:
            continue
        claim = find(pod.namespace, name)
        if claim is None:
            raise ClaimProblemError(f'could not find ResourceClaim "{pod.namespace}/{name}"')
        if claim.metadata.deletion_timestamp is not None:
            raise ClaimProblemError(f'resourceclaim "{name}" is being deleted')
        if reference.claim is None:
            _require_owner(pod, claim, with_groups=with_groups)
        found.append(NamedClaim(reference, claim))
    return tuple(found)


def _name(pod: PodInfo, reference: ClaimReference) -> str | None:
    if reference.claim is None and not reference.is_generated:
        raise ClaimProblemError(f'pod "{pod.key}": ResourceClaim not created yet')
    return reference.claim_name


def _require_owner(pod: PodInfo, claim: ResourceClaim, *, with_groups: bool) -> None:
    owner = claim.metadata.controller
    if owner is not None and owner.uid == pod.uid:
        return
    said = "Pod is not owner"
    if with_groups and pod.pod_group is not None:
        group = pod.pod_group.name
        if (
            owner is not None
            and owner.name == group
            and owner.kind == "PodGroup"
            and owner.api_version.startswith(f"{_SCHEDULING}/")
        ):
            return
        said = f"neither Pod nor PodGroup {group} is the owner"
    name = f"{claim.metadata.namespace}/{claim.metadata.name}"
    raise ClaimProblemError(f"ResourceClaim {name} was not created for Pod {pod.key} ({said})")


def consumer_of(
    pod: PodInfo, reference: ClaimReference, group: PodGroupInfo | None
) -> ClaimConsumer:
    """Return for whom a claim is reserved: the pod, or its group if the entry is the group's."""
    same = (reference.name, reference.claim, reference.template)
    if group is not None and any(
        (c.name, c.claim, c.template) == same for c in group.device_claims
    ):
        return ClaimConsumer(_SCHEDULING, _POD_GROUPS, group.key.name, group.uid)
    return ClaimConsumer(resource="pods", name=pod.name, uid=pod.uid)


def is_reserved_for(pod: PodInfo, claim: ResourceClaim, *, with_groups: bool) -> bool:
    """Return whether a pod may use a claim, by itself or as a member of its group."""
    group = pod.pod_group.name if with_groups and pod.pod_group is not None else ""
    return any(
        consumer.uid == pod.uid
        or (
            group != ""
            and (consumer.api_group, consumer.resource, consumer.name)
            == (_SCHEDULING, _POD_GROUPS, group)
        )
        for consumer in claim.status.reserved_for
    )
