"""Resource quantities: exact numbers with Kubernetes' suffixes.

The rules are those of ``resource.Quantity``: three families of suffixes (``Mi``, ``M``,
``e6``), a canonical text that keeps the family, numbers finer than a billionth rounded away
from zero. Texts that need no change are kept as they were written, such as ``1.500`` or
``+5``, as kube-apiserver 1.37.2 does.

Pure: exact integers, no floats.
"""

from __future__ import annotations

import re
from functools import lru_cache, total_ordering
from typing import Final

_MAX_INT64: Final = 2**63 - 1
_SUM_DIGITS: Final = 60
_NANO: Final = -9

_FORMAT_WRONG = (
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
)
_SUFFIX_WRONG = "unable to parse quantity's suffix"
_NUMBER_WRONG = "unable to parse numeric part of quantity"

# Stricter than the expression in the message: one decimal point, and a sign alone is zero.
_TEXT = re.compile(r"([+-]?)([0-9]*)(?:\.([0-9]*))?([eEinumkKMGTP]*[+-]?[0-9]*)")

_DECIMAL_SUFFIXES = {
    "n": -9,
    "u": -6,
    "m": -3,
    "": 0,
    "k": 3,
    "M": 6,
    "G": 9,
    "T": 12,
    "P": 15,
    "E": 18,
}
_BINARY_SUFFIXES = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_DECIMAL_BY_EXPONENT = {exponent: suffix for suffix, exponent in _DECIMAL_SUFFIXES.items()}
_BINARY_BY_POWER = dict(enumerate(["", *_BINARY_SUFFIXES]))

_DECIMAL, _EXPONENT, _BINARY = "DecimalSI", "DecimalExponent", "BinarySI"


class QuantityError(ValueError):
    """A text that is no quantity; the message is upstream's."""


@total_ordering
class Quantity:
    """An exact number ``unscaled * 10**scale`` that remembers its family of suffixes.

    Never changed after it was made. Quantities compare by value: ``1Gi`` equals ``1024Mi``.
    """

    __slots__ = ("_family", "_scale", "_text", "_unscaled")

    def __init__(self, unscaled: int, scale: int, *, family: str, text: str = "") -> None:
        self._unscaled = unscaled
        self._scale = scale
        self._family = family
        self._text = text

    @staticmethod
    def parse(value: str | float) -> Quantity:
        """Parse a text such as ``500m``, or a bare number.

        Raises:
            QuantityError: the text is malformed.
        """
        if isinstance(value, str):
            return _parse(value.strip(" \t\n\v\f\r"))
        if isinstance(value, bool):
            raise QuantityError(_FORMAT_WRONG)
        return _parse(repr(value))

    def value(self) -> int:
        """Return the number rounded away from zero to a whole, at most 2**63-1 in size."""
        return self._rounded(0)

    def milli_value(self) -> int:
        """Return the thousandths, rounded away from zero, at most 2**63-1 in size."""
        return self._rounded(-3)

    def nano_value(self) -> int:
        """Return the billionths, at most those of 2**63-1 in size: exact, as none are finer."""
        if self._digits() > 20:
            return (_MAX_INT64 if self._unscaled > 0 else -_MAX_INT64) * 10**9
        limit = _MAX_INT64 * 10**9
        return max(-limit, min(limit, _shift(self._unscaled, _NANO - self._scale)))

    def rounded_up(self, scale: int) -> Quantity:
        """Return the quantity rounded away from zero to a multiple of ``10**scale``.

        Pods' resource lists are rounded to thousandths (scale -3) when they are defaulted.
        """
        if self._scale >= scale:
            return self
        return Quantity(_shift(self._unscaled, scale - self._scale), scale, family=self._family)

    def with_value(self, number: int) -> Quantity:
        """Return a whole number in this quantity's family of suffixes."""
        return Quantity(number, 0, family=self._family)

    def plus(self, other: Quantity) -> Quantity:
        """Return the sum, in this quantity's family; zero takes the other's."""
        # What is finer than the last of so many digits is rounded up: 1e999999 is never written
        # out.
        finest = max(self._digits(), other._digits()) - _SUM_DIGITS
        scale = max(min(self._scale, other._scale), finest)
        unscaled = _shift(self._unscaled, scale - self._scale) + _shift(
            other._unscaled, scale - other._scale
        )
        family = self._family if self._unscaled else other._family
        return Quantity(unscaled, scale, family=family)

    def minus(self, other: Quantity) -> Quantity:
        """Return the difference, in this quantity's family; zero takes the other's."""
        return self.plus(Quantity(-other._unscaled, other._scale, family=other._family))

    def is_whole(self) -> bool:
        """Return whether the number has no fraction."""
        return self._normalised()[1] >= 0

    def canonical(self) -> str:
        """Return the text in which the API serves this quantity."""
        return self._text or self._canonical_text()

    def _rounded(self, scale: int) -> int:
        if not self._unscaled:
            return 0
        if self._digits() - scale > 20:
            # Too large for int64 by far; a number such as 1e999999 is never written out.
            return _MAX_INT64 if self._unscaled > 0 else -_MAX_INT64
        shifted = _shift(self._unscaled, scale - self._scale)
        return max(-_MAX_INT64, min(_MAX_INT64, shifted))

    def _digits(self) -> int:
        """Return how many digits stand before the decimal point; negative below 0.1."""
        return len(str(abs(self._unscaled))) + self._scale

    def _canonical_text(self) -> str:
        if not self._unscaled:
            return "0"
        if self._family == _BINARY:
            whole = self._whole()
            if whole is not None and abs(whole) >= 1024:
                return _binary_text(whole)
        family = _DECIMAL if self._family == _BINARY else self._family
        mantissa, exponent = self._normalised()
        # Suffixes and exponents stand at multiples of three.
        mantissa *= 10 ** (exponent % 3)
        exponent -= exponent % 3
        if family == _EXPONENT:
            return f"{mantissa}e{exponent}" if exponent else str(mantissa)
        # Beyond E there is no suffix, and upstream then writes the mantissa alone.
        return f"{mantissa}{_DECIMAL_BY_EXPONENT.get(exponent, '')}"

    def _whole(self) -> int | None:
        mantissa, exponent = self._normalised()
        return mantissa * 10**exponent if exponent >= 0 else None

    def _normalised(self) -> tuple[int, int]:
        """Return mantissa and exponent without trailing zeros; equal numbers give equal pairs."""
        if not self._unscaled:
            return 0, 0
        digits = str(self._unscaled)
        stripped = digits.rstrip("0")
        return int(stripped), self._scale + len(digits) - len(stripped)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Quantity):
            return NotImplemented
        return self._normalised() == other._normalised()

    def __lt__(self, other: Quantity) -> bool:
        sign, other_sign = _sign(self._unscaled), _sign(other._unscaled)
        if sign != other_sign or not sign:
            return sign < other_sign
        size, other_size = self._digits(), other._digits()
        if size != other_size:
            return (size < other_size) == (sign > 0)
        scale = min(self._scale, other._scale)
        return _shift(self._unscaled, scale - self._scale) < _shift(
            other._unscaled, scale - other._scale
        )

    def __hash__(self) -> int:
        return hash(self._normalised())

    def __str__(self) -> str:
        return self.canonical()

    def __repr__(self) -> str:
        return f"Quantity({self.canonical()!r})"


