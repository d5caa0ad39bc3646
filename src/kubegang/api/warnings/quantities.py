"""Amounts of bytes that are no whole numbers."""

from __future__ import annotations

from functools import lru_cache

from kubegang.api.warnings.kinds import Warnings
from kubegang.apimachinery.gotext import go_quote
from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.quantity import Quantity

_FRACTIONAL_ENDINGS = ("m", "u", "n")
_LARGE_SUFFIXES = ("Ti", "Pi", "Ei")
_LARGE_DIGITS = 12
_FACTORS = {"k": 10**6, "M": 10**9, "G": 0, "T": 0, "P": 0, "E": 0}
_HALF = 2**63


def fraction_warnings(amounts: JsonObject | None, names: tuple[str, ...], path: str) -> Warnings:
    """Warn of fractions of a byte among the named amounts, which are in canonical form."""
    if not amounts:
        return
    for name in names:
        value = amounts.get(name)
        if value is not None and is_fractional(str(value)):
            yield fraction_text(f"{path}[{name}]", value)


def fraction_text(path: str, value: str | int) -> str:
    """Return what is said about a fraction of a byte."""
    text = go_quote(Quantity.parse(value).canonical())
    return f"{path}: fractional byte value {text} is invalid, must be an integer"


@lru_cache(maxsize=1024)
def is_fractional(text: str) -> bool:
    """Return whether anything is left of a byte; thousandths are rounded up first."""
    if text.endswith(_FRACTIONAL_ENDINGS) or "e-" in text or "." in text:
        return not Quantity.parse(text).rounded_up(-3).is_whole()
    return _is_too_large(text)


def _is_too_large(text: str) -> bool:
    """Return whether upstream sees a fraction in a very large whole number.

    It multiplies the digits in 64 bits to get thousandths, and what an overflow leaves is
    mostly no multiple of a thousand (10Pi; measured on 1.37.2). Where the factor is larger
    than those here it notices the overflow, and sees nothing at all.
    """
    if len(text) < _LARGE_DIGITS and not text.endswith(_LARGE_SUFFIXES):
        return False
    factor = _FACTORS.get(text[-1], 1000)
    digits = text[:-1] if text[-1] in _FACTORS else text
    product = Quantity.parse(digits).value() * factor
    wrapped = (product + _HALF) % (2 * _HALF) - _HALF
    return wrapped % 1000 != 0
