"""Steps of calls that do not just compute all their arguments and then themselves.

Logical operators and conditions compute as little as they can, and hold on to an error until
they know whether the other side decides; optional selections ask before they reach.
"""

from __future__ import annotations

from typing import Any

from kubegang.apimachinery.cel import library
from kubegang.apimachinery.cel.access import field, has, optional_at
from kubegang.apimachinery.cel.frames import Frame, Step
from kubegang.apimachinery.cel.runtime import (
    NONE,
    CostLimitError,
    EvalError,
    Optional,
    no_overload,
)


def logical(left: Step, right: Step, *, decides: bool) -> Step:
    """Return ``&&`` or ``||``: either side decides, even if the other is an error."""

    def step(frame: Frame) -> Any:
        problem: EvalError | None = None
        for side in (left, right):
            try:
                value = side(frame)
            except CostLimitError:
                raise
            except EvalError as error:
                problem = problem or error
                continue
            if not isinstance(value, bool):
                problem = problem or no_overload()
            elif value is decides:
                return decides
        if problem is not None:
            raise problem
        return not decides

    return step


def not_strictly_false(inner: Step) -> Step:
    """Return the test of a comprehension that goes on after errors."""

    def step(frame: Frame) -> Any:
        try:
            return inner(frame) is not False
        except CostLimitError:
            raise
        except EvalError:
            return True

    return step


def conditional(condition: Step, yes: Step, no: Step) -> Step:
    """Return ``condition ? yes : no``."""

    def step(frame: Frame) -> Any:
        value = condition(frame)
        if not isinstance(value, bool):
            raise no_overload()
        return yes(frame) if value else no(frame)

    return step


def optional_field(target: Step, name: str) -> Step:
    """Return ``target.?name``."""

    def step(frame: Frame) -> Any:
        value = target(frame)
        frame.charge(1)
        if isinstance(value, Optional):
            if not value.present:
                return NONE
            value = value.value
        return Optional(field(value, name)) if has(value, name) else NONE

    return step


def index(target: Step, key: Step) -> Step:
    """Return ``target[key]``."""

    def step(frame: Frame) -> Any:
        value = target(frame)
        at = key(frame)
        frame.charge(1)
        if isinstance(value, Optional):
            return optional_at(value, at)
        return library.at_index(value, at)

    return step


def optional_index(target: Step, key: Step) -> Step:
    """Return ``target[?key]``."""

    def step(frame: Frame) -> Any:
        value, at = target(frame), key(frame)
        frame.charge(1)
        return optional_at(value if isinstance(value, Optional) else Optional(value), at)

    return step


def held(advance: Step, frame: Frame) -> Any:
    """Return the next value of a comprehension's accumulator, which may be an error for now."""
    try:
        return advance(frame)
    except CostLimitError:
        raise
    except EvalError as error:
        return error
