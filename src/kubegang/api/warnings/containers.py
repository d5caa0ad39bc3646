"""The containers of a pod: old annotations, fractions of bytes, environments, ports."""

from __future__ import annotations

from collections import defaultdict
from typing import Final, NamedTuple

from kubegang.api.core import apparmor
from kubegang.api.validation.pods.walking import CONTAINER_LISTS
from kubegang.api.warnings.kinds import Warnings
from kubegang.api.warnings.quantities import fraction_text, is_fractional
from kubegang.apimachinery.objects import JsonObject

SECCOMP_OF_POD: Final = "seccomp.security.alpha.kubernetes.io/pod"
SECCOMP_REPLACED: Final = 'non-functional in v1.27+; use the "seccompProfile" field instead'
APP_ARMOR_REPLACED: Final = 'deprecated since v1.30; use the "appArmorProfile" field instead'

_SECCOMP: Final = "container.seccomp.security.alpha.kubernetes.io/"
_AMOUNTS: Final = (
    ("limits", "memory"),
    ("requests", "memory"),
    ("limits", "ephemeral-storage"),
    ("requests", "ephemeral-storage"),
)


class PlacedContainer(NamedTuple):
    """A container, and where it stands."""

    container: JsonObject
    path: str


class _Port(NamedTuple):
    """A container's port, and where it stands."""

    port: JsonObject
    path: str

    @property
    def host_ip(self) -> str:
        return self.port.get("hostIP") or ""

    @property
    def host_port(self) -> int:
        return self.port.get("hostPort") or 0


def placed_containers(spec: JsonObject, path: str) -> list[PlacedContainer]:
    """Return a pod's containers of every sort."""
    return [
        PlacedContainer(container, f"{path}.{name}[{position}]")
        for name in CONTAINER_LISTS
        for position, container in enumerate(spec.get(name) or ())
    ]


def container_warnings(
    containers: list[PlacedContainer], spec: JsonObject, annotations: JsonObject, *, prefix: str
) -> Warnings:
    """Warn of what each container has, one after the other.

    ``prefix`` is the path of the template, with a dot, or empty for a pod: about a pod's
    AppArmor annotations something is said earlier, see ``pods.annotation_warnings``.
    """
    for placed in containers:
        container = placed.container
        if annotations:
            yield from _seccomp_warnings(container, annotations, prefix)
            if prefix:
                yield from _app_armor_warnings(container, spec, annotations, prefix=prefix)
        resources = container.get("resources") or {}
        # Memory first, in limits and then in requests (measured on 1.37.2).
        for member, name in _AMOUNTS if resources else ():
            value = (resources.get(member) or {}).get(name)
            if value is not None and is_fractional(str(value)):
                yield fraction_text(f"{placed.path}.resources.{member}[{name}]", value)
        if len(container.get("env") or ()) > 1:
            yield from _variable_warnings(placed)


def port_warnings(containers: list[PlacedContainer]) -> Warnings:
    """Warn of ports of any containers that contradict each other, then of names."""
    ports = [
        _Port(port, f"{placed.path}.ports[{position}]")
        for placed in containers
        for position, port in enumerate(placed.container.get("ports") or ())
    ]
    if len(ports) > 1 or (ports and ports[0].host_ip):
        yield from _number_warnings(ports)
        yield from _name_warnings(ports)


def _seccomp_warnings(container: JsonObject, annotations: JsonObject, prefix: str) -> Warnings:
    key = _SECCOMP + (container.get("name") or "")
    profile = (container.get("securityContext") or {}).get("seccompProfile")
    if profile is None and key in annotations:
        yield f"{prefix}metadata.annotations[{key}]: {SECCOMP_REPLACED}"


def _app_armor_warnings(
    container: JsonObject, spec: JsonObject, annotations: JsonObject, *, prefix: str
) -> Warnings:
    """Warn of an annotation that says other than the field of the pod or the container."""
    key = apparmor.ANNOTATION + (container.get("name") or "")
    own = (container.get("securityContext") or {}).get("appArmorProfile")
    if own is not None or key not in annotations:
        return
    of_pod = (spec.get("securityContext") or {}).get("appArmorProfile")
    if of_pod is None or of_pod != apparmor.profile_of(annotations[key]):
        yield f"{prefix}metadata.annotations[{key}]: {APP_ARMOR_REPLACED}"


def _variable_warnings(placed: PlacedContainer) -> Warnings:
    seen: set[str] = set()
    for position, variable in enumerate(placed.container["env"]):
        name = variable.get("name") or ""
        if name in seen and _hides(variable, f"$({name})"):
            where = f"{placed.path}.env[{position}]"
            yield (
                f'{where}: hides previous definition of "{name}", '
                "which may be dropped when using apply"
            )
        seen.add(name)


def _hides(variable: JsonObject, reference: str) -> bool:
    """Return whether a variable does not build upon the earlier one of its name."""
    value = variable.get("value") or ""
    is_taken = variable.get("valueFrom") is not None
    return is_taken or value == reference or reference not in value


def _number_warnings(ports: list[_Port]) -> Warnings:
    by_number: defaultdict[tuple[int, str], list[_Port]] = defaultdict(list)
    for port in ports:
        if port.host_ip and not port.host_port:
            yield f"{port.path}: hostIP set without hostPort: {_port_text(port.port)}"
        number = port.port.get("containerPort") or 0
        others = by_number[number, port.port.get("protocol") or ""]
        for other in others:
            if verdict := _verdict(port, other):
                yield f"{port.path}: {verdict} port definition with {other.path}"
        others.append(port)


def _verdict(port: _Port, other: _Port) -> str:
    """Say how two ports with one number get on: nothing is said about different host ports."""
    if port.host_ip == other.host_ip and port.host_port == other.host_port:
        return "duplicate"
    if not port.host_port or not other.host_port:
        return "overlapping"
    if port.host_port == other.host_port and bool(port.host_ip) != bool(other.host_ip):
        return "dangerously ambiguous"
    return ""


def _name_warnings(ports: list[_Port]) -> Warnings:
    first: dict[str, str] = {}
    for port in ports:
        name = port.port.get("name")
        if not name:
            continue
        taken = first.setdefault(name, port.path)
        if taken != port.path:
            yield (
                f'{port.path}: duplicate port name "{name}" with {taken}, '
                f"services and probes that select ports by name will use {taken}"
            )


def _port_text(port: JsonObject) -> str:
    """Return a port as Go prints the structure."""
    return (
        f"{{Name:{port.get('name') or ''} HostPort:{port.get('hostPort') or 0} "
        f"ContainerPort:{port.get('containerPort') or 0} "
        f"Protocol:{port.get('protocol') or ''} HostIP:{port.get('hostIP') or ''}}}"
    )
