"""Network policies: which pods may talk to which peers.

Pure.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Collection, Iterator

from kubegang.api.validation.checks import Errors, matching, one_of
from kubegang.api.validation.formats import ip_range, parse_range
from kubegang.api.validation.labels import validate_selector
from kubegang.apimachinery.field import (
    Path,
    forbidden_field,
    invalid_value,
    not_supported,
    required,
)
from kubegang.apimachinery.names import is_port_name, is_port_number
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.feature_gates import FeatureGates

_SPEC = Path("spec")
_PROTOCOLS = ("TCP", "UDP", "SCTP")
_DIRECTIONS = ("Ingress", "Egress")
_PEERS = (("ingress", "from"), ("egress", "to"))


def validate_network_policy(policy: JsonObject, _gates: FeatureGates) -> Errors:
    """Check a new policy."""
    yield from _spec(policy.get("spec") or {}, known=())


def validate_network_policy_update(
    new: JsonObject, old: JsonObject, _gates: FeatureGates
) -> Errors:
    """Check a changed policy: ranges that were there may stay as they are."""
    yield from _spec(new.get("spec") or {}, known=frozenset(_ranges(old.get("spec") or {})))


def _ranges(spec: JsonObject) -> Iterator[str]:
    for rules, peers in _PEERS:
        for rule in spec.get(rules) or ():
            for peer in rule.get(peers) or ():
                block = peer.get("ipBlock") or {}
                yield from (block.get("cidr") or "", *(block.get("except") or ()))


def _spec(spec: JsonObject, *, known: Collection[str]) -> Errors:
    yield from validate_selector(spec.get("podSelector"), _SPEC.child("podSelector"))
    for rules, peers in _PEERS:
        for position, rule in enumerate(spec.get(rules) or ()):
            path = _SPEC.child(rules).index(position)
            for number, port in enumerate(rule.get("ports") or ()):
                yield from _port(port, path.child("ports").index(number))
            for number, peer in enumerate(rule.get(peers) or ()):
                yield from _peer(peer, path.child(peers).index(number), known)
    directions, where = spec.get("policyTypes") or (), _SPEC.child("policyTypes")
    if len(directions) > len(_DIRECTIONS):
        yield invalid_value(where, directions, "may not specify more than two policyTypes")
        return
    for position, direction in enumerate(directions):
        yield from one_of(where.index(position), direction, _DIRECTIONS)


def _port(port: JsonObject, path: Path) -> Errors:
    if (protocol := port.get("protocol")) is not None and protocol not in _PROTOCOLS:
        yield not_supported(path.child("protocol"), protocol, _PROTOCOLS)
    first, last = port.get("port"), port.get("endPort")
    end = path.child("endPort")
    if first is None:
        if last is not None:
            yield invalid_value(end, last, "may not be specified when `port` is not specified")
    elif isinstance(first, int):
        yield from _number(path.child("port"), first)
        if last is not None and last < first:
            yield invalid_value(end, last, "must be greater than or equal to `port`")
        if last is not None:
            yield from _number(end, last)
    else:
        if last is not None:
            yield invalid_value(end, last, "may not be specified when `port` is non-numeric")
        yield from matching(path.child("port"), first, is_port_name)


def _number(path: Path, number: int) -> Errors:
    for detail in is_port_number(number):
        yield invalid_value(path, number, detail)


def _peer(peer: JsonObject, path: Path, known: Collection[str]) -> Errors:
    for name in ("podSelector", "namespaceSelector"):
        yield from validate_selector(peer.get(name), path.child(name))
    block = peer.get("ipBlock")
    if block is not None:
        yield from _block(block, path.child("ipBlock"), known)
    given = [name for name in ("podSelector", "namespaceSelector") if peer.get(name) is not None]
    if block is None and not given:
        yield required(path, "must specify a peer")
    elif block is not None and given:
        yield forbidden_field(path, "may not specify both ipBlock and another peer")


def _block(block: JsonObject, path: Path, known: Collection[str]) -> Errors:
    text = block.get("cidr") or ""
    if not text:
        yield required(path.child("cidr"))
        return
    yield from _range(path.child("cidr"), text, known)
    whole = parse_range(text)
    if whole is None:
        return
    for position, left_out in enumerate(block.get("except") or ()):
        where = path.child("except").index(position)
        yield from _range(where, left_out, known)
        part = parse_range(left_out)
        if part is not None and not _is_strict_part(part, whole):
            yield invalid_value(where, left_out, "must be a strict subset of `cidr`")


def _range(path: Path, text: str, known: Collection[str]) -> Errors:
    if text not in known:
        yield from matching(path, text, ip_range)


_Network = ipaddress.IPv4Network | ipaddress.IPv6Network


def _is_strict_part(part: _Network, whole: _Network) -> bool:
    return part.network_address in whole and whole.prefixlen < part.prefixlen
