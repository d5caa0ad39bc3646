"""Giving a service its address and its ports on the nodes, before it is validated.

As upstream, which does the same on the way to storage: what a client leaves out of an update
stays as it is; what it asks for is refused if it is taken.
"""

from __future__ import annotations

from collections.abc import Sequence

from kubegang.api.validation.core.families import NO_ADDRESS
from kubegang.api.validation.core.services import needs_health_check
from kubegang.api.validation.formats import parse_address
from kubegang.apimachinery.errors import InternalError
from kubegang.apimachinery.field import FieldError, Path, invalid_object, invalid_value
from kubegang.apimachinery.objects import JsonObject
from kubegang.apiserver.services.families import join_addresses, settle_families
from kubegang.apiserver.services.pool import (
    NETWORK,
    NODE_PORTS,
    PoolExhaustedError,
    Reservation,
    ServicePool,
)

_SPEC = Path("spec")
_HEALTH = "healthCheckNodePort"


def allocate(
    pool: ServicePool, reservation: Reservation, service: JsonObject, old: JsonObject | None
) -> None:
    """Fill in addresses and ports of a service, in place; they are held until released.

    Raises:
        InvalidError: it asks for what it cannot have.
        InternalError: nothing is left, or a health check port is taken.
    """
    pool.hold(reservation)
    spec = service.setdefault("spec", {})
    old_spec = None if old is None else old.get("spec") or {}
    if old_spec is not None:
        _keep(spec, old_spec)
    join_addresses(spec, old_spec)
    _refuse(service, settle_families(spec, old_spec, any_form=pool.any_form))
    try:
        _refuse(service, _allocate_address(pool, reservation, spec, old_spec or {}))
        if _has_node_ports(spec):
            _refuse(service, _allocate_ports(pool, reservation, spec, old_spec or {}))
        if needs_health_check(spec):
            _allocate_health_port(pool, reservation, spec, old_spec or {})
    except PoolExhaustedError as error:
        name = service["metadata"].get("name") or ""
        message = f'failed to allocate a serviceIP for Service "{name}": range is full'
        raise InternalError(f"Internal error occurred: {message}") from error


def _refuse(service: JsonObject, errors: Sequence[FieldError]) -> None:
    if errors:
        raise invalid_object("", "Service", service["metadata"].get("name") or "", errors)


def _has_node_ports(spec: JsonObject) -> bool:
    if spec.get("type") == "NodePort":
        return True
    return spec.get("type") == "LoadBalancer" and spec.get("allocateLoadBalancerNodePorts", True)


def _keep(spec: JsonObject, old_spec: JsonObject) -> None:
    """Fill in what was given out before and the client left out."""
    if "ExternalName" not in (spec.get("type"), old_spec.get("type")):
        for name in ("clusterIP", "clusterIPs"):
            if not spec.get(name) and old_spec.get(name):
                spec[name] = old_spec[name]
    if _has_node_ports(spec) and _has_node_ports(old_spec):
        _keep_ports(spec.get("ports") or (), old_spec.get("ports") or ())
    if needs_health_check(spec) and needs_health_check(old_spec) and not spec.get(_HEALTH):
        spec[_HEALTH] = old_spec.get(_HEALTH)


def _keep_ports(ports: Sequence[JsonObject], old_ports: Sequence[JsonObject]) -> None:
    used = {port.get("nodePort") for port in ports} & {port.get("nodePort") for port in old_ports}
    by_name = {port.get("name") or "": port.get("nodePort") for port in old_ports}
    for port in ports:
        before = by_name.get(port.get("name") or "")
        if not port.get("nodePort") and before and before not in used:
            port["nodePort"] = before


def _allocate_address(
    pool: ServicePool, reservation: Reservation, spec: JsonObject, old_spec: JsonObject
) -> list[FieldError]:
    if spec.get("type") == "ExternalName" or spec.get("clusterIP") == NO_ADDRESS:
        return []
    address = spec.get("clusterIP") or ""
    if address and address in (old_spec.get("clusterIPs") or ()):
        return []
    if not address:
        address = pool.next_address()
        spec["clusterIP"], spec["clusterIPs"] = address, [address]
    elif problem := _address_problem(pool, address):
        detail = f"failed to allocate IP {address}: {problem}"
        return [invalid_value(_SPEC.child("clusterIPs"), spec["clusterIPs"], detail)]
    reservation.addresses.add(address)
    return []


def _address_problem(pool: ServicePool, address: str) -> str:
    ends = (str(NETWORK.network_address), str(NETWORK.broadcast_address))
    known = parse_address(address)
    plain = address if known is None else str(known)
    if plain in ends or plain not in {str(host) for host in NETWORK}:
        return "the provided network does not match the current range"
    return "provided IP is already allocated" if pool.has_address(address) else ""


def _allocate_ports(
    pool: ServicePool, reservation: Reservation, spec: JsonObject, old_spec: JsonObject
) -> list[FieldError]:
    kept = {port.get("nodePort") for port in old_spec.get("ports") or ()}
    by_port: dict[int, int] = {}
    for position, port in enumerate(spec.get("ports") or ()):
        number, wanted = port.get("port") or 0, port.get("nodePort") or 0
        # One port for two protocols has one node port.
        if number in by_port and wanted in (0, by_port[number]):
            port["nodePort"] = by_port[number]
            continue
        if not wanted:
            wanted = port["nodePort"] = pool.next_port()
        elif wanted not in kept and (problem := _port_problem(pool, wanted)):
            path = _SPEC.child("ports").index(position).child("nodePort")
            return [invalid_value(path, wanted, problem)]
        reservation.ports.add(wanted)
        by_port.setdefault(number, wanted)
    return []


def _port_problem(pool: ServicePool, port: int) -> str:
    if port not in NODE_PORTS:
        valid = f"{NODE_PORTS.start}-{NODE_PORTS.stop - 1}"
        return f"provided port is not in the valid range. The range of valid ports is {valid}"
    return "provided port is already allocated" if pool.has_port(port) else ""


def _allocate_health_port(
    pool: ServicePool, reservation: Reservation, spec: JsonObject, old_spec: JsonObject
) -> None:
    wanted = spec.get(_HEALTH) or 0
    if wanted and wanted == old_spec.get(_HEALTH):
        return
    if not wanted:
        wanted = spec[_HEALTH] = pool.next_port()
    elif problem := _port_problem(pool, wanted):
        message = f"failed to allocate requested HealthCheck NodePort {wanted}: {problem}"
        raise InternalError(f"Internal error occurred: {message}")
    reservation.ports.add(wanted)
