"""The formats that schemas of custom resources can demand of a text.

Names are compared without dashes, as upstream does; a format that is unknown demands
nothing. The rules are those of kube-openapi's ``strfmt`` and of the libraries behind it.

Pure.
"""

from __future__ import annotations

import base64
import binascii
import ipaddress
import re
from collections.abc import Callable
from datetime import date
from typing import Final
from urllib.parse import urlsplit

from kubegang.apimachinery.godurations import DurationError, parse_go_duration
from kubegang.apimachinery.names import is_dns1123_label, is_dns1123_subdomain

_HEX: Final = "[0-9a-fA-F]"
_UUID: Final = rf"{_HEX}{{8}}-?{_HEX}{{4}}-?%s{_HEX}{{3}}-?%s{_HEX}{{3}}-?{_HEX}{{12}}"
_DATE: Final = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_TIME: Final = re.compile(
    r"([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))", re.ASCII
)
_HOST_LABEL: Final = re.compile(r"[^\W_]([^\W_]|-(?=[^\W_]|-))*", re.UNICODE)
_EMAIL: Final = re.compile(r"(?:.*<\s*)?[^\s<>@\"(),:;\\\[\]]+@[^\s<>@\"(),:;\\\[\]]+(?:\s*>)?\s*")
_DURATION_PART: Final = re.compile(r"(\d+)\s*([A-Za-zµ]+)", re.ASCII)
_DURATION_UNITS: Final = (
    ("ns", "nano"),
    ("us", "µs", "micro"),
    ("ms", "milli"),
    ("s", "sec"),
    ("m", "min"),
    ("h", "hr", "hour"),
    ("d", "day"),
    ("w", "wk", "week"),
)
_CREDIT_CARD: Final = re.compile(
    r"(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|(222[1-9]|22[3-9][0-9]|2[3-6][0-9]{2}|27[01][0-9]"
    r"|2720)[0-9]{12}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}"
    r"|(?:2131|1800|35\d{3})\d{11}|6[27][0-9]{14})"
)


def has_format(text: str, name: str) -> bool:
    """Return whether a text has a format; a format that is not known is had by every text."""
    check = _CHECKS.get(name.replace("-", ""))
    return check is None or check(text)


def is_known_format(name: str) -> bool:
    """Return whether texts are held to a format."""
    return name.replace("-", "") in _CHECKS


def _matching(pattern: str) -> Callable[[str], bool]:
    compiled = re.compile(pattern, re.ASCII)
    return lambda text: compiled.fullmatch(text) is not None


def is_date(text: str) -> bool:
    """Return whether a text is a full date of RFC 3339."""
    if _DATE.fullmatch(text) is None:
        return False
    if text.startswith("0000"):
        # A leap year in Go's calendar, no year at all in Python's.
        text = "2000" + text[4:]
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def is_date_time(text: str) -> bool:
    """Return whether a text is a date and time of RFC 3339, any letter case."""
    day, separator, rest = text.lower().partition("t")
    if not separator or not is_date(day):
        return False
    found = _TIME.fullmatch(rest.partition("t")[0])
    return found is not None and found[1] <= "23" and found[2] <= "59" and found[3] <= "59"


def is_duration(text: str) -> bool:
    """Return whether a text is a duration of Go's, or of Scala's (``5 minutes``)."""
    try:
        parse_go_duration(text)
    except DurationError:
        words = (found[2].lower() for found in _DURATION_PART.finditer(text))
        return any(_is_unit(word) for word in words)
    return True


def _is_unit(word: str) -> bool:
    return any(word in unit or word.startswith(unit[-1]) for unit in _DURATION_UNITS)


def _is_hostname(text: str) -> bool:
    if not text or len(text.encode()) > 255:
        return False
    labels = text.split(".")
    if any(len(label.encode()) > 63 for label in labels):
        return False
    if len(labels) > 1 and (len(labels[-1]) < 2 or not labels[-1].isalpha()):
        return False
    return all(_HOST_LABEL.fullmatch(label) for label in labels)


