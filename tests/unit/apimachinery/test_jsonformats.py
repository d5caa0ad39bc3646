"""Formats of JSON schemas, regular expressions of Go, durations of Go."""

from __future__ import annotations

import pytest

from kubegang.apimachinery.godurations import (
    DurationError,
    parse_go_duration,
)
from kubegang.apimachinery.goregex import RegexError, regex_matches, regex_problem
from kubegang.apimachinery.jsonformats import has_format, is_known_format

FORMATS = [
    ("date", "2026-02-28", "2026-02-30"),
    ("date-time", "2026-02-28T10:00:00Z", "yesterday"),
    ("duration", "5m", "long"),
    ("ipv4", "10.0.0.1", "10.0.0.256"),
    ("ipv6", "::1", "10.0.0.1"),
    ("cidr", "10.0.0.0/8", "10.0.0.0"),
    ("hostname", "a.example.com", "-"),
    ("uri", "https://example.com", "example"),
    ("email", "a@example.com", "a"),
    ("uuid", "123e4567-e89b-12d3-a456-426614174000", "123"),
    ("mac", "01:23:45:67:89:ab", "01"),
    ("byte", "YQ==", "Y"),
]


@pytest.mark.parametrize(("name", "good", "bad"), FORMATS)
def test_formats_tell_good_from_bad(name: str, good: str, bad: str) -> None:
    assert is_known_format(name)
    assert has_format(good, name)
    assert not has_format(bad, name)


def test_an_unknown_format_is_known_as_such() -> None:
    assert not is_known_format("weird")


@pytest.mark.parametrize(
    ("pattern", "text", "holds"),
    [
        ("^a+$", "aaa", True),
        ("^a$", "a\n", False),
        ("b", "abc", True),
        (r"^\d+\z", "12", True),
        ("(?i)ABC", "abc", True),
        (r"^\p{Lu}", "Ä", True),
    ],
)
def test_patterns_are_those_of_go(pattern: str, text: str, *, holds: bool) -> None:
    assert regex_matches(pattern, text) is holds


@pytest.mark.parametrize("pattern", ["(", "a{2,1}", "(?=a)", r"\1", "[z-a]"])
def test_what_go_does_not_take_is_a_problem(pattern: str) -> None:
    assert regex_problem(pattern)
    with pytest.raises(RegexError):
        regex_matches(pattern, "a")


def test_a_pattern_that_would_run_away_elsewhere_takes_no_time() -> None:
    assert not regex_matches("^(a+)+$", "a" * 5000 + "b")


@pytest.mark.parametrize(
    ("text", "nanoseconds"), [("90m", 5_400_000_000_000), ("1.5s", 1_500_000_000), ("0", 0)]
)
def test_durations(text: str, nanoseconds: int) -> None:
    assert parse_go_duration(text) == nanoseconds


@pytest.mark.parametrize("text", ["", "5", "5x", "m"])
def test_what_is_no_duration(text: str) -> None:
    with pytest.raises(DurationError):
        parse_go_duration(text)
