from __future__ import annotations

import pytest

from kubegang.api.validation.formats import (
    decimal_integer,
    header_name,
    ip_address,
    ip_family,
    ip_range,
    regex_text,
)

NO_ADDRESS = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"
NO_RANGE = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        ("10.9.8.7", []),
        ("2001:db8::ffff", []),
        ("010.0.0.1", ["must not have leading 0s"]),
        ("::ffff:1.2.3.4", ["must not be an IPv4-mapped IPv6 address"]),
        ("fe80::1%eth0", [NO_ADDRESS]),
        ("1.2.3", [NO_ADDRESS]),
        ("1.2.3.4/8", [NO_ADDRESS]),
        ("", [NO_ADDRESS]),
    ],
)
def test_an_address_has_one_spelling(text: str, problems: list[str]) -> None:
    assert ip_address(text) == problems


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        ("10.9.8.0/24", []),
        ("2001:db8::/64", []),
        ("0.0.0.0/0", []),
        ("10.9.8.1/24", ["must not have bits set beyond the prefix length"]),
        ("10.9.8.0/024", ["must not have leading 0s in IP or prefix length"]),
        ("010.9.8.0/24", ["must not have leading 0s in IP or prefix length"]),
        ("::ffff:1.2.3.0/120", ["must not have an IPv4-mapped IPv6 address"]),
        ("10.9.8.0/255.255.255.0", [NO_RANGE]),
        ("10.9.8.0/33", [NO_RANGE]),
        ("10.9.8.0", [NO_RANGE]),
    ],
)
def test_a_range_has_nothing_beyond_its_prefix(text: str, problems: list[str]) -> None:
    assert ip_range(text) == problems


@pytest.mark.parametrize(("text", "family"), [("1.2.3.4", 4), ("::/64", 6), ("x", 0)])
def test_addresses_and_ranges_have_a_family(text: str, family: int) -> None:
    assert ip_family(text) == family


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        ("12", []),
        ("-3", []),
        ("0", []),
        ("007", ["must be a valid decimal integer in canonical form"]),
        ("+1", ["must be a valid decimal integer in canonical form"]),
        ("", ["must be non-empty"]),
    ],
)
def test_integers_are_canonical(text: str, problems: list[str]) -> None:
    assert decimal_integer(text) == problems


def test_headers_have_letters_digits_and_dashes() -> None:
    assert header_name("X-Name") == []
    assert header_name("a b") == [
        "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. "
        "'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')"
    ]


def test_a_pattern_may_come_without_examples() -> None:
    assert regex_text("Invalid path", "a+") == "Invalid path (regex used for validation is 'a+')"
