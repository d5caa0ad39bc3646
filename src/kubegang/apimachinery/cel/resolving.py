"""Which overloads of a function a call can mean, and what it gives then. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from kubegang.apimachinery.cel import types
from kubegang.apimachinery.cel.declarations import Overload
from kubegang.apimachinery.cel.types import CelType, Substitution


class Meaning(NamedTuple):
    """What a call can mean.

    Attributes:
        overloads: their ids.
    """

    overloads: list[str]
    result: CelType


def resolve(
    overloads: Iterable[Overload], found: Sequence[CelType], *, known: Substitution, member: bool
) -> Meaning | None:
    """Return what a call can mean, or ``None``.

    Args:
        overloads: those of the function.
        found: the types of target and arguments.
        known: what type parameters stand for; learns from what fits.
        member: whether it is called on a target.
    """
    result: CelType | None = None
    ids: list[str] = []
    for overload in overloads:
        if overload.member != member or len(overload.takes) != len(found):
            continue
        names: dict[str, CelType] = {}
        takes = [known.instance(one, names) for one in overload.takes]
        if not known.all_assignable(found, takes):
            continue
        ids.append(overload.id)
        gives = known.apply(known.instance(overload.gives, names))
        if result is None:
            result = gives
        elif gives != result and gives.name != "error":
            result = types.DYN
    return None if result is None else Meaning(ids, result)


def no_overload(name: str, found: Sequence[CelType], *, member: bool) -> str:
    """Say that no overload takes these types."""
    if member:
        shown = f"{found[0]}.({', '.join(map(str, found[1:]))})"
    else:
        shown = f"({', '.join(map(str, found))})"
    return f"found no matching overload for '{name}' applied to '{shown}'"