@lru_cache(maxsize=4096)
def _parse(text: str) -> Quantity:
    match = _TEXT.fullmatch(text)
    if match is None or not text:
        raise QuantityError(_FORMAT_WRONG)
    sign, whole, fraction, suffix = match.groups(default="")
    family, exponent = _suffix(suffix)
    power = exponent if family == _BINARY else 0
    scale = (0 if family == _BINARY else exponent) - len(fraction)
    digits = whole.lstrip("0") or "0"
    short = _is_short(digits, fraction, scale=scale, power=power)
    if not short and not whole and not fraction:
        raise QuantityError(_NUMBER_WRONG)
    kept = short and _looks_canonical(digits + fraction, scale=scale, power=power)
    magnitude, scale = _bounded(int(digits + fraction) << power, scale, family=family)
    if family == _BINARY and magnitude and len(str(magnitude)) + scale <= 0:
        family = _DECIMAL
    unscaled = -magnitude if sign == "-" else magnitude
    return Quantity(unscaled, scale, family=family, text=text if kept else "")


def _suffix(suffix: str) -> tuple[str, int]:
    if suffix in _DECIMAL_SUFFIXES:
        return _DECIMAL, _DECIMAL_SUFFIXES[suffix]
    if suffix in _BINARY_SUFFIXES:
        return _BINARY, _BINARY_SUFFIXES[suffix]
    if suffix[0] in "eE" and re.fullmatch(r"[+-]?[0-9]+", suffix[1:]):
        exponent = int(suffix[1:])
        if abs(exponent) < 2**31:
            return _EXPONENT, exponent
    raise QuantityError(_SUFFIX_WRONG)


def _is_short(digits: str, fraction: str, *, scale: int, power: int) -> bool:
    """Return whether upstream holds the number as an int64 times a power of ten."""
    if power:
        # 2**power has about three tenths as many digits.
        return not fraction and len(digits) + power * 3 // 10 <= 14
    return len(digits + fraction) <= 18 and scale >= _NANO


def _looks_canonical(digits: str, *, scale: int, power: int) -> bool:
    """Return whether upstream keeps a short text as written instead of making it canonical.

    The check is a quick one: it lets through a sign, leading zeros, and up to two trailing
    zeros of a fraction.
    """
    if power:
        return int(digits) & 7 != 0
    return scale % 3 == 0 and not digits.endswith("000") and digits[0] != "0"


def _bounded(unscaled: int, scale: int, *, family: str) -> tuple[int, int]:
    """Round to billionths, away from zero, and cap binary quantities as upstream does."""
    if scale < _NANO:
        unscaled, scale = _shift(unscaled, _NANO - scale), _NANO
    if family == _BINARY and unscaled > _MAX_INT64 * 10**-scale:
        return _MAX_INT64, 0
    return unscaled, scale


def _shift(unscaled: int, places: int) -> int:
    """Divide by ``10**places``, rounding away from zero; multiply if negative."""
    if places <= 0:
        return unscaled * int(10**-places)
    if places > len(str(unscaled)):
        return _sign(unscaled)
    quotient, rest = divmod(abs(unscaled), int(10**places))
    return _sign(unscaled) * (quotient + (1 if rest else 0))


def _binary_text(whole: int) -> str:
    power = 0
    while whole % 1024 == 0 and power < len(_BINARY_SUFFIXES):
        whole //= 1024
        power += 1
    return f"{whole}{_BINARY_BY_POWER[power]}"


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)
