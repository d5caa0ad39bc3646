"""Addresses that stand for something beyond one machine or link.

Pure.
"""

from __future__ import annotations

import ipaddress

from kubegang.api.validation.checks import Errors
from kubegang.apimachinery.field import Path, invalid_value


def ordinary_address(text: str, path: Path) -> Errors:
    """Check that a valid address is none of those with a special meaning."""
    address = ipaddress.ip_address(text)
    if address.is_unspecified:
        yield invalid_value(path, text, f"may not be unspecified ({text})")
    if address.is_loopback:
        yield invalid_value(path, text, "may not be in the loopback range (127.0.0.0/8, ::1/128)")
    link_local = address.is_link_local
    if link_local and not address.is_multicast:
        detail = "may not be in the link-local range (169.254.0.0/16, fe80::/10)"
        yield invalid_value(path, text, detail)
    if _is_link_local_multicast(address):
        detail = "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)"
        yield invalid_value(path, text, detail)


def _is_link_local_multicast(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    if isinstance(address, ipaddress.IPv4Address):
        return address in ipaddress.ip_network("224.0.0.0/24")
    return address.packed[:2] == b"\xff\x02"
