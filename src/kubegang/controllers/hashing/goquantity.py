"""A quantity as Go holds it after parsing, for the hash of what contains it. Pure."""

from __future__ import annotations

import re

from kubegang.apimachinery.quantity import Quantity

_TEXT = re.compile(r"([+-]?)([0-9]*)(?:\.([0-9]*))?(.*)", re.DOTALL)

_DECIMAL = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}


def quantity_dump(value: str | float) -> str:
    """Return a quantity as Go prints its parts.

    Upstream keeps numbers of more than about 15 digits in another form; here they are
    printed in this one.
    """
    text = str(Quantity.parse(value))
    match = _TEXT.fullmatch(text)
    sign, digits, fraction, suffix = match.groups("") if match else ("", "0", "", "")
    written = (digits.lstrip("0") or "0") + fraction
    power, family = _power(suffix)
    if family == "BinarySI":
        # Of the texts that are canonical, the original recognises some and keeps those.
        is_kept = int(written) & 7 != 0
        number, scale = int(written) << power, 0
    else:
        number, scale = int(written), power - len(fraction)
        is_kept = scale % 3 == 0 and not written.endswith("000") and written[0] != "0"
    if sign == "-":
        number = -number
    return _parts(number, scale, family=family, text=text if is_kept or text == "0" else "")


def _parts(number: int, scale: int, *, family: str, text: str) -> str:
    amount = f"{{value:(int64){number} scale:(resource.Scale){scale}}}"
    return (
        f"{{i:(resource.int64Amount){amount} d:(resource.infDecAmount){{Dec:(*inf.Dec)<nil>}} "
        f"s:(string){text} Format:(resource.Format){family}}}"
    )


def _power(suffix: str) -> tuple[int, str]:
    """Return the power, of two or of ten, and the family of a suffix."""
    if suffix in _BINARY:
        return _BINARY[suffix], "BinarySI"
    if suffix[:1] in ("e", "E") and len(suffix) > 1:
        return int(suffix[1:]), "DecimalExponent"
    return _DECIMAL.get(suffix, 0), "DecimalSI"
