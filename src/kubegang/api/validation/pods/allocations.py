"""What a pod's status says about devices: their health, and what they took from the node.

Pure.
"""

from __future__ import annotations

from collections.abc import Sequence

from kubegang.api.defaults.pod_resources import supports_pod_level
from kubegang.api.validation.checks import Errors, one_of
from kubegang.apimachinery.field import (
    Path,
    duplicate,
    invalid_value,
    required,
    too_long,
)
from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.quantity import Quantity

_CLAIM_PREFIX = "claim:"
_HEALTH = ("Healthy", "Unhealthy", "Unknown")
_MAX_MESSAGE = 1024
_ZERO = Quantity.parse("0")


def validate_allocated_resources(
    status: JsonObject, name: str, containers: Sequence[JsonObject], path: Path
) -> Errors:
    """Check the allocated resources of one list of container statuses (KEP-4680).

    Args:
        status: the pod's status.
        name: the list's name in the status.
        containers: the containers of the spec that the list is about.
        path: where the list stands.
    """
    specs = {container.get("name"): container for container in reversed(containers)}
    for position, item in enumerate(status.get(name) or ()):
        allocated = item.get("allocatedResourcesStatus") or ()
        where = path.index(position).child("allocatedResourcesStatus")
        for number, resource in enumerate(allocated):
            container = specs.get(item.get("name"))
            if container is not None:
                yield from _known(resource, container, status, where.index(number).child("name"))
            yield from _devices(
                resource.get("resources") or (), where.index(number).child("resources")
            )


def validate_node_allocations(status: JsonObject, spec: JsonObject, path: Path) -> Errors:
    """Check what claims took from the node's allocatable resources (KEP-5517)."""
    claims = {
        claim.get("resourceClaimName")
        for claim in (*(spec.get("resourceClaims") or ()), *_made_claims(status))
    }
    member = "nodeAllocatableResourceClaimStatuses"
    for position, item in enumerate(status.get(member) or ()):
        claim_name = item.get("resourceClaimName")
        if not claim_name:
            continue
        where = path.child(member).index(position)
        if claim_name not in claims:
            detail = "no mapping found in pod reference"
            yield invalid_value(where.child("resourceClaimName"), claim_name, detail)
        for number, mapped in enumerate(item.get("mapping") or ()):
            yield from _amounts(mapped, where.child("mapping").index(number), ("quantity",))
        for number, overhead in enumerate(item.get("overhead") or ()):
            yield from _overhead(overhead, where.child("overhead").index(number))


def _made_claims(status: JsonObject) -> Sequence[JsonObject]:
    return status.get("resourceClaimStatuses") or ()


def _known(resource: JsonObject, container: JsonObject, status: JsonObject, path: Path) -> Errors:
    """Check that an allocated resource is one that the container asks for."""
    name, resources = resource.get("name") or "", container.get("resources") or {}
    if name.startswith(_CLAIM_PREFIX):
        claims = (_claim_text(claim) for claim in resources.get("claims") or ())
        if name in claims or _is_extended_claim(name, container, status):
            return
        detail = (
            "must match one of the container's resource claims as "
            "'claim:<claimName>/<requestName>' when container.resources.claims[*].request is "
            "set or 'claim:<claimName>' when it is empty"
        )
    elif name in (resources.get("requests") or {}):
        return
    else:
        detail = "must match one of the container's resource requests"
    yield invalid_value(path, name, detail)


def _claim_text(claim: JsonObject) -> str:
    name, request = claim.get("name") or "", claim.get("request") or ""
    return f"{_CLAIM_PREFIX}{name}/{request}" if request else f"{_CLAIM_PREFIX}{name}"


def _is_extended_claim(name: str, container: JsonObject, status: JsonObject) -> bool:
    """Return whether a claim was made for extended resources that the container requests."""
    extended = status.get("extendedResourceClaimStatus") or {}
    claim, _, request = name.removeprefix(_CLAIM_PREFIX).partition("/")
    if not request or claim != extended.get("resourceClaimName"):
        return False
    requests = (container.get("resources") or {}).get("requests") or {}
    return any(
        Quantity.parse(requests.get(mapping.get("resourceName"), 0)) != _ZERO
        for mapping in extended.get("requestMappings") or ()
        if mapping.get("containerName") == container.get("name")
        and mapping.get("requestName") == request
    )


def _devices(devices: Sequence[JsonObject], path: Path) -> Errors:
    seen = set()
    for position, device in enumerate(devices):
        item = path.index(position)
        yield from one_of(item.child("health"), device.get("health") or "", _HEALTH)
        message = device.get("message")
        if message == "":
            yield required(item.child("message"), "must be non-empty if specified")
        elif len((message or "").encode()) > _MAX_MESSAGE:
            yield too_long(item.child("message"), _MAX_MESSAGE)
        identifier = device.get("resourceID") or ""
        if identifier in seen:
            yield duplicate(item.child("resourceID"), identifier)
        seen.add(identifier)


def _overhead(overhead: JsonObject, path: Path) -> Errors:
    yield from _amounts(overhead, path, ("perPod", "perContainer"))
    if overhead.get("perPod") is None and overhead.get("perContainer") is None:
        detail = "at least one of perPod or perContainer must be set"
        yield invalid_value(path, "", detail)


def _amounts(item: JsonObject, path: Path, members: Sequence[str]) -> Errors:
    name = item.get("name") or ""
    if not supports_pod_level(name):
        yield invalid_value(path.child("name"), name, "must be a node allocatable resource name")
    for member in members:
        if (text := item.get(member)) is not None and Quantity.parse(text) < _ZERO:
            shown = Quantity.parse(text).canonical()
            yield invalid_value(path.child(member), shown, "must be non-negative")
