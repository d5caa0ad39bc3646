"""URLs, addresses and networks. Pure."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable
from typing import Any, Final
from urllib.parse import parse_qs, quote, unquote, urlsplit

from kubegang.apimachinery.cel.conversions import as_text
from kubegang.apimachinery.cel.runtime import Cidr, EvalError, Ip, Url
from kubegang.apimachinery.gotext import go_quote


def _url(text: Any) -> Url:
    text = as_text(text)
    bad = EvalError(
        f"URL parse error during conversion from string: parse {go_quote(text)}: "
        "invalid URI for request"
    )
    if not text or any(ord(char) < 0x20 or ord(char) == 0x7F for char in text):
        raise bad
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError as error:
        raise bad from error
    if not parts.scheme and not text.startswith("/"):
        raise bad
    hostname = parts.hostname or ""
    host = parts.netloc.rpartition("@")[2]
    return Url(
        text=text,
        scheme=parts.scheme,
        host=host,
        hostname=hostname,
        port="" if port is None else str(port),
        path=quote(unquote(parts.path), safe="/$&+,:;=@~!*'()"),
        query=parse_qs(parts.query, keep_blank_values=True),
    )


def _is(parse: Callable[[Any], Any]) -> Callable[[Any], bool]:
    def function(text: Any) -> bool:
        try:
            parse(text)
        except EvalError:
            return False
        return True

    return function


def _ip(value: Any) -> Ip:
    if isinstance(value, Cidr):
        return Ip(value.interface.ip)
    text = as_text(value)
    if "%" in text:
        raise EvalError(f"IP Address {go_quote(text)} with zone value is not allowed")
    try:
        address = ipaddress.ip_address(text)
    except ValueError as error:
        raise EvalError(
            f"IP Address {go_quote(text)} parse error during conversion from string: "
            f"ParseAddr({go_quote(text)}): unable to parse IP"
        ) from error
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
        raise EvalError(f"IPv4-mapped IPv6 address {go_quote(text)} is not allowed")
    return Ip(address)


def _is_canonical(text: Any) -> bool:
    return str(_ip(text).address) == as_text(text)


def _cidr(text: Any) -> Cidr:
    text = as_text(text)
    bad = EvalError(
        "network address parse error during conversion from string: "
        f"netip.ParsePrefix({go_quote(text)}): "
        + ("bad bits after slash" if "/" in text else "no '/'")
    )
    address, slash, bits = text.partition("/")
    if not slash or not bits.isdigit() or (bits.startswith("0") and bits != "0"):
        raise bad
    _ip(address)
    try:
        return Cidr(ipaddress.ip_interface(text))
    except ValueError as error:
        raise bad from error


def _contains_ip(network: Cidr, address: Any) -> bool:
    ip = address if isinstance(address, Ip) else _ip(address)
    return ip.address in network.interface.network


def _contains_cidr(network: Cidr, other: Any) -> bool:
    inner = other if isinstance(other, Cidr) else _cidr(other)
    ours, theirs = network.interface.network, inner.interface.network
    return (
        ours.version == theirs.version
        and theirs.prefixlen >= ours.prefixlen
        and inner.interface.ip in ours
    )


def _global(ip: Ip) -> bool:
    address = ip.address
    broadcast = str(address) == "255.255.255.255"
    return not (
        address.is_unspecified
        or address.is_loopback
        or address.is_multicast
        or address.is_link_local
        or broadcast
    )


def _link_local_multicast(ip: Ip) -> bool:
    networks = {4: "224.0.0.0/24", 6: "ff02::/16"}
    return ip.address in ipaddress.ip_network(networks[ip.address.version])


FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "url": _url,
    "isURL": _is(_url),
    "getScheme": lambda url: url.scheme,
    "getHost": lambda url: url.host,
    "getHostname": lambda url: url.hostname,
    "getPort": lambda url: url.port,
    "getEscapedPath": lambda url: url.path,
    "getQuery": lambda url: url.query,
    "ip": _ip,
    "isIP": _is(_ip),
    "ip.isCanonical": _is_canonical,
    "family": lambda ip: ip.address.version,
    "isUnspecified": lambda ip: ip.address.is_unspecified,
    "isLoopback": lambda ip: ip.address.is_loopback,
    "isLinkLocalMulticast": _link_local_multicast,
    "isLinkLocalUnicast": lambda ip: ip.address.is_link_local,
    "isGlobalUnicast": _global,
    "cidr": _cidr,
    "isCIDR": _is(_cidr),
    "containsIP": _contains_ip,
    "containsCIDR": _contains_cidr,
    "prefixLength": lambda cidr: cidr.interface.network.prefixlen,
    "masked": lambda cidr: Cidr(ipaddress.ip_interface(cidr.interface.network)),
}
