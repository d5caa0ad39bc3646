"""Which devices claims are given on a node. Pure."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from kubegang.api.resource.types import AllocationResult, DeviceClass, ResourceClaim
from kubegang.scheduler.framework.devices import Allocated
from kubegang.scheduler.framework.nodes import NodeInfo
from kubegang.scheduler.plugins.dynamicresources.capacity import has_room
from kubegang.scheduler.plugins.dynamicresources.matching import Matcher
from kubegang.scheduler.plugins.dynamicresources.pools import (
    Candidate,
    Pool,
    PublishedDevices,
    gather_pools,
)
from kubegang.scheduler.plugins.dynamicresources.requests import (
    ALL,
    MAX_DEVICES,
    AllocationError,
    AllocationRules,
    DeviceFeatures,
    NodeAllocationError,
    Requests,
    Wanted,
    claim_name,
)
from kubegang.scheduler.plugins.dynamicresources.search import Plan, Search, share_of


def allocate(
    claims: Sequence[ResourceClaim],
    *,
    node: NodeInfo,
    published: PublishedDevices,
    classes: Mapping[str, DeviceClass],
    allocated: Allocated,
    features: DeviceFeatures,
    rules: AllocationRules,
    new_share_id: Callable[[], str],
    most_steps: float = math.inf,
) -> tuple[AllocationResult, ...] | None:
    """Return the allocation of each claim on a node; ``None`` if there is none.

    Args:
        claims: claims that are not allocated yet.
        node: the node that is tried.
        published: all slices; those of other nodes tell whether pools are complete.
        classes: device classes by name.
        allocated: what other claims hold.
        features: the gates.
        rules: what the release does in its own way.
        new_share_id: gives a name to a share of a device, unique in the cluster.
        most_steps: so many devices are looked at, over and over again.

    Raises:
        SearchLimitError: more would have to be looked at.
        NodeAllocationError: it failed, and pools of this node are invalid.
        AllocationError: it would fail on all nodes.
    """
    pools = gather_pools(published, node, partitionable=features.partitionable_devices)
    matcher = Matcher(node, features, rules=rules)
    requests = Requests(classes, features)
    plans = [_plans(claim, requests, pools=pools, matcher=matcher, rules=rules) for claim in claims]
    search = Search(
        claims,
        plans,
        pools=pools,
        matcher=matcher,
        allocated=allocated,
        features=features,
        rules=rules,
        most_steps=most_steps,
    )
    if search.run():
        return search.results(node.name, new_share_id)
    if any(pool.invalid for pool in pools):
        raise NodeAllocationError("invalid resource pools were encountered")
    return None


def _plans(
    claim: ResourceClaim,
    requests: Requests,
    *,
    pools: tuple[Pool, ...],
    matcher: Matcher,
    rules: AllocationRules,
) -> list[tuple[Plan, ...]]:
    """Return the ways to fulfil each request of a claim."""
    who = claim_name(claim)
    plans: list[tuple[Plan, ...]] = []
    total = 0
    for request in claim.spec.devices.requests:
        ways = tuple(
            _plan(claim, wanted, pools=pools, matcher=matcher, features=requests.features)
            for wanted in requests.alternatives(claim, request)
        )
        least = min(way.devices for way in ways)
        if rules.limit_names_the_request and least > MAX_DEVICES - total:
            raise AllocationError(
                f"claim {who}, request {request.name}: adding {least} devices exceeds the "
                f"claim limit of {MAX_DEVICES}, with {total} already accounted for"
            )
        total += least
        plans.append(ways)
    if total > MAX_DEVICES:
        raise AllocationError(
            f"claim {who}: number of requested devices {total} exceeds the claim limit of "
            f"{MAX_DEVICES}"
        )
    return plans


def _plan(
    claim: ResourceClaim,
    wanted: Wanted,
    *,
    pools: tuple[Pool, ...],
    matcher: Matcher,
    features: DeviceFeatures,
) -> Plan:
    if wanted.mode != ALL:
        return Plan(wanted, wanted.devices, ())
    who = claim_name(claim)
    everything: list[Candidate] = []
    for pool in pools:
        if not pool.usable:
            state = "being updated" if pool.incomplete else "invalid"
            raise AllocationError(
                f"claim {who}, request {wanted.name}: asks for all devices, but resource pool "
                f"{pool.id} is currently {state}"
            )
        selected = (c for c in pool.candidates if matcher.selects(who, wanted, c))
        everything += [c for c in selected if _can_give(who, wanted, c, features=features)]
    return Plan(wanted, len(everything), tuple(everything))


def _can_give(
    claim: str, wanted: Wanted, candidate: Candidate, *, features: DeviceFeatures
) -> bool:
    """Return whether a device has enough capacity while nobody uses it."""
    if not features.consumable_capacity:
        return True
    capacity = candidate.device.capacity
    taken = share_of(claim, wanted, candidate, name=candidate.id.device)
    return taken is not None and has_room(taken, capacity, in_use=Counter())
