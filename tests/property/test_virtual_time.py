"""Virtual time: every timer fires at its own time, in order, without waiting for real."""

from __future__ import annotations

import asyncio
import time

from hypothesis import given, settings
from hypothesis import strategies as st

from kubegang.base.clock import VirtualClock, run_virtual

# Quarters, so that sums of them are exact.
PAUSES = st.integers(0, 4 * 86400).map(lambda quarters: quarters / 4)
SLEEPERS = st.lists(st.lists(PAUSES, max_size=4), max_size=5)


async def _sleep(
    clock: VirtualClock, name: int, pauses: list[float], log: list[tuple[float, int]]
) -> None:
    for pause in pauses:
        await clock.sleep(pause)
        log.append((clock.now(), name))


async def _run(sleepers: list[list[float]]) -> tuple[float, list[tuple[float, int]]]:
    clock = VirtualClock(0.0)
    log: list[tuple[float, int]] = []
    await asyncio.gather(
        *(_sleep(clock, name, pauses, log) for name, pauses in enumerate(sleepers))
    )
    return clock.now(), log


def _expected(sleepers: list[list[float]]) -> list[tuple[float, int]]:
    return [
        (sum(pauses[: count + 1]), name)
        for name, pauses in enumerate(sleepers)
        for count in range(len(pauses))
    ]


@settings(derandomize=True, max_examples=60, deadline=None)
@given(SLEEPERS)
def test_sleepers_wake_when_they_asked_to(sleepers: list[list[float]]) -> None:
    began = time.monotonic()
    end, woken = run_virtual(_run(sleepers))
    assert time.monotonic() - began < 5.0
    assert [when for when, _ in woken] == sorted(when for when, _ in woken)
    assert sorted(woken) == sorted(_expected(sleepers))
    assert end == max((sum(pauses) for pauses in sleepers), default=0.0)


@settings(derandomize=True, max_examples=30, deadline=None)
@given(SLEEPERS)
def test_a_run_repeats_itself(sleepers: list[list[float]]) -> None:
    assert run_virtual(_run(sleepers)) == run_virtual(_run(sleepers))
