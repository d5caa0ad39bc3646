"""Pods, and the templates that become pods."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from kubegang.api.core import apparmor
from kubegang.api.validation.pods.walking import all_containers
from kubegang.api.warning_rules import WarningRules
from kubegang.api.warnings.addresses import address_warnings
from kubegang.api.warnings.containers import (
    APP_ARMOR_REPLACED,
    SECCOMP_OF_POD,
    SECCOMP_REPLACED,
    container_warnings,
    placed_containers,
    port_warnings,
)
from kubegang.api.warnings.kinds import KindWarnings, Warnings
from kubegang.api.warnings.podplacement import node_warnings, pod_affinity_warnings
from kubegang.api.warnings.podvolumes import volume_warnings
from kubegang.api.warnings.quantities import fraction_warnings
from kubegang.apimachinery.gotext import go_quote
from kubegang.apimachinery.names import is_dns1123_label
from kubegang.apimachinery.objects import JsonObject

_SYSCTLS_REPLACED: Final = 'non-functional in v1.11+; use the "sysctls" field instead'
_DEPRECATED_ANNOTATIONS: Final = {
    "scheduler.alpha.kubernetes.io/critical-pod": (
        'non-functional in v1.16+; use the "priorityClassName" field instead'
    ),
    "security.alpha.kubernetes.io/sysctls": _SYSCTLS_REPLACED,
    "security.alpha.kubernetes.io/unsafe-sysctls": _SYSCTLS_REPLACED,
}


_PLACEMENT: Final = frozenset(("nodeSelector", "affinity", "topologySpreadConstraints"))
_LISTS: Final = frozenset(("hostAliases", "imagePullSecrets"))
_ADDRESSED: Final = frozenset(("dnsConfig", "hostAliases"))


def name_warnings(obj: JsonObject, used_in: str) -> Warnings:
    """Warn of a name that makes names of pods or hosts, and that no host can have."""
    problems = is_dns1123_label(obj["metadata"].get("name") or "")
    if problems:
        yield (
            f"metadata.name: this is used in {used_in}, which can result in surprising "
            f"behavior; a DNS label is recommended: [{' '.join(problems)}]"
        )


def template_warnings(template: JsonObject | None, path: str, rules: WarningRules) -> Warnings:
    """Warn of what is in a template, which stands at ``path``."""
    if template is not None:
        yield from _of_spec(template, f"{path}.", rules)


def annotation_warnings(pod: JsonObject) -> Warnings:
    """Warn of AppArmor annotations that become fields, or that say nothing valid.

    Upstream warns of them when it makes the fields, so before validation; see
    ``apiserver/strategies/apparmor``.
    """
    annotations = pod["metadata"].get("annotations")
    spec = pod.get("spec") or {}
    if not annotations or (spec.get("os") or {}).get("name") == "windows":
        return
    of_pod = (spec.get("securityContext") or {}).get("appArmorProfile")
    for container in all_containers(spec):
        key = apparmor.ANNOTATION + (container.get("name") or "")
        own = (container.get("securityContext") or {}).get("appArmorProfile")
        if key not in annotations or own is not None:
            continue
        profile = apparmor.valid_profile_of(annotations[key])
        if profile is None or profile != of_pod:
            yield f"metadata.annotations[{key}]: {APP_ARMOR_REPLACED}"


def _of_pod(pod: JsonObject, rules: WarningRules) -> Warnings:
    yield from name_warnings(pod, "the Pod's hostname")
    yield from _of_spec(pod, "", rules)


def _of_status(pod: JsonObject, _old: JsonObject, rules: WarningRules) -> Warnings:
    status = pod.get("status") or {}
    for name in ("podIPs", "hostIPs"):
        for position, address in enumerate(status.get(name) or ()):
            where = f"status.{name}[{position}].ip"
            yield from address_warnings(where, address.get("ip") or "", rules)


# Changed pods give rise to no warnings: upstream counts on their being changed often.
PODS: Final = KindWarnings(create=_of_pod, status=_of_status)


def _of_spec(pod: JsonObject, prefix: str, rules: WarningRules) -> Warnings:
    """Warn of a pod or template; ``prefix`` is the template's path with a dot."""
    spec = pod.get("spec") or {}
    annotations = (pod.get("metadata") or {}).get("annotations") or {}
    path = f"{prefix}spec"
    # What a pod says nothing about costs nothing: many pods are created at a time.
    if not _PLACEMENT.isdisjoint(spec):
        yield from node_warnings(spec, path)
    for key in _DEPRECATED_ANNOTATIONS if annotations else ():
        if key in annotations:
            yield f"{prefix}metadata.annotations[{key}]: {_DEPRECATED_ANNOTATIONS[key]}"
    if "volumes" in spec:
        yield from volume_warnings(spec, path, rules)
    if not _LISTS.isdisjoint(spec):
        yield from _list_warnings(spec, path)
    if "overhead" in spec:
        names = ("memory", "ephemeral-storage")
        yield from fraction_warnings(spec["overhead"], names, f"{path}.overhead")
    if SECCOMP_OF_POD in annotations and not _has_seccomp(spec):
        yield f"{prefix}metadata.annotations[{SECCOMP_OF_POD}]: {SECCOMP_REPLACED}"
    containers = placed_containers(spec, path)
    yield from container_warnings(containers, spec, annotations, prefix=prefix)
    yield from port_warnings(containers)
    yield from _final_warnings(spec, path, rules)


def _final_warnings(spec: JsonObject, path: str, rules: WarningRules) -> Warnings:
    """Warn of what comes after the containers."""
    if (spec.get("terminationGracePeriodSeconds") or 0) < 0:
        yield (
            f"{path}.terminationGracePeriodSeconds: must be >= 0; "
            "negative values are invalid and will be treated as 1"
        )
    if "affinity" in spec:
        yield from pod_affinity_warnings(spec, path)
    if not _ADDRESSED.isdisjoint(spec):
        yield from _spec_address_warnings(spec, path, rules)


def _has_seccomp(spec: JsonObject) -> bool:
    return (spec.get("securityContext") or {}).get("seccompProfile") is not None


def _list_warnings(spec: JsonObject, path: str) -> Warnings:
    """Warn of members of lists that occur twice, or have no name."""
    aliases = (alias.get("ip") or "" for alias in spec.get("hostAliases") or ())
    for position, address in _repeated(aliases):
        yield f"{path}.hostAliases[{position}].ip: duplicate ip {go_quote(address)}"
    secrets = [secret.get("name") or "" for secret in spec.get("imagePullSecrets") or ()]
    for position, name in _repeated(secrets):
        yield f"{path}.imagePullSecrets[{position}].name: duplicate name {go_quote(name)}"
    for position, name in enumerate(secrets):
        if not name:
            yield f'{path}.imagePullSecrets[{position}].name: invalid empty name ""'


def _repeated(values: Iterable[str]) -> Iterator[tuple[int, str]]:
    seen: set[str] = set()
    for position, value in enumerate(values):
        if value in seen:
            yield position, value
        seen.add(value)


def _spec_address_warnings(spec: JsonObject, path: str, rules: WarningRules) -> Warnings:
    servers = (spec.get("dnsConfig") or {}).get("nameservers") or ()
    for position, address in enumerate(servers):
        yield from address_warnings(f"{path}.dnsConfig.nameservers[{position}]", address, rules)
    for position, alias in enumerate(spec.get("hostAliases") or ()):
        where = f"{path}.hostAliases[{position}].ip"
        yield from address_warnings(where, alias.get("ip") or "", rules)
