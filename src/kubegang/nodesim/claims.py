"""Whether a kubelet lets a pod use its devices. Pure.

It asks for every claim of the pod before it makes the pod's sandbox. A pod that may not use
one stays Pending and is tried again; the texts are the kubelet's
(FailedPrepareDynamicResources). Drivers are there on every simulated node.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from kubegang.nodesim.forms import PodClaim, SimulatedClaim, SimulatedPod

SCHEDULING_GROUP = "scheduling.k8s.io"

Lookup = Callable[[str], SimulatedClaim | None]


class RefusedError(Exception):
    """The pod may not use a claim; the text says why."""


def has_claims(pod: SimulatedPod) -> bool:
    """Return whether a pod uses devices at all."""
    extended = pod.status.extended_resource_claim_status
    return bool(pod.spec.resource_claims) or bool(extended and extended.resource_claim_name)


def claim_names(pod: SimulatedPod) -> set[str]:
    """Return the names of a pod's claims, of those that are made as far as its status says."""
    made = {status.resource_claim_name for status in pod.status.resource_claim_statuses}
    named = {entry.resource_claim_name for entry in pod.spec.resource_claims}
    extended = pod.status.extended_resource_claim_status
    own = {extended.resource_claim_name} if extended is not None else set()
    return {name for name in made | named | own if name}


def index_by_claim(pod: SimulatedPod) -> list[str]:
    """Return the index keys of a bound pod: namespace and name of each of its claims."""
    if not pod.spec.node_name:
        return []
    return [f"{pod.metadata.namespace}/{name}" for name in sorted(claim_names(pod))]


def refusal(pod: SimulatedPod, find: Lookup, *, group_claims: bool) -> str:
    """Return why a pod may not start, or an empty text.

    Args:
        pod: the pod.
        find: returns a claim in the pod's namespace.
        group_claims: the kubelet's gate DRAWorkloadResourceClaims.
    """
    try:
        for name, made in _names(pod):
            if name is None:
                continue
            claim = _found(find, name)
            if made:
                _check_owner(pod, claim, group_claims=group_claims)
            _check_use(pod, claim, group_claims=group_claims)
    except RefusedError as error:
        return f"Failed to prepare dynamic resources: prepare dynamic resources: {error}"
    return ""


def _names(pod: SimulatedPod) -> Iterator[tuple[str | None, bool]]:
    """Yield the name of each claim, and whether it was made for the pod or its group.

    Raises:
        RefusedError: a claim is not made yet.
    """
    for entry in pod.spec.resource_claims:
        yield _name(pod, entry)
    extended = pod.status.extended_resource_claim_status
    if extended is not None and extended.resource_claim_name:
        yield extended.resource_claim_name, False


def _name(pod: SimulatedPod, entry: PodClaim) -> tuple[str | None, bool]:
    if entry.resource_claim_name is not None:
        return entry.resource_claim_name, False
    for status in pod.status.resource_claim_statuses:
        if status.name == entry.name:
            return status.resource_claim_name, True
    raise RefusedError(f'pod "{_full(pod)}": ResourceClaim not created yet')


def _found(find: Lookup, name: str) -> SimulatedClaim:
    claim = find(name)
    if claim is None:
        missing = f'resourceclaims.resource.k8s.io "{name}" not found'
        raise RefusedError(f"fetch ResourceClaim {name}: {missing}")
    return claim


def _check_owner(pod: SimulatedPod, claim: SimulatedClaim, *, group_claims: bool) -> None:
    owner = claim.metadata.controller
    if owner is not None and owner.uid == pod.metadata.uid:
        return
    group = pod.group_name if group_claims else ""
    # The pod does not know its group's uid; any version of the group will do.
    if (
        group
        and owner is not None
        and (owner.kind, owner.name) == ("PodGroup", group)
        and owner.api_version.startswith(f"{SCHEDULING_GROUP}/")
    ):
        return
    who = f"neither Pod nor PodGroup {group} is the owner" if group else "Pod is not owner"
    name = f"{claim.metadata.namespace}/{claim.metadata.name}"
    raise RefusedError(f"ResourceClaim {name} was not created for Pod {_full(pod)} ({who})")


def _check_use(pod: SimulatedPod, claim: SimulatedClaim, *, group_claims: bool) -> None:
    group = pod.group_name if group_claims else ""
    allowed = any(
        user.uid == pod.metadata.uid
        or (
            bool(group)
            and (user.api_group, user.resource, user.name) == (SCHEDULING_GROUP, "podgroups", group)
        )
        for user in claim.status.reserved_for
    )
    about, its = pod.metadata, claim.metadata
    if not allowed:
        raise RefusedError(
            f"pod {about.name} ({about.uid}) is not allowed to use "
            f"ResourceClaim {its.name} ({its.uid})"
        )
    if claim.status.allocation is None:
        raise RefusedError(f"ResourceClaim {its.name}: not allocated")


def _full(pod: SimulatedPod) -> str:
    return f"{pod.metadata.namespace}/{pod.metadata.name}"
