"""Resource lists: amounts finer than a thousandth are rounded up when they are stored.

Pure.
"""

from __future__ import annotations

import re

from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.quantity import Quantity

_MILLI = -3

# Whole numbers, thousandths and multiples: what nearly every manifest says, never rounded.
_PLAIN = re.compile(r"[0-9]+(?:m|[kMGTPE]|[KMGTPE]i)?")


def round_amounts(amounts: JsonObject | None) -> None:
    """Round every amount of a resource list up to a multiple of one thousandth."""
    if not amounts:
        return
    for name, amount in amounts.items():
        if isinstance(amount, int) or (isinstance(amount, str) and _PLAIN.fullmatch(amount)):
            continue
        exact = Quantity.parse(amount)
        rounded = exact.rounded_up(_MILLI)
        if rounded != exact:
            amounts[name] = rounded.canonical()


def round_requirements(requirements: JsonObject | None) -> None:
    """Round limits and requests of a ResourceRequirements object."""
    if requirements:
        round_amounts(requirements.get("limits"))
        round_amounts(requirements.get("requests"))
