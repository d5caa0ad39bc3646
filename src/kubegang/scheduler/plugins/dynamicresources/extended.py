"""Extended resources that devices stand behind: the claim that a pod needs for them. Pure.

Such a pod names no claim. While it is tried it has one in mind, which asks on each node for
what that node does not have by itself; only when the pod is bound is it made (KEP-5004).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Final, NamedTuple

import msgspec

from kubegang.api.meta import ObjectMeta, OwnerReference
from kubegang.api.resource.types import (
    DeviceClaim,
    DeviceRequest,
    ExactDeviceRequest,
    ResourceClaim,
    ResourceClaimSpec,
)
from kubegang.scheduler.framework.devices import Devices
from kubegang.scheduler.framework.extendedresources import CLAIM_ANNOTATION, ExtendedRequest
from kubegang.scheduler.framework.pods import PodInfo

_NOT_MADE_YET: Final = "<extended-resources>"
"""Its name while it is only in mind: none that a claim can have."""


class DeviceMapping(NamedTuple):
    """Which request stands for a resource of a container."""

    container: str
    resource: str
    request: str


class NodeClaim(NamedTuple):
    """The claim that a pod needs on one node, and who gets what of it."""

    claim: ResourceClaim
    mappings: tuple[DeviceMapping, ...]


def is_in_mind(claim: ResourceClaim) -> bool:
    """Return whether a claim is not made yet."""
    return claim.metadata.name == _NOT_MADE_YET


def own_claim(pod: PodInfo, devices: Devices) -> ResourceClaim:
    """Return the claim that was made for a pod in an earlier attempt, or one in mind."""
    made = devices.claim_for_resources(pod.uid)
    if made is not None:
        return made
    return ResourceClaim(
        metadata=ObjectMeta(
            namespace=pod.namespace,
            name=_NOT_MADE_YET,
            uid=f"{pod.uid}/extended-resources",
            annotations={CLAIM_ANNOTATION: "true"},
            owner_references=(
                OwnerReference(
                    api_version="v1", kind="Pod", name=pod.name, uid=pod.uid, controller=True
                ),
            ),
        )
    )


def claim_on_node(
    claim: ResourceClaim,
    requests: Sequence[ExtendedRequest],
    *,
    resources: Collection[str],
    devices: Devices,
) -> NodeClaim:
    """Return the claim in mind as it is on a node.

    Args:
        claim: the claim in mind.
        requests: of the pod.
        resources: those for which the node needs devices.
        devices: says which class stands behind a resource.
    """
    asked: list[DeviceRequest] = []
    mappings: list[DeviceMapping] = []
    for resource in sorted(resources):
        behind = devices.class_behind(resource)
        if behind is None:
            continue
        sharing = _Sharing([r for r in requests if r.resource == resource])
        asked += [_request(name, n, behind.metadata.name) for name, n in sharing.counts.items()]
        mappings += sharing.mappings
    asked.sort(key=lambda request: request.name)
    spec = ResourceClaimSpec(devices=DeviceClaim(requests=tuple(asked)))
    return NodeClaim(msgspec.structs.replace(claim, spec=spec), tuple(mappings))


class _Sharing:
    """How the containers of a pod share the devices of one resource.

    Containers that run side by side have their own. One that ends before others start uses
    what those will have, and if that is too little, the devices of one more request, which is
    as large as the greediest of them needs.

    Attributes:
        counts: how many devices each request is for.
        mappings: in upstream's order.
    """

    def __init__(self, requests: Sequence[ExtendedRequest]) -> None:
        lasting = [request for request in requests if not request.is_short]
        short = [request for request in requests if request.is_short]
        self.counts = {_name(request): request.amount for request in lasting}
        self.mappings = [_mapping(request, _name(request)) for request in lasting]
        lacking = {_name(r): n for r in short if (n := _lack(r, lasting)) > 0}
        # Of equals the first.
        greediest = max(lacking, key=lambda name: lacking[name], default="")
        if greediest:
            self.counts[greediest] = lacking[greediest]
        for request in short:
            used = [_name(other) for other in _usable(request, lasting)]
            self.mappings += [_mapping(request, name) for name in used]
            if _name(request) in lacking:
                self.mappings.append(_mapping(request, greediest))


def _usable(
    request: ExtendedRequest, lasting: Sequence[ExtendedRequest]
) -> Iterator[ExtendedRequest]:
    """Yield whose devices a container uses that ends before they start."""
    missing = request.amount
    for other in lasting:
        if other.position >= request.position and missing > 0:
            missing -= other.amount
            yield other


def _lack(request: ExtendedRequest, lasting: Sequence[ExtendedRequest]) -> int:
    return request.amount - sum(other.amount for other in _usable(request, lasting))


def _name(request: ExtendedRequest) -> str:
    return f"container-{request.position}-request-{request.place}"


def _mapping(request: ExtendedRequest, name: str) -> DeviceMapping:
    return DeviceMapping(request.container, request.resource, name)


def _request(name: str, count: int, device_class: str) -> DeviceRequest:
    exactly = ExactDeviceRequest(
        device_class_name=device_class, allocation_mode="ExactCount", count=count
    )
    return DeviceRequest(name=name, exactly=exactly)
