"""Regular expressions as Go has them: in linear time, and with Go's complaints.

Whether a text matches is decided by RE2, whose syntax Go's expressions are; the expression
library (``cel_expr_python``) brings it along. A pattern of a user can therefore not keep the
server busy, however it is written. Where something matched is asked of Python's engine.

Pure, apart from caches of compiled patterns.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import Any, Final

from cel_expr_python import cel

_CODES: Final = {
    "missing )": "missing closing )",
    "missing ]": "missing closing ]",
    "unexpected )": "unexpected )",
    "bad repetition operator": "invalid nested repetition operator",
    "invalid character class range": "invalid character class range",
    "invalid escape sequence": "invalid escape sequence",
    "invalid perl operator": "invalid or unsupported Perl syntax",
    "invalid repetition size": "invalid repeat count",
    "no argument for repetition operator": "missing argument to repetition operator",
    "invalid named capture group": "invalid named capture",
    "trailing \\": "trailing backslash at end of expression",
}
_COMPLAINT: Final = re.compile(r"(?:[A-Z_]+: )?invalid regular expression: (.*?)(?:: (.*))?$", re.S)
_POSIX: Final = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "ascii": r"\x00-\x7F",
    "blank": r"\t ",
    "cntrl": r"\x00-\x1F\x7F",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": r"!-/:-@\[-`{-~",
    "space": r"\t\n\v\f\r ",
    "upper": "A-Z",
    "word": "0-9A-Za-z_",
    "xdigit": "0-9A-Fa-f",
}
_TRANSLATED: Final = re.compile(r"\\z|\\[\s\S]|\[:(\w+):\]|\$|\[\^?\]?")


class RegexError(ValueError):
    """A pattern that is none; the message is Go's."""


def regex_matches(pattern: str, text: str) -> bool:
    """Return whether a part of the text matches.

    Raises:
        RegexError: the pattern is malformed.
    """
    result = _program(pattern).eval(data={"text": text, "pattern": pattern})
    value = result.value()
    if isinstance(value, bool):
        return value
    raise RegexError(_complaint(str(value)))


@lru_cache(maxsize=512)
def regex_problem(pattern: str) -> str:
    """Return Go's complaint about a pattern, empty if it is one."""
    try:
        regex_matches(pattern, "")
    except RegexError as error:
        return str(error)
    return ""


@lru_cache(maxsize=256)
def regex_of(pattern: str) -> re.Pattern[str]:
    """Return a pattern for Python's engine, to learn where it matches.

    Raises:
        RegexError: the pattern is malformed, or one that Python cannot express.
    """
    problem = regex_problem(pattern)
    if problem:
        raise RegexError(problem)
    try:
        return re.compile(_translated(pattern), re.ASCII)
    except re.error as error:
        raise RegexError(f"error parsing regexp: {error}: `{pattern}`") from error


@lru_cache(maxsize=1)
def _environment() -> Any:
    return cel.NewEnv(variables={"text": cel.Type.STRING, "pattern": cel.Type.STRING})


@lru_cache(maxsize=512)
def _program(pattern: str) -> Any:
    literal = json.dumps(pattern)
    # A literal is compiled once by the library; what its syntax cannot spell is passed along.
    wanted = "pattern" if "\\ud" in literal or _is_doubtful(literal) else literal
    return _environment().compile(f"text.matches({wanted})")


def _is_doubtful(literal: str) -> bool:
    """Return whether a literal would not even compile, so that only running tells why."""
    try:
        _environment().compile(f"text.matches({literal})")
    except RuntimeError:
        return True
    return False


def _complaint(text: str) -> str:
    found = _COMPLAINT.match(text)
    if found is None:
        return f"error parsing regexp: {text}"
    code = _CODES.get(found[1], found[1])
    return f"error parsing regexp: {code}: `{found[2] or ''}`"


def _translated(pattern: str) -> str:
    """Write a pattern of Go's as Python would: ends of text, POSIX classes, leading flags."""
    inside = False

    def replaced(found: re.Match[str]) -> str:
        nonlocal inside
        part = found[0]
        if part.startswith("[") and found[1] is None:
            inside = True
            return part
        if found[1] is not None:
            return _POSIX.get(found[1], part)
        if part == r"\z":
            return r"\Z"
        return r"\Z" if part == "$" and not inside else part

    pieces = []
    position = 0
    for found in _TRANSLATED.finditer(pattern):
        between = pattern[position : found.start()]
        if "]" in between:
            inside = False
        pieces += [between, replaced(found)]
        position = found.end()
    return "".join([*pieces, pattern[position:]])
