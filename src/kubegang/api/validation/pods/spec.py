"""A pod's spec, also in templates: every part checked, in upstream's order.

Parts that a pod does not use are not entered, so that an ordinary pod costs little.

Pure.
"""

from __future__ import annotations

from collections.abc import Sequence

from kubegang.api.validation.checks import (
    Errors,
    between,
    matching,
    required_one_of,
)
from kubegang.api.validation.labels import validate_labels
from kubegang.api.validation.pods.affinity import validate_affinity
from kubegang.api.validation.pods.claims import validate_pod_claims
from kubegang.api.validation.pods.containers import (
    validate_containers,
    validate_ephemeral_containers,
    validate_init_containers,
)
from kubegang.api.validation.pods.context import PodContext, pod_context
from kubegang.api.validation.pods.network import (
    validate_dns_config,
    validate_host_aliases,
    validate_host_ports,
    validate_host_users,
    validate_hostname_override,
    validate_hostnames,
)
from kubegang.api.validation.pods.pod_level import validate_pod_resources
from kubegang.api.validation.pods.resources import validate_overhead
from kubegang.api.validation.pods.security import validate_pod_security
from kubegang.api.validation.pods.spread import validate_spread
from kubegang.api.validation.pods.tolerations import validate_tolerations
from kubegang.api.validation.pods.volumes import validate_volumes
from kubegang.api.validation.pods.walking import containers_with_paths
from kubegang.api.validation.pods.windows import validate_host_process, validate_os
from kubegang.api.validation.scheduling.v1alpha1 import validate_workload_ref
from kubegang.apimachinery.field import (
    Path,
    duplicate,
    forbidden_field,
    invalid_value,
    not_found_field,
    required,
)
from kubegang.apimachinery.names import is_dns1123_subdomain, is_qualified_name
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.feature_gates import FeatureGates

RESTART_POLICIES = ("Always", "OnFailure", "Never")

_DNS_POLICIES = ("ClusterFirstWithHostNet", "ClusterFirst", "Default", "None")
_PREEMPTION_POLICIES = ("PreemptLowerPriority", "Never")
_MAX_INT32 = 2**31 - 1

# Names of other objects, each a DNS subdomain, in the order in which they are checked.
_OBJECT_NAMES = ("serviceAccountName", "nodeName")
_CLASS_NAMES = ("priorityClassName", "runtimeClassName")


def validate_pod_spec(
    spec: JsonObject,
    path: Path,
    gates: FeatureGates,
    *,
    metadata: JsonObject | None = None,
    old_spec: JsonObject | None = None,
) -> Errors:
    """Check a pod spec.

    Args:
        spec: the spec, defaults filled in.
        path: where it stands.
        gates: the API server's gates.
        metadata: the pod's metadata; ``None`` for a template.
        old_spec: the stored spec, if this is an update.
    """
    if spec.get("terminationGracePeriodSeconds") is None:
        yield required(path.child("terminationGracePeriodSeconds"))
    pod_name = (metadata or {}).get("name") or ""
    volumes, volume_errors = validate_volumes(
        spec.get("volumes") or (), path.child("volumes"), pod_name=pod_name
    )
    yield from volume_errors
    context = pod_context(spec, gates, metadata=metadata, old_spec=old_spec, volumes=volumes)
    yield from _containers(spec, path, context)
    yield from validate_host_ports(spec, path, context)
    yield from _policies(spec, path, gates)
    yield from _scheduling(spec, path)
    yield from validate_host_process(spec, path)
    yield from validate_host_users(spec, path, context)
    yield from validate_hostname_override(spec, path)
    yield from _names_and_limits(spec, path, context)
    yield from _groups(spec, path)
    yield from _file_variables(spec, path)


def _policies(spec: JsonObject, path: Path, gates: FeatureGates) -> Errors:
    yield from required_one_of(
        path.child("restartPolicy"), spec.get("restartPolicy"), RESTART_POLICIES
    )
    yield from required_one_of(path.child("dnsPolicy"), spec.get("dnsPolicy"), _DNS_POLICIES)
    yield from validate_labels(spec.get("nodeSelector"), path.child("nodeSelector"))
    yield from validate_pod_security(spec, path.child("securityContext"), gates)
    yield from _shared_processes(spec, path)


