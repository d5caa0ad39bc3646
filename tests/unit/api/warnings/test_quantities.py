"""Which amounts of bytes count as fractional; measured on kube-apiserver 1.37.2."""

from __future__ import annotations

import pytest

from kubegang.api.warnings.quantities import is_fractional


@pytest.mark.parametrize("text", ["0", "1Gi", "1500", "2k", "8Pi", "9E", "9223372036854775"])
def test_whole_numbers_are_not(text: str) -> None:
    assert not is_fractional(text)


@pytest.mark.parametrize("text", ["100m", "1500m", "1u", "1e-3", "102400500m"])
def test_fractions_are(text: str) -> None:
    assert is_fractional(text)


def test_what_rounds_up_to_a_whole_number_in_thousandths_is_not() -> None:
    assert not is_fractional("999999999n")


@pytest.mark.parametrize("text", ["10Pi", "100000Ti", "123456789012345678", "12345678901234567k"])
def test_numbers_whose_thousandths_have_no_room_in_64_bits_are(text: str) -> None:
    assert is_fractional(text)
