"""What is said about addresses and ranges that have a better form."""

from __future__ import annotations

import pytest

from kubegang.api.warning_rules import NEWEST_WARNING_RULES, OLDEST_WARNING_RULES
from kubegang.api.warnings.addresses import address_warnings, range_warnings


@pytest.mark.parametrize("text", ["10.0.0.1", "2001:db8::1", "::", "none", "fe80::1%eth0"])
def test_nothing_is_said_about_good_addresses_and_about_others(text: str) -> None:
    assert list(address_warnings("ip", text, NEWEST_WARNING_RULES)) == []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("010.0.0.1", 'non-standard IP address "010.0.0.1" is invalid: use "10.0.0.1"'),
        ("::ffff:1.2.3.4", 'non-standard IP address "::ffff:1.2.3.4" is invalid: use "1.2.3.4"'),
        (
            "2001:DB8:0::1",
            'IPv6 address "2001:DB8:0::1" should be in RFC 5952 canonical format ("2001:db8::1")',
        ),
    ],
)
def test_the_better_form_of_an_address_is_told(text: str, told: str) -> None:
    assert list(address_warnings("ip", text, NEWEST_WARNING_RULES)) == [f"ip: {told}"]


def test_1_35_still_takes_odd_addresses() -> None:
    told = list(address_warnings("ip", "010.0.0.1", OLDEST_WARNING_RULES))

    assert told == [
        'ip: non-standard IP address "010.0.0.1" will be considered invalid in a future '
        'Kubernetes release: use "10.0.0.1"'
    ]


@pytest.mark.parametrize("text", ["10.0.0.0/8", "2001:db8::/32", "10.0.0.1", "none/8"])
def test_nothing_is_said_about_good_ranges_and_about_others(text: str) -> None:
    assert list(range_warnings("range", text, NEWEST_WARNING_RULES)) == []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "10.0.0.1/8",
            'CIDR value "10.0.0.1/8" is ambiguous in this context '
            '(should be "10.0.0.0/8" or "10.0.0.1/32"?)',
        ),
        ("10.0.0.0/08", 'non-standard CIDR value "10.0.0.0/08" is invalid: use "10.0.0.0/8"'),
        (
            "::ffff:10.0.0.0/104",
            'non-standard CIDR value "::ffff:10.0.0.0/104" is invalid: use "10.0.0.0/8"',
        ),
        (
            "2001:DB8::/32",
            'IPv6 CIDR value "2001:DB8::/32" should be in RFC 5952 canonical format '
            '("2001:db8::/32")',
        ),
    ],
)
def test_the_better_form_of_a_range_is_told(text: str, told: str) -> None:
    assert list(range_warnings("range", text, NEWEST_WARNING_RULES)) == [f"range: {told}"]


def test_an_ambiguous_range_with_an_inner_ipv4_address_has_two_problems() -> None:
    told = list(range_warnings("range", "::ffff:10.0.0.1/104", NEWEST_WARNING_RULES))

    assert told == [
        'range: CIDR value "::ffff:10.0.0.1/104" is ambiguous in this context '
        '(should be "10.0.0.0/8" or "10.0.0.1/128"?)',
        'range: non-standard CIDR value "::ffff:10.0.0.1/104" is invalid: use "10.0.0.0/8"',
    ]