def _containers(spec: JsonObject, path: Path, context: PodContext) -> Errors:
    if claims := spec.get("resourceClaims"):
        yield from validate_pod_claims(claims, path.child("resourceClaims"), context)
    containers = spec.get("containers") or ()
    yield from validate_containers(containers, path.child("containers"), context)
    if init_containers := spec.get("initContainers"):
        names = {container.get("name") or "" for container in containers}
        where = path.child("initContainers")
        yield from validate_init_containers(init_containers, where, context, names)
    if spec.get("ephemeralContainers"):
        where = path.child("ephemeralContainers")
        yield from validate_ephemeral_containers(spec, where, context)
    yield from validate_pod_resources(spec, path.child("resources"), context)


def _shared_processes(spec: JsonObject, path: Path) -> Errors:
    if spec.get("shareProcessNamespace") and spec.get("hostPID"):
        detail = "ShareProcessNamespace and HostPID cannot both be enabled"
        yield invalid_value(path.child("shareProcessNamespace"), value=True, detail=detail)


def _scheduling(spec: JsonObject, path: Path) -> Errors:
    if affinity := spec.get("affinity"):
        yield from validate_affinity(affinity, path.child("affinity"))
    yield from validate_dns_config(spec, path.child("dnsConfig"))
    for position, gate in enumerate(spec.get("readinessGates") or ()):
        where = path.child("readinessGates").index(position).child("conditionType")
        yield from matching(where, gate.get("conditionType") or "", is_qualified_name)
    if gates := spec.get("schedulingGates"):
        yield from _scheduling_gates(gates, path.child("schedulingGates"))
    if constraints := spec.get("topologySpreadConstraints"):
        yield from validate_spread(constraints, path.child("topologySpreadConstraints"))


def _scheduling_gates(gates: Sequence[JsonObject], path: Path) -> Errors:
    seen = set()
    for position, gate in enumerate(gates):
        name = gate.get("name") or ""
        yield from matching(path.index(position), name, is_qualified_name)
        if name in seen:
            yield duplicate(path.index(position), name)
        seen.add(name)


def _names_and_limits(spec: JsonObject, path: Path, context: PodContext) -> Errors:
    for name in _OBJECT_NAMES:
        if text := spec.get(name):
            yield from matching(path.child(name), text, is_dns1123_subdomain)
    seconds = spec.get("activeDeadlineSeconds")
    yield from between(path.child("activeDeadlineSeconds"), seconds, low=1, high=_MAX_INT32)
    yield from validate_hostnames(spec, path)
    if tolerations := spec.get("tolerations"):
        yield from validate_tolerations(
            tolerations, path.child("tolerations"), comparing=context.comparing_tolerations
        )
    if aliases := spec.get("hostAliases"):
        yield from validate_host_aliases(aliases, path.child("hostAliases"))
    for name in _CLASS_NAMES:
        if text := spec.get(name):
            yield from matching(path.child(name), text, is_dns1123_subdomain)
    if (policy := spec.get("preemptionPolicy")) is not None:
        yield from required_one_of(path.child("preemptionPolicy"), policy, _PREEMPTION_POLICIES)
    if overhead := spec.get("overhead"):
        yield from validate_overhead(overhead, path.child("overhead"))
    yield from validate_os(spec, path)


def _groups(spec: JsonObject, path: Path) -> Errors:
    """Check the pod's scheduling group (KEP-4671): a union that has one member so far."""
    if (reference := spec.get("workloadRef")) is not None:
        yield from validate_workload_ref(reference, path.child("workloadRef"))
    group = spec.get("schedulingGroup")
    if group is None:
        return
    name, where = group.get("podGroupName"), path.child("schedulingGroup")
    if name is None:
        detail = "must specify one of: `podGroupName`"
        yield invalid_value(where.child("podGroupName"), None, detail)
    else:
        yield from matching(where.child("podGroupName"), name, is_dns1123_subdomain)
    if spec.get("evictionResponders"):
        yield forbidden_field(where, "may not be set when evictionResponders is set")


def _file_variables(spec: JsonObject, path: Path) -> Errors:
    """Check that variables read from files read them from emptyDir volumes."""
    volumes = {volume.get("name"): volume for volume in spec.get("volumes") or ()}
    for container, where in containers_with_paths(spec, path):
        for position, variable in enumerate(container.get("env") or ()):
            reference = (variable.get("valueFrom") or {}).get("fileKeyRef")
            if reference is None:
                continue
            name = reference.get("volumeName") or ""
            member = where.child("env").index(position)
            member = member.child("valueFrom", "fileKeyRef", "volumeName")
            if name not in volumes:
                yield not_found_field(member, name)
            elif volumes[name].get("emptyDir") is None:
                yield invalid_value(member, name, "referenced volume must be of type emptyDir")
