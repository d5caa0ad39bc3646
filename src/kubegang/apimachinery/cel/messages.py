"""What the library says, in the words that Kubernetes' users know.

The texts come from another implementation of the language than Kubernetes'. Those that users
meet often are put into its words; the rest stays as it is. Pure.
"""

from __future__ import annotations

import re
from typing import Final

_STATUS: Final = re.compile(r"^[A-Z_]+: ")
_STATUS_AFTER: Final = re.compile(r" \[[A-Z_]+\]$")
_HINT: Final = (
    ". consider using CEL optional chaining (.? followed by orValue()) or guarding the check "
    "with has() for optional fields"
)
_NO_KEY: Final = re.compile(r'Key not found in map : "?(.*?)"?$', re.DOTALL)


def compile_text(error: Exception) -> str:
    """Return why an expression is none, one finding with its place after the other."""
    return _STATUS_AFTER.sub("", _STATUS.sub("", str(error)))


def runtime_text(text: str) -> str:
    """Return why an expression has no value for an object."""
    text = _STATUS.sub("", text)
    missing = _NO_KEY.match(text)
    if missing is not None:
        return f"no such key: {missing[1]}{_HINT}"
    if text.startswith("No matching overloads found"):
        return "no such overload"
    if text == "divide by zero":
        return "division by zero"
    return text
