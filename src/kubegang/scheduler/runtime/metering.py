"""Telling how long extension points take, without a clock in the core.

A framework may have a meter. Runners are marked with ``measured``; what they answer does not
depend on whether somebody measures. Pure.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Set
from typing import Any, Literal, Protocol, TypeVar, cast

from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.status import SUCCESS, Status

BatchStep = Literal["hint", "no_hint", "kept", "rescored"]
"""Looking for a hint, with one or without; keeping a ranking; scoring one node anew."""

RunnerT = TypeVar("RunnerT", bound=Callable[..., Any])


class Meter(Protocol):
    """Whoever counts; it has the clock."""

    def start(self) -> float:
        """Return the present moment."""
        ...

    def ran(self, point: str, status: Status, *, skipped: Set[str], started: float) -> None:
        """Note that the plugins of a point were asked, but for those that had nothing to say."""
        ...

    def placements_generated(self, count: int) -> None:
        """Note candidate placements of a group."""
        ...

    def placement_tried(self, status: Status, *, started: float) -> None:
        """Note that a group was tried on a placement."""
        ...

    def batched(self, step: BatchStep, *, started: float) -> None:
        """Note a step of batching."""
        ...


def measured(point: str) -> Callable[[RunnerT], RunnerT]:
    """Let a framework's meter know of every call of a runner.

    Args:
        point: the extension point as upstream's metrics name it, ``PreFilter``.
    """

    def decorate(runner: RunnerT) -> RunnerT:
        @functools.wraps(runner)
        def run(framework: Any, state: CycleState, **arguments: Any) -> Any:
            meter: Meter | None = framework.meter
            if meter is None:
                return runner(framework, state, **arguments)
            started = meter.start()
            answer = runner(framework, state, **arguments)
            skipped = state.skip_score if point == "Score" else state.skip_filter
            meter.ran(point, _status_of(answer), skipped=skipped, started=started)
            return answer

        return cast(RunnerT, run)

    return decorate


def _status_of(answer: Any) -> Status:
    """Return the status in a runner's answer; scores and masks are success."""
    if isinstance(answer, Status):
        return answer
    first = answer[0] if isinstance(answer, tuple) else getattr(answer, "status", None)
    return first if isinstance(first, Status) else SUCCESS
