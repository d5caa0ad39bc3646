"""Lists of addresses or ranges that may have one of each IP family.

Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kubegang.api.validation.checks import Errors
from kubegang.api.validation.formats import ip_family
from kubegang.apimachinery.field import FieldError, Path
from kubegang.apimachinery.gotext import go_json

_BOTH = [4, 6]


def one_of_each_family(path: Path, texts: Sequence[str], *, noun: str, shown: Any) -> Errors:
    """Check that there are no two of one family; one alone may be anything.

    Args:
        path: where the list stands.
        texts: the addresses or ranges.
        noun: what they are called.
        shown: the list as errors show it.
    """
    families = [ip_family(text) for text in texts]
    if len(families) > 1 and sorted(families) != _BOTH:
        detail = f"may specify no more than one {noun} for each IP family"
        message = f"Invalid value: {go_json(shown)}: {detail}"
        yield FieldError("FieldValueInvalid", str(path), message)


def unreadable(path: Path, texts: Sequence[str], problem: str) -> Errors:
    """Tell the internal error that upstream makes of an unreadable address or range.

    ``problem`` is the text, with ``{position}`` and ``{text}`` for what is unreadable.
    """
    families = [ip_family(text) for text in texts]
    if len(families) > 1 and 0 in families:
        position = families.index(0)
        detail = problem.format(position=position, text=texts[position])
        yield FieldError("InternalError", str(path), f"Internal error: {detail}")
