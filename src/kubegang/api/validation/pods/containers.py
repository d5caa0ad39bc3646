"""Containers: what all sorts share, and what regular, init and ephemeral ones differ in.

Pure.
"""

from __future__ import annotations

from collections.abc import Sequence

from kubegang.api.validation.checks import (
    Errors,
    absent,
    between,
    required_matching,
    required_one_of,
    unset,
)
from kubegang.api.validation.pods.context import PodContext
from kubegang.api.validation.pods.env import validate_env, validate_env_from
from kubegang.api.validation.pods.mounts import validate_mounts
from kubegang.api.validation.pods.probes import validate_lifecycle, validate_probes
from kubegang.api.validation.pods.resources import validate_container_resources
from kubegang.api.validation.pods.restarts import (
    validate_init_restarts,
    validate_resize_policy,
    validate_restarts,
)
from kubegang.api.validation.pods.security import validate_container_security
from kubegang.apimachinery.field import (
    Path,
    duplicate,
    invalid_value,
    not_found_field,
    required,
)
from kubegang.apimachinery.names import is_dns1123_label, is_port_name
from kubegang.apimachinery.objects import JsonObject

PULL_POLICIES = ("Always", "IfNotPresent", "Never")

_MESSAGE_POLICIES = ("File", "FallbackToLogsOnError")
_PROTOCOLS = ("SCTP", "TCP", "UDP")
_MAX_PORT = 65535

_ONLY_WITH_RESTART = ("lifecycle", "livenessProbe", "readinessProbe", "startupProbe")

# Fields that a debugging container cannot have, in the order of the type's fields.
_NOT_EPHEMERAL_LISTS = ("ports", "resources", "resizePolicy")
_NOT_EPHEMERAL_POINTERS = ("restartPolicy",)
_NOT_EPHEMERAL_RULES = ("restartPolicyRules",)
_NOT_EPHEMERAL_HOOKS = ("livenessProbe", "readinessProbe", "startupProbe", "lifecycle")
_NOT_EPHEMERAL = "cannot be set for an Ephemeral Container"


def validate_containers(
    containers: Sequence[JsonObject], path: Path, context: PodContext
) -> Errors:
    """Check the regular containers of a pod."""
    if not containers:
        yield required(path)
        return
    names: set[str] = set()
    for position, container in enumerate(containers):
        item = path.index(position)
        yield from _container(container, item, context)
        name = container.get("name") or ""
        if name in names:
            yield duplicate(item.child("name"), name)
        names.add(name)
        yield from validate_lifecycle(container.get("lifecycle"), item.child("lifecycle"), context)
        yield from validate_probes(container, item, context)
        yield from validate_restarts(container, item, context)
    yield from _host_ports(containers, path)


def validate_init_containers(
    containers: Sequence[JsonObject], path: Path, context: PodContext, names: set[str]
) -> Errors:
    """Check the init containers; ``names`` are those of the regular ones."""
    for position, container in enumerate(containers):
        item = path.index(position)
        yield from _container(container, item, context)
        yield from validate_init_restarts(container, item, context)
        name = container.get("name") or ""
        if name in names:
            yield duplicate(item.child("name"), name)
        elif name:
            names.add(name)
        # They run one after the other, so each is looked at alone, and told as the first.
        yield from _host_ports([container], path)
        if container.get("restartPolicy") == "Always":
            yield from validate_lifecycle(
                container.get("lifecycle"), item.child("lifecycle"), context
            )
            yield from validate_probes(container, item, context)
        else:
            detail = "may not be set for init containers without restartPolicy=Always"
            yield from absent(item, container, detail, names=_ONLY_WITH_RESTART)
            yield from _no_restart_on_resize(container, item)


def validate_ephemeral_containers(spec: JsonObject, path: Path, context: PodContext) -> Errors:
    """Check the debugging containers of a running pod."""
    others = {
        container.get("name") or ""
        for name in ("containers", "initContainers")
        for container in spec.get(name) or ()
    }
    names = set(others)
    for position, container in enumerate(spec.get("ephemeralContainers") or ()):
        item = path.index(position)
        yield from _container(container, item, context)
        yield from trimmed_image(container, item)
        name = container.get("name") or ""
        if name in names:
            yield duplicate(item.child("name"), name)
        names.add(name)
        target = container.get("targetContainerName")
        if target and target not in others:
            yield not_found_field(item.child("targetContainerName"), target)
        yield from _not_ephemeral(container, item)


