"""A pod's status, as kubelets and the scheduler write it.

Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kubegang.api.validation.checks import Errors, between, matching, unchanged, unix_id
from kubegang.api.validation.dualstack import one_of_each_family, unreadable
from kubegang.api.validation.formats import ip_address
from kubegang.api.validation.internal_form import internal_form, invalid_form
from kubegang.api.validation.pods.allocations import (
    validate_allocated_resources,
    validate_node_allocations,
)
from kubegang.apimachinery.field import (
    Path,
    duplicate,
    forbidden_field,
    invalid_value,
    required,
)
from kubegang.apimachinery.names import (
    is_dns1123_label,
    is_dns1123_subdomain,
    is_qualified_name,
)
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.feature_gates import FeatureGates

_STATUS = Path("status")
_MAX_UINT32 = 2**32 - 1
_UNREADABLE = "failed to check for dual stack with error:invalid IP[{position}]: {text}"

_SYSTEM_CONDITIONS = ("PodScheduled", "Ready", "Initialized")

# The lists of container statuses, with the containers of the spec that they are about.
_STATUS_LISTS = (
    ("containerStatuses", "containers"),
    ("initContainerStatuses", "initContainers"),
)


def validate_pod_status(new: JsonObject, old: JsonObject, _gates: FeatureGates) -> Errors:
    """Check a changed status."""
    status, old_status = new.get("status") or {}, old.get("status") or {}
    spec, old_spec = new.get("spec") or {}, old.get("spec") or {}
    yield from _conditions(status.get("conditions") or ())
    if (spec.get("nodeName") or "") != (old_spec.get("nodeName") or ""):
        yield forbidden_field(_STATUS.child("nodeName"), "may not be changed directly")
    yield from _nominated_node(status, old_status, old_spec)
    if (generation := status.get("observedGeneration") or 0) < 0:
        detail = "must be a non-negative integer"
        yield invalid_value(_STATUS.child("observedGeneration"), generation, detail)
    yield from unchanged(
        _STATUS.child("qosClass"), status.get("qosClass") or "", old_status.get("qosClass") or ""
    )
    yield from _transitions(status, old_status, old_spec)
    yield from _claim_statuses(status, spec)
    if (extended := status.get("extendedResourceClaimStatus")) is not None:
        yield from _extended_claim(extended, spec)
    yield from validate_node_allocations(status, spec, _STATUS)
    yield from _addresses(status, old_status)
    yield from _container_statuses(status, spec)


def _conditions(conditions: Sequence[JsonObject]) -> Errors:
    for position, condition in enumerate(conditions):
        item = _STATUS.child("conditions").index(position)
        if (generation := condition.get("observedGeneration") or 0) < 0:
            detail = "must be a non-negative integer"
            yield invalid_value(item.child("observedGeneration"), generation, detail)
        condition_type = condition.get("type") or ""
        if condition_type not in _SYSTEM_CONDITIONS:
            yield from matching(item.child("Type"), condition_type, is_qualified_name)


def _nominated_node(status: JsonObject, old_status: JsonObject, old_spec: JsonObject) -> Errors:
    path, name = _STATUS.child("nominatedNodeName"), status.get("nominatedNodeName") or ""
    if not name or name == (old_status.get("nominatedNodeName") or ""):
        return
    yield from matching(path, name, is_dns1123_subdomain)
    if old_spec.get("nodeName"):
        yield forbidden_field(path, "may not be set on pods that are already bound to a node")


def _transitions(status: JsonObject, old_status: JsonObject, spec: JsonObject) -> Errors:
    """Check that no container that may not restart comes back from the dead."""
    if not _any_rule(spec, "RestartAllContainers"):
        for statuses, containers in _STATUS_LISTS:
            specs = {container.get("name"): container for container in spec.get(containers) or ()}
            yield from _revived(status, old_status, statuses, spec, specs)
    yield from _revived(status, old_status, "ephemeralContainerStatuses", spec, None)


def _revived(
    status: JsonObject,
    old_status: JsonObject,
    name: str,
    spec: JsonObject,
    containers: dict[Any, JsonObject] | None,
) -> Errors:
    """Yield the terminated containers that run again; ``containers`` None never may."""
    now = {item.get("name"): item for item in reversed(status.get(name) or ())}
    for position, old in enumerate(old_status.get(name) or ()):
        terminated = (old.get("state") or {}).get("terminated")
        new = now.get(old.get("name"))
        if terminated is None or new is None:
            continue
        if (new.get("state") or {}).get("terminated") is not None:
            continue
        container = (containers or {}).get(old.get("name"))
        if container is None or not _may_restart(container, spec, terminated):
            detail = "may not be transitioned to non-terminated state"
            yield forbidden_field(_STATUS.child(name).index(position).child("state"), detail)


def _may_restart(container: JsonObject, spec: JsonObject, terminated: JsonObject) -> bool:
    exit_code = terminated.get("exitCode") or 0
    for rule in container.get("restartPolicyRules") or ():
        codes = rule.get("exitCodes") or {}
        listed = exit_code in (codes.get("values") or ())
        applies = listed if codes.get("operator") == "In" else not listed
        if codes and applies:
            return bool(rule.get("action") == "Restart")
    policy = container.get("restartPolicy") or spec.get("restartPolicy")
    return policy == "Always" or (policy == "OnFailure" and exit_code != 0)


def _any_rule(spec: JsonObject, action: str) -> bool:
    return any(
        rule.get("action") == action
        for name in ("containers", "initContainers")
        for container in spec.get(name) or ()
        for rule in container.get("restartPolicyRules") or ()
    )


def _claim_statuses(status: JsonObject, spec: JsonObject) -> Errors:
    names = {claim.get("name") for claim in spec.get("resourceClaims") or ()}
    seen = set()
    for position, claim in enumerate(status.get("resourceClaimStatuses") or ()):
        item = _STATUS.child("resourceClaimStatuses").index(position)
        name = claim.get("name") or ""
        if name not in names:
            detail = "must match the name of an entry in `spec.resourceClaims`"
            yield invalid_value(item.child("name"), name, detail)
        if name in seen:
            yield duplicate(item.child("name"), name)
        seen.add(name)
        if (claim_name := claim.get("resourceClaimName")) is not None:
            where = item.child("resourceClaimName")
            yield from matching(where, claim_name, is_dns1123_subdomain)


def _extended_claim(extended: JsonObject, spec: JsonObject) -> Errors:
    path = _STATUS.child("extendedResourceClaimStatus")
    mappings = extended.get("requestMappings") or ()
    if not mappings:
        detail = "at least one request mapping is required"
        yield required(path.child("requestMappings"), detail)
    seen = set()
    for position, mapping in enumerate(mappings):
        item = path.child("requestMappings").index(position)
        yield from _mapping(mapping, item, spec)
        request = mapping.get("requestName") or ""
        yield from matching(path.child("requestName"), request, is_dns1123_label)
        members = ("containerName", "resourceName", "requestName")
        key = tuple(mapping.get(member) or "" for member in members)
        if key in seen:
            for member, value in zip(members, key, strict=True):
                yield duplicate(item.child(member), value)
        seen.add(key)
    if name := extended.get("resourceClaimName"):
        yield from matching(path.child("resourceClaimName"), name, is_dns1123_subdomain)
    else:
        yield required(path.child("resourceClaimName"))


def _mapping(mapping: JsonObject, path: Path, spec: JsonObject) -> Errors:
    name, resource = mapping.get("containerName") or "", mapping.get("resourceName") or ""
    containers = {
        container.get("name"): container
        for member in ("initContainers", "containers")
        for container in spec.get(member) or ()
    }
    if name not in containers:
        detail = (
            "must match the name of an entry in spec.initContainers.name or spec.containers.name"
        )
        yield invalid_value(path.child("containerName"), name, detail)
    elif resource not in ((containers[name].get("resources") or {}).get("requests") or {}):
        detail = (
            "must match the extended resource name of an entry in "
            "spec.initContainers.resources.requests or spec.containers.resources.requests"
        )
        yield invalid_value(path.child("resourceName"), resource, detail)


def _addresses(status: JsonObject, old_status: JsonObject) -> Errors:
    pod_ips, path = status.get("podIPs") or [], _STATUS.child("podIPs")
    yield from _ip_list(pod_ips, old_status.get("podIPs") or (), path, kind="[PodIP]")
    single = status.get("podIP") or ""
    if bool(single) != bool(pod_ips):
        detail = "podIP and podIPs must either both be set or both be unset"
        yield invalid_form(path, "[PodIP]", pod_ips, detail)
    elif pod_ips and pod_ips[0].get("ip") != single:
        first = pod_ips[0].get("ip") or ""
        yield invalid_value(path.index(0).child("ip"), first, "must be equal to `podIP`")
    host_ips, path = status.get("hostIPs") or [], _STATUS.child("hostIPs")
    if host_ips and host_ips[0].get("ip") != (status.get("hostIP") or ""):
        first = host_ips[0].get("ip") or ""
        yield invalid_value(path.index(0).child("ip"), first, "must be equal to `hostIP`")
    yield from _ip_list(host_ips, old_status.get("hostIPs") or (), path, kind="[HostIP]")


def _ip_list(
    addresses: Sequence[JsonObject], old: Sequence[JsonObject], path: Path, *, kind: str
) -> Errors:
    known = {address.get("ip") for address in old}
    for position, address in enumerate(addresses):
        text = address.get("ip") or ""
        if text not in known:
            yield from matching(path.index(position), text, ip_address)
    texts = [address.get("ip") or "" for address in addresses]
    yield from unreadable(path, texts, _UNREADABLE)
    shown = internal_form(kind, addresses)
    yield from one_of_each_family(path, texts, noun="IP", shown=shown)


def _container_statuses(status: JsonObject, spec: JsonObject) -> Errors:
    os = (spec.get("os") or {}).get("name") or "linux"
    for name in ("containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"):
        for position, item in enumerate(status.get(name) or ()):
            if (user := item.get("user")) is not None:
                where = _STATUS.child(name).index(position).child("user", "linux")
                yield from _user(user.get("linux"), where, os)
    for name, containers in _STATUS_LISTS:
        yield from validate_allocated_resources(
            status, name, spec.get(containers) or (), _STATUS.child(name)
        )
    for position, item in enumerate(status.get("ephemeralContainerStatuses") or ()):
        if item.get("allocatedResourcesStatus"):
            where = _STATUS.child("ephemeralContainerStatuses").index(position)
            detail = "must not be specified in container status"
            yield forbidden_field(where.child("allocatedResourcesStatus"), detail)


def _user(user: JsonObject | None, path: Path, os: str) -> Errors:
    if user is None:
        return
    if os == "windows":
        yield forbidden_field(path, "cannot be set for a windows pod")
        return
    yield from between(path.child("uid"), user.get("uid") or 0, low=0, high=_MAX_UINT32)
    yield from unix_id(path.child("gid"), user.get("gid") or 0)
    for position, group in enumerate(user.get("supplementalGroups") or ()):
        yield from unix_id(path.child("supplementalGroups").index(position), group)
