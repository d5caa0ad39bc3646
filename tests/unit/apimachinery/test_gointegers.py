"""Whole numbers in texts, as Go's ``strconv.ParseInt(text, 10, 64)`` reads them."""

from __future__ import annotations

import pytest

from kubegang.apimachinery.gointegers import parse_int64


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0", 0),
        ("007", 7),
        ("+5", 5),
        ("-9223372036854775808", -(2**63)),
        ("9223372036854775807", 2**63 - 1),
        ("0" * 5000 + "1", 1),
    ],
)
def test_a_number_of_64_bits_is_read(text: str, number: int) -> None:
    assert parse_int64(text) == number


@pytest.mark.parametrize(
    "text",
    [
        "",
        "abc",
        "1_000",
        " 1",
        "1 ",
        "1.5",
        "0x10",
        "+",
        "\u0663",
        "9223372036854775808",
        "9" * 5000,
    ],
)
def test_anything_else_is_no_number(text: str) -> None:
    assert parse_int64(text) is None
