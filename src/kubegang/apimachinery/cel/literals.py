"""Literals that could never be right: malformed durations, timestamps and patterns.

Kubernetes has expressions checked for them since 1.29. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from kubegang.apimachinery.cel.moments import MomentError, parse_timestamp
from kubegang.apimachinery.cel.syntax import Expr
from kubegang.apimachinery.godurations import DurationError, parse_go_duration
from kubegang.apimachinery.goregex import regex_problem


def literal_problems(expr: Expr, names: Mapping[int, str]) -> Iterator[tuple[Expr, str]]:
    """Yield each literal in an expression that could never be right, and what is wrong.

    Args:
        expr: the expression.
        names: functions that stand for dotted names, by node.
    """
    if expr.kind == "call":
        name = names.get(expr.id, expr.name)
        for arg in expr.args:
            if arg.kind == "const" and (problem := _problem(name, arg, expr.args)):
                yield arg, problem
    for part in expr.parts():
        yield from literal_problems(part, names)


def _problem(function: str, arg: Expr, args: Sequence[Expr]) -> str:
    value = arg.value
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
