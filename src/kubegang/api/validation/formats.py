"""Text formats beyond names: headers, numbers, addresses.

Each rule returns what is wrong with a text, in Kubernetes' words. Pure.
"""

from __future__ import annotations

import ipaddress
import re
from functools import lru_cache

_HEADER = re.compile(r"[-A-Za-z0-9]+")
_INTEGER = re.compile(r"-?[1-9][0-9]*|0")
_NUMBER = re.compile(r"[0-9]{1,4}")
_LEADING_ZERO = re.compile(r"(?:^|\.)0[0-9]")

_IPV4_PARTS = 4


def regex_text(message: str, pattern: str, *examples: str) -> str:
    """Return upstream's sentence for a text that does not match a pattern."""
    shown = " or ".join(f"'{example}', " for example in examples)
    start = f"e.g. {shown}" if examples else ""
    return f"{message} ({start}regex used for validation is '{pattern}')"


def header_name(text: str) -> list[str]:
    """Check the name of an HTTP header."""
    if _HEADER.fullmatch(text):
        return []
    message = "a valid HTTP header must consist of alphanumeric characters or '-'"
    return [regex_text(message, _HEADER.pattern, "X-Header-Name")]


def decimal_integer(text: str) -> list[str]:
    """Check a whole number written without leading zeros or plus sign."""
    if not text:
        return ["must be non-empty"]
    if _INTEGER.fullmatch(text):
        return []
    return ["must be a valid decimal integer in canonical form"]


def ip_address(text: str) -> list[str]:
    """Check an IP address, strictly: no leading zeros, no IPv4 inside IPv6 (1.36+)."""
    address = parse_address(text)
    if address is None:
        return ["must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"]
    if _has_leading_zeros(text):
        return ["must not have leading 0s"]
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
        return ["must not be an IPv4-mapped IPv6 address"]
    return []


def canonical_ip_address(text: str) -> list[str]:
    """Check an IP address that has to be written in the one way of RFC 5952."""
    problems = ip_address(text)
    address = parse_address(text)
    if not problems and str(address) != text:
        return [f'must be in canonical form ("{address}")']
    return problems


def ip_range(text: str) -> list[str]:
    """Check a CIDR range, strictly: nothing set beyond the prefix (1.36+)."""
    host, _, length = text.partition("/")
    address = parse_address(host)
    if address is None or not _NUMBER.fullmatch(length) or int(length) > address.max_prefixlen:
        return ["must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"]
    if _has_leading_zeros(host) or (length != "0" and length.startswith("0")):
        return ["must not have leading 0s in IP or prefix length"]
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
        return ["must not have an IPv4-mapped IPv6 address"]
    if int(address) & ((1 << (address.max_prefixlen - int(length))) - 1):
        return ["must not have bits set beyond the prefix length"]
    return []


def parse_range(text: str) -> ipaddress.IPv4Network | ipaddress.IPv6Network | None:
    """Read a CIDR range as old clients do; bits beyond the prefix do not count."""
    host, _, length = text.partition("/")
    address = parse_address(host)
    if address is None or not _NUMBER.fullmatch(length) or int(length) > address.max_prefixlen:
        return None
    return ipaddress.ip_network((address, int(length)), strict=False)


def ip_family(text: str) -> int:
    """Return 4 or 6 for a valid address or range, 0 for anything else."""
    address = parse_address(text.partition("/")[0])
    return 0 if address is None else address.version


@lru_cache(maxsize=4096)
def parse_address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Read an address as old clients do, so that leading zeros can have their own error."""
    parts = text.split(".")
    if len(parts) == _IPV4_PARTS and all(map(_NUMBER.fullmatch, parts)):
        text = ".".join(str(int(part)) for part in parts)
    try:
        # A zone ("%eth0") is part of Python's addresses, but not of those here.
        return None if "%" in text else ipaddress.ip_address(text)
    except ValueError:
        return None


def _has_leading_zeros(text: str) -> bool:
    return ":" not in text and _LEADING_ZERO.search(text) is not None
