"""Quantities; the canonical texts are kube-apiserver 1.37.2's answers."""

from __future__ import annotations

import pytest

from kubegang.apimachinery.quantity import Quantity, QuantityError

FORMAT_WRONG = (
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
)
SUFFIX_WRONG = "unable to parse quantity's suffix"


@pytest.mark.parametrize(
    ("text", "want"),
    [
        pytest.param("1000", "1k", id="as-large-a-suffix-as-possible"),
        pytest.param("1000m", "1", id="milli-to-whole"),
        pytest.param("0.5", "500m", id="no-fraction-left"),
        pytest.param("1024Mi", "1Gi", id="binary"),
        pytest.param("1.5Gi", "1536Mi", id="binary-fraction"),
        pytest.param("0.1Ki", "102400m", id="binary-that-is-no-whole-number"),
        pytest.param("1023", "1023", id="not-a-multiple-of-anything"),
        pytest.param("12e6", "12e6", id="exponent-family-stays"),
        pytest.param("1e400", "10e399", id="exponents-in-threes"),
        pytest.param("1.500", "1.500", id="kept-though-not-canonical"),
        pytest.param("+5", "+5", id="kept-with-its-sign"),
        pytest.param("007", "007", id="kept-with-its-zeros"),
        pytest.param("5.", "5.", id="kept-with-its-point"),
        pytest.param(".5", "500m", id="no-digit-before-the-point"),
        pytest.param("10Ei", "9223372036854775807", id="binary-is-capped"),
        pytest.param("9223372036854775808", "9223372036854775808", id="decimal-is-not"),
        pytest.param("-0", "0", id="negative-zero"),
        pytest.param(".", "0", id="a-point-is-zero"),
        pytest.param("", None, id="nothing"),
        pytest.param(" 1 ", "1", id="blanks-around"),
        pytest.param(5.5, "5500m", id="a-bare-number"),
    ],
)
def test_the_canonical_text(text: str | float, want: str | None) -> None:
    if want is None:
        with pytest.raises(QuantityError):
            Quantity.parse(text)
    else:
        assert Quantity.parse(text).canonical() == want


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("x", FORMAT_WRONG),
        ("1..2", FORMAT_WRONG),
        ("1 Gi", FORMAT_WRONG),
        ("1e12k", FORMAT_WRONG),
        (True, FORMAT_WRONG),
        ("1K", SUFFIX_WRONG),
        ("1e", SUFFIX_WRONG),
        ("--1", SUFFIX_WRONG),
        ("1e99999999999", SUFFIX_WRONG),
        ("e-10", "unable to parse numeric part of quantity"),
    ],
)
def test_what_is_no_quantity_is_refused_in_upstream_s_words(text: str | bool, want: str) -> None:
    with pytest.raises(QuantityError) as refused:
        Quantity.parse(text)
    assert str(refused.value) == want


@pytest.mark.parametrize(
    ("text", "want_value", "want_milli"),
    [
        pytest.param("1", 1, 1000, id="whole"),
        pytest.param("100m", 1, 100, id="rounded-up"),
        pytest.param("-1500m", -2, -1500, id="away-from-zero"),
        pytest.param("1Gi", 2**30, 2**30 * 1000, id="binary"),
        pytest.param("0.1n", 1, 1, id="finer-than-counted"),
        pytest.param("1e30", 2**63 - 1, 2**63 - 1, id="capped"),
        pytest.param("-1e999999", -(2**63 - 1), -(2**63 - 1), id="capped-without-writing-it-out"),
        pytest.param("0", 0, 0, id="zero"),
    ],
)
def test_whole_numbers_and_thousandths(text: str, want_value: int, want_milli: int) -> None:
    quantity = Quantity.parse(text)
    assert (quantity.value(), quantity.milli_value()) == (want_value, want_milli)


def test_equal_values_are_equal_whatever_their_family() -> None:
    gibibyte, mebibytes = Quantity.parse("1Gi"), Quantity.parse("1024Mi")
    assert gibibyte == mebibytes
    assert hash(gibibyte) == hash(mebibytes)
    assert gibibyte != Quantity.parse("1G")


def test_quantities_are_ordered_by_value() -> None:
    texts = ["-1e999999", "-2", "-1m", "0", "1n", "999m", "1", "1Ki", "1e999999"]
    assert sorted(map(Quantity.parse, reversed(texts))) == [Quantity.parse(t) for t in texts]


def test_resource_lists_of_pods_are_rounded_to_thousandths() -> None:
    assert Quantity.parse("0.1n").rounded_up(-3).canonical() == "1m"
    assert Quantity.parse("1.500").rounded_up(-3).canonical() == "1.500"


@pytest.mark.parametrize(
    ("one", "other", "want_sum", "want_difference"),
    [
        ("1", "250m", "1250m", "750m"),
        ("250m", "1", "1250m", "-750m"),
        ("1", "1", "2", "0"),
        ("1Gi", "1Mi", "1025Mi", "1023Mi"),
        ("1e3", "1", "1001", "999"),
        ("0", "1Gi", "1Gi", "-1Gi"),
        ("0.5", "0.0005", "500500u", "499500u"),
    ],
)
def test_sums_and_differences_of_any_fineness(
    one: str, other: str, want_sum: str, want_difference: str
) -> None:
    first, second = Quantity.parse(one), Quantity.parse(other)
    assert first.plus(second) == Quantity.parse(want_sum)
    assert first.minus(second) == Quantity.parse(want_difference)


def test_a_sum_with_a_huge_number_is_not_written_out() -> None:
    assert Quantity.parse("1e999999").plus(Quantity.parse("1m")) > Quantity.parse("1e999998")
