"""IP addresses and ranges that are not written as they should be (KEP-4858).

Such addresses are read as old clients meant them: leading zeros do not count.
"""

from __future__ import annotations

import ipaddress

from kubegang.api.validation.formats import parse_address
from kubegang.api.warning_rules import WarningRules
from kubegang.api.warnings.kinds import Warnings
from kubegang.apimachinery.gotext import go_quote

_Address = ipaddress.IPv4Address | ipaddress.IPv6Address


def address_warnings(path: str, text: str, rules: WarningRules) -> Warnings:
    """Warn of an address that has a better form."""
    address = parse_address(text)
    if address is None:
        return
    quoted, better = go_quote(text), go_quote(str(_unmapped(address)))
    if _is_odd(address, text):
        yield f"{path}: non-standard IP address {quoted} {rules.odd_address}: use {better}"
    elif address.version == 6 and str(address) != text:
        yield f"{path}: IPv6 address {quoted} should be in RFC 5952 canonical format ({better})"


def range_warnings(path: str, text: str, rules: WarningRules) -> Warnings:
    """Warn of a range that has a better form, or that looks like an address."""
    host, _, digits = text.partition("/")
    address = parse_address(host)
    if address is None or not digits.isdecimal():
        return
    network = ipaddress.ip_network((address, int(digits)), strict=False)
    is_ambiguous = network.network_address != address
    is_odd = _is_odd(address, host) or digits != str(int(digits))
    quoted, better = go_quote(text), go_quote(_range_text(network))
    if is_ambiguous:
        single = go_quote(f"{_unmapped(address)}/{address.max_prefixlen}")
        yield (
            f"{path}: CIDR value {quoted} is ambiguous in this context "
            f"(should be {better} or {single}?)"
        )
    if is_odd:
        yield f"{path}: non-standard CIDR value {quoted} {rules.odd_address}: use {better}"
    elif not is_ambiguous and address.version == 6 and f"{address}/{digits}" != text:
        yield (
            f"{path}: IPv6 CIDR value {quoted} should be in RFC 5952 canonical format ({better})"
        )


def _is_odd(address: _Address, text: str) -> bool:
    """Return whether only old clients read this text as an address."""
    if isinstance(address, ipaddress.IPv6Address):
        return address.ipv4_mapped is not None
    return str(address) != text


def _unmapped(address: _Address) -> _Address:
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
        return address.ipv4_mapped
    return address


def _range_text(network: ipaddress.IPv4Network | ipaddress.IPv6Network) -> str:
    plain = _unmapped(network.network_address)
    length = network.prefixlen - (network.max_prefixlen - plain.max_prefixlen)
    return f"{plain}/{length}"
