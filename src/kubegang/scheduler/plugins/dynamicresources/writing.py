"""What the API is told of claims: taken, given back, or free again. Pure.

Every change looks at the claim as it is at that moment, so that nothing is undone that others
wrote meanwhile, and repeating it does no harm.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import msgspec

from kubegang.api.meta import decode
from kubegang.api.resource.types import AllocationResult, ClaimConsumer, ResourceClaim
from kubegang.apimachinery.objects import GroupVersion, JsonObject
from kubegang.apimachinery.times import format_time
from kubegang.scheduler.framework.binding import ApiChange, ApiStep, ApiWrite
from kubegang.scheduler.framework.cluster import ClusterView
from kubegang.scheduler.framework.status import Status, failure
from kubegang.scheduler.plugins.dynamicresources.requests import claim_name

FINALIZER: Final = "resource.kubernetes.io/delete-protection"

VERSION: Final = GroupVersion("resource.k8s.io", "v1")

_Step = Callable[[ResourceClaim, float], ApiStep | Status | None]


def taking(
    claim: ResourceClaim,
    consumer: ClaimConsumer,
    allocation: AllocationResult | None,
    *,
    with_timestamp: bool,
) -> ApiChange:
    """Return how a claim is reserved, and allocated if a promise says what it is given.

    Args:
        claim: as it was when it was decided about.
        consumer: who may use it.
        allocation: what was promised; ``None`` if it is allocated already.
        with_timestamp: whether it is noted when it was allocated.
    """

    def step(now: ResourceClaim, moment: float) -> ApiStep | Status | None:
        name = claim_name(claim)
        if now.metadata.deletion_timestamp is not None:
            return failure(f"claim {name} got deleted in the meantime")
        if any(known.uid == consumer.uid for known in now.status.reserved_for):
            return None
        given = now.status.allocation
        if allocation is None and given is None:
            return failure(f"claim {name} got deallocated elsewhere in the meantime")
        if allocation is not None and given is None and FINALIZER not in now.metadata.finalizers:
            protected = {"finalizers": [*now.metadata.finalizers, FINALIZER]}
            return ApiStep(_patch(now, {}, **protected), f"add finalizer to claim {name}")
        if allocation is not None and given is not None and _ids(given) != _ids(allocation):
            return failure(f"claim {name} got allocated elsewhere in the meantime")
        what = "reservation" if allocation is None else "allocation and reservation"
        reserved = [*now.status.reserved_for, consumer]
        status: JsonObject = {"reservedFor": msgspec.to_builtins(reserved)}
        given = given or allocation
        if given is not None and given.allocation_timestamp is None and with_timestamp:
            given = msgspec.structs.replace(given, allocation_timestamp=format_time(moment))
        if given is not now.status.allocation:
            status["allocation"] = msgspec.to_builtins(given)
        return ApiStep(_patch(now, status), f"add {what} to claim {name}")

    return _change(claim, step, fulfils=allocation is not None)


def giving_back(claim: ResourceClaim, uid: str) -> ApiChange:
    """Return how a claim is reserved no more for one who reserved it."""

    def step(now: ResourceClaim, _: float) -> ApiStep | None:
        left = [known for known in now.status.reserved_for if known.uid != uid]
        if len(left) == len(now.status.reserved_for):
            return None
        status = {"reservedFor": msgspec.to_builtins(left) or None}
        return ApiStep(_patch(now, status), "unreserve")

    return _change(claim, step)


def freeing(claim: ResourceClaim, *uids: str) -> ApiChange:
    """Return how a claim loses its devices, unless others than these reserved it meanwhile."""

    def step(now: ResourceClaim, _: float) -> ApiStep | None:
        if now.status.allocation is None or not is_free_for(now, *uids):
            return None
        status = dict.fromkeys(("allocation", "reservedFor", "devices"))
        return ApiStep(_patch(now, status), "deallocate")

    return _change(claim, step)


def is_free_for(claim: ResourceClaim, *uids: str) -> bool:
    """Return whether a claim is reserved for nobody, or for one of these alone."""
    consumers = claim.status.reserved_for
    return not consumers or (len(consumers) == 1 and consumers[0].uid in uids)


def _ids(allocation: AllocationResult) -> list[tuple[str, str, str, str]]:
    return [(r.request, r.driver, r.pool, r.device) for r in allocation.devices.results]


def _change(claim: ResourceClaim, step: _Step, *, fulfils: bool = False) -> ApiChange:
    meta = claim.metadata

    def known(cluster: ClusterView) -> JsonObject | None:
        newest = cluster.devices.claim(meta.namespace, meta.name)
        plain: JsonObject | None = None if newest is None else msgspec.to_builtins(newest)
        return plain

    def typed_step(obj: JsonObject, moment: float) -> ApiStep | Status | None:
        now = decode(obj, ResourceClaim)
        if now.metadata.uid != meta.uid:
            return failure(f"claim {claim_name(claim)} got deleted in the meantime")
        return step(now, moment)

    def note(cluster: ClusterView, obj: JsonObject) -> None:
        cluster.devices.note(decode(obj, ResourceClaim))

    def done(cluster: ClusterView) -> None:
        if fulfils:
            cluster.devices.fulfil(meta.uid)

    return ApiChange(
        version=VERSION,
        plural="resourceclaims",
        kind="ResourceClaim",
        namespace=meta.namespace,
        name=meta.name,
        step=typed_step,
        known=known,
        note=note,
        done=done,
    )


def _patch(claim: ResourceClaim, status: JsonObject, **metadata: object) -> ApiWrite:
    meta = claim.metadata
    body: JsonObject = {
        "metadata": {"resourceVersion": meta.resource_version, "uid": meta.uid, **metadata}
    }
    if status:
        body["status"] = status
    return ApiWrite(
        verb="patch",
        version=VERSION,
        plural="resourceclaims",
        kind="ResourceClaim",
        namespace=meta.namespace,
        name=meta.name,
        body=body,
        subresource="status" if status else "",
        patch_type="merge",
    )