def _is_uri(text: str) -> bool:
    if not text or any(ord(char) < 0x21 or ord(char) == 0x7F for char in text):
        return False
    if text.startswith("/"):
        return True
    try:
        parts = urlsplit(text)
        _ = parts.port
    except ValueError:
        return False
    return bool(parts.scheme) and bool(re.fullmatch(r"[A-Za-z][A-Za-z0-9+.-]*", parts.scheme))


def _is_email(text: str) -> bool:
    return _EMAIL.fullmatch(text) is not None


def _is_ipv4(text: str) -> bool:
    parts = text.split(".")
    # Leading zeros are overlooked, as before Go 1.17.
    return len(parts) == 4 and all(
        part.isascii() and part.isdigit() and int(part) < 256 for part in parts
    )


def _is_ipv6(text: str) -> bool:
    try:
        ipaddress.IPv6Address(text)
    except ValueError:
        return False
    return "%" not in text


def _is_cidr(text: str) -> bool:
    address, slash, bits = text.partition("/")
    if not slash or not bits.isascii() or not bits.isdigit():
        return False
    if _is_ipv4(address):
        return int(bits) <= 32
    return _is_ipv6(address) and int(bits) <= 128


def _is_mac(text: str) -> bool:
    pairs = re.fullmatch(r"[0-9a-fA-F]{2}([:-])(?:[0-9a-fA-F]{2}\1)*[0-9a-fA-F]{2}", text)
    if pairs is not None:
        return len(text.split(pairs[1])) in (6, 8, 20)
    dotted = re.fullmatch(r"(?:[0-9a-fA-F]{4}\.)+[0-9a-fA-F]{4}", text)
    return dotted is not None and len(text.split(".")) in (3, 4, 10)


def _digits(text: str) -> str:
    return re.sub(r"[\s-]+", "", text)


def _is_isbn10(text: str) -> bool:
    number = _digits(text)
    if not re.fullmatch(r"[0-9]{9}[0-9X]", number):
        return False
    total = sum((position + 1) * int(digit) for position, digit in enumerate(number[:9]))
    return (total + 10 * (10 if number[9] == "X" else int(number[9]))) % 11 == 0


def _is_isbn13(text: str) -> bool:
    number = _digits(text)
    if not re.fullmatch(r"[0-9]{13}", number):
        return False
    total = sum((1, 3)[position % 2] * int(digit) for position, digit in enumerate(number[:12]))
    return (int(number[12]) - (10 - total % 10) % 10) % 10 == 0


def _is_credit_card(text: str) -> bool:
    number = re.sub(r"[^0-9]+", "", text)
    if not _CREDIT_CARD.fullmatch(number):
        return False
    total = 0
    for position, digit in enumerate(reversed(number)):
        value = int(digit) * (1 + position % 2)
        total += value - 9 if value > 9 else value
    return total % 10 == 0


def _is_base64(text: str) -> bool:
    if not text or len(text) % 4:
        return False
    try:
        base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return False
    return True


_CHECKS: Final[dict[str, Callable[[str], bool]]] = {
    "bsonobjectid": _matching("[0-9a-fA-F]{24}"),
    "uri": _is_uri,
    "email": _is_email,
    "hostname": _is_hostname,
    "ipv4": _is_ipv4,
    "ipv6": _is_ipv6,
    "cidr": _is_cidr,
    "mac": _is_mac,
    "uuid": _matching(_UUID % (_HEX, _HEX)),
    "uuid3": _matching(_UUID % ("3", _HEX)),
    "uuid4": _matching(_UUID % ("4", "[89abAB]")),
    "uuid5": _matching(_UUID % ("5", "[89abAB]")),
    "isbn": lambda text: _is_isbn10(text) or _is_isbn13(text),
    "isbn10": _is_isbn10,
    "isbn13": _is_isbn13,
    "creditcard": _is_credit_card,
    "ssn": _matching(r"\d{3}[- ]?\d{2}[- ]?\d{4}"),
    "hexcolor": _matching("#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})"),
    "rgbcolor": _matching(
        r"rgb\(\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*,\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])"
        r"\s*,\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*\)"
    ),
    "byte": _is_base64,
    "password": lambda _: True,
    "date": is_date,
    "duration": is_duration,
    "datetime": is_date_time,
    "k8sshortname": lambda text: not is_dns1123_label(text),
    "k8slongname": lambda text: not is_dns1123_subdomain(text),
}