def trimmed_image(container: JsonObject, path: Path) -> Errors:
    """Check that an image has no blanks around it; templates are let off."""
    image = container.get("image") or ""
    if image != image.strip():
        detail = "must not have leading or trailing whitespace"
        yield invalid_value(path.child("image"), image, detail)


def _container(container: JsonObject, path: Path, context: PodContext) -> Errors:
    """Check what every sort of container has."""
    yield from required_matching(path.child("name"), container.get("name"), is_dns1123_label)
    if not container.get("image"):
        yield required(path.child("image"))
    policy = container.get("terminationMessagePolicy")
    yield from required_one_of(path.child("terminationMessagePolicy"), policy, _MESSAGE_POLICIES)
    if ports := container.get("ports"):
        yield from _ports(ports, path.child("ports"))
    if variables := container.get("env"):
        yield from validate_env(variables, path.child("env"))
    if sources := container.get("envFrom"):
        yield from validate_env_from(sources, path.child("envFrom"))
    yield from validate_mounts(container, path, context)
    policy = container.get("imagePullPolicy")
    yield from required_one_of(path.child("imagePullPolicy"), policy, PULL_POLICIES)
    resources = container.get("resources")
    yield from validate_container_resources(resources, path.child("resources"), context)
    if policies := container.get("resizePolicy"):
        yield from validate_resize_policy(policies, path.child("resizePolicy"), context)
    security = container.get("securityContext")
    yield from validate_container_security(security, path.child("securityContext"), context)


def _ports(ports: Sequence[JsonObject], path: Path) -> Errors:
    names: set[str] = set()
    for position, port in enumerate(ports):
        item = path.index(position)
        yield from _port_name(port.get("name") or "", item.child("name"), names)
        if not port.get("containerPort"):
            yield required(item.child("containerPort"))
        else:
            number = port["containerPort"]
            yield from between(item.child("containerPort"), number, low=1, high=_MAX_PORT)
        if host_port := port.get("hostPort"):
            yield from between(item.child("hostPort"), host_port, low=1, high=_MAX_PORT)
        yield from required_one_of(item.child("protocol"), port.get("protocol"), _PROTOCOLS)


def _port_name(name: str, path: Path, names: set[str]) -> Errors:
    if not name:
        return
    problems = is_port_name(name)
    for detail in problems:
        yield invalid_value(path, name, detail)
    if name in names:
        yield duplicate(path, name)
    elif not problems:
        names.add(name)


def _host_ports(containers: Sequence[JsonObject], path: Path) -> Errors:
    """Check that no two containers want the same port of the node."""
    taken = set()
    for position, container in enumerate(containers):
        for number, port in enumerate(container.get("ports") or ()):
            if not port.get("hostPort"):
                continue
            key = f"{port.get('protocol') or ''}/{port.get('hostIP') or ''}/{port['hostPort']}"
            if key in taken:
                where = path.index(position).child("ports").index(number)
                yield duplicate(where.child("hostPort"), key)
            taken.add(key)


def _no_restart_on_resize(container: JsonObject, path: Path) -> Errors:
    for position, policy in enumerate(container.get("resizePolicy") or ()):
        if policy.get("restartPolicy") == "RestartContainer":
            detail = "must not be set to 'RestartContainer' for non-sidecar initContainers"
            where = path.child("resizePolicy").index(position).child("restartPolicy")
            yield invalid_value(where, "RestartContainer", detail)


def _not_ephemeral(container: JsonObject, path: Path) -> Errors:
    yield from unset(path, container, _NOT_EPHEMERAL, names=_NOT_EPHEMERAL_LISTS)
    yield from absent(path, container, _NOT_EPHEMERAL, names=_NOT_EPHEMERAL_POINTERS)
    yield from unset(path, container, _NOT_EPHEMERAL, names=_NOT_EPHEMERAL_RULES)
    yield from absent(path, container, _NOT_EPHEMERAL, names=_NOT_EPHEMERAL_HOOKS)
    for position, mount in enumerate(container.get("volumeMounts") or ()):
        where = path.child("volumeMounts").index(position)
        yield from unset(where, mount, _NOT_EPHEMERAL, names=("subPath", "subPathExpr"))
