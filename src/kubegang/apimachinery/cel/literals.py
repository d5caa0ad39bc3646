"""Literals that could never be right: malformed durations, timestamps and patterns.

Kubernetes has expressions checked for them since 1.29. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kubegang.apimachinery.cel.moments import MomentError, parse_timestamp
from kubegang.apimachinery.godurations import DurationError, parse_go_duration
from kubegang.apimachinery.goregex import regex_problem


def literal_problem(function: str, value: Any, args: Sequence[Any], arg: Any) -> str:
    """Return what is wrong with a literal argument of a function, empty if it may be right."""
    if not isinstance(value, str):
        return ""
    if function == "duration":
        try:
            parse_go_duration(value)
        except DurationError:
            return "invalid duration argument"
    elif function == "timestamp":
        try:
            parse_timestamp(value)
        except MomentError:
            return "invalid timestamp argument"
    elif function == "matches" and arg is args[-1] and regex_problem(value):
        return "invalid matches argument"
    return ""
