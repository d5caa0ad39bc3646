"""Functions on texts, and those of the same names on lists. Pure."""

from __future__ import annotations

import re
import string
from collections.abc import Callable
from typing import Any, Final

from kubegang.apimachinery.cel.conversions import as_text
from kubegang.apimachinery.cel.formatting import format_text
from kubegang.apimachinery.cel.runtime import EvalError, equal, no_overload
from kubegang.apimachinery.goregex import RegexError, regex_matches, regex_of
from kubegang.apimachinery.gotext import go_quote

_UPPER: Final = str.maketrans(string.ascii_lowercase, string.ascii_uppercase)
_LOWER: Final = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)
_SPACES: Final = (
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)


def _matches(text: Any, pattern: Any) -> bool:
    try:
        return regex_matches(as_text(pattern), as_text(text))
    except RegexError as error:
        raise EvalError(str(error)) from error


def _find(text: Any, pattern: Any) -> str:
    found = _regex(pattern).search(as_text(text))
    return str(found[0]) if found is not None else ""


def _find_all(text: Any, pattern: Any, limit: int = -1) -> list[str]:
    found = [one[0] for one in _regex(pattern).finditer(as_text(text))]
    return found if limit < 0 else found[:limit]


def _regex(pattern: Any) -> re.Pattern[str]:
    try:
        return regex_of(as_text(pattern))
    except RegexError as error:
        raise EvalError(f"Illegal regex: {error}") from error


def _char_at(value: Any, position: int) -> str:
    text = as_text(value)
    if not 0 <= position <= len(text):
        raise EvalError(f"index out of range: {position}")
    return text[position : position + 1]


def _index_of(value: Any, item: Any, start: int = 0) -> int:
    if isinstance(value, list):
        return next((at for at, one in enumerate(value) if equal(one, item)), -1)
    text = as_text(value)
    if not item:
        return start
    if not 0 <= start <= len(text):
        raise EvalError(f"index out of range: {start}")
    return text.find(as_text(item), start)


def _last_index_of(value: Any, item: Any, start: int | None = None) -> int:
    if isinstance(value, list):
        found = (at for at in range(len(value) - 1, -1, -1) if equal(value[at], item))
        return next(found, -1)
    text = as_text(value)
    if start is not None and not 0 <= start <= len(text):
        raise EvalError(f"index out of range: {start}")
    if not item:
        return len(text) if start is None else start
    if start is None:
        return text.rfind(as_text(item))
    return text.rfind(as_text(item), 0, start + len(as_text(item)))


def _substring(value: Any, start: int, end: int | None = None) -> str:
    text = as_text(value)
    if end is not None and not 0 <= end <= len(text):
        raise EvalError(f"index out of range: {end}")
    if not 0 <= start <= len(text):
        raise EvalError(f"index out of range: {start}")
    if end is not None and start > end:
        raise EvalError(f"invalid substring range. start: {start}, end: {end}")
    return text[start:end]


def _replace(text: Any, old: Any, new: Any, limit: int = -1) -> str:
    return as_text(text).replace(as_text(old), as_text(new), limit)


def _split(value: Any, separator: Any, limit: int = -1) -> list[str]:
    text, between = as_text(value), as_text(separator)
    if limit == 0:
        return []
    if between:
        return text.split(between, limit - 1 if limit > 0 else -1)
    parts = list(text)
    if limit < 0 or len(parts) <= limit:
        return parts
    return [*parts[: limit - 1], "".join(parts[limit - 1 :])]


def _join(values: Any, separator: str = "") -> str:
    if not isinstance(values, list):
        raise no_overload()
    return as_text(separator).join(as_text(one) for one in values)


def _reverse(value: Any) -> Any:
    return value[::-1] if isinstance(value, str) else list(reversed(value))


FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "contains": lambda text, part: as_text(part) in as_text(text),
    "startsWith": lambda text, part: as_text(text).startswith(as_text(part)),
    "endsWith": lambda text, part: as_text(text).endswith(as_text(part)),
    "matches": _matches,
    "find": _find,
    "findAll": _find_all,
    "charAt": _char_at,
    "indexOf": _index_of,
    "lastIndexOf": _last_index_of,
    "lowerAscii": lambda text: as_text(text).translate(_LOWER),
    "upperAscii": lambda text: as_text(text).translate(_UPPER),
    "trim": lambda text: as_text(text).strip(_SPACES),
    "replace": _replace,
    "split": _split,
    "substring": _substring,
    "join": _join,
    "format": format_text,
    "strings.quote": lambda text: go_quote(as_text(text)),
    "reverse": _reverse,
}
