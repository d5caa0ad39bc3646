"""Quantities are exact numbers, whatever form they are written in."""

from __future__ import annotations

import math
from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from kubegang.apimachinery.quantity import Quantity

DECIMAL = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
FACTORS = {suffix: Fraction(10) ** exponent for suffix, exponent in DECIMAL.items()}
FACTORS |= {suffix: Fraction(2) ** exponent for suffix, exponent in BINARY.items()}
FACTORS |= {f"e{exponent}": Fraction(10) ** exponent for exponent in range(-9, 19)}

# Small enough for every suffix to stay below the size at which upstream caps, 2**63.
DIGITS = st.one_of(st.integers(0, 7), st.integers(0, 7 * 10**9).map(lambda n: Fraction(n, 10**9)))


def _decimal(number: Fraction | int) -> str:
    thousand_millionths = int(number * 10**9)
    whole, rest = divmod(thousand_millionths, 10**9)
    return f"{whole}.{rest:09}".rstrip("0").rstrip(".")


def _rounded_away(number: Fraction) -> int:
    return math.ceil(number) if number > 0 else math.floor(number)


@st.composite
def quantities(draw: st.DrawFn) -> tuple[str, Fraction]:
    """Return a text and the number that it means, rounded as upstream does to nano."""
    sign = draw(st.sampled_from(["", "+", "-"]))
    digits = draw(DIGITS)
    suffix = draw(st.sampled_from(sorted(FACTORS)))
    exact = digits * FACTORS[suffix] * (-1 if sign == "-" else 1)
    return f"{sign}{_decimal(digits)}{suffix}", Fraction(_rounded_away(exact * 10**9), 10**9)


@settings(derandomize=True, deadline=None)
@given(quantities())
def test_the_canonical_text_is_the_same_number(written: tuple[str, Fraction]) -> None:
    quantity = Quantity.parse(written[0])
    again = Quantity.parse(quantity.canonical())
    assert again == quantity
    assert hash(again) == hash(quantity)
    assert again.canonical() == quantity.canonical()


@settings(derandomize=True, max_examples=200, deadline=None)
@given(quantities(), quantities())
def test_the_order_is_that_of_the_numbers(
    left: tuple[str, Fraction], right: tuple[str, Fraction]
) -> None:
    one, other = Quantity.parse(left[0]), Quantity.parse(right[0])
    assert (one < other, one == other, one > other) == (
        left[1] < right[1],
        left[1] == right[1],
        left[1] > right[1],
    )


@settings(derandomize=True, max_examples=200, deadline=None)
@given(quantities())
def test_whole_numbers_are_rounded_away_from_zero(written: tuple[str, Fraction]) -> None:
    text, number = written
    quantity = Quantity.parse(text)
    limit = 2**63 - 1
    assert quantity.value() == max(-limit, min(limit, _rounded_away(number)))
    assert quantity.milli_value() == max(-limit, min(limit, _rounded_away(number * 1000)))
    assert quantity.rounded_up(-3) == Quantity.parse(f"{_rounded_away(number * 1000)}m")
