"""Clocks, real and virtual."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest

from kubegang.base.clock import RealClock, VirtualClock, run_virtual
from kubegang.base.turns import next_turn

HOUR = 3600.0


def test_an_hour_takes_no_real_time() -> None:
    async def main() -> float:
        clock = VirtualClock(1000.0)
        await clock.sleep(HOUR)
        return clock.now()

    began = time.monotonic()
    assert run_virtual(main()) == 1000.0 + HOUR
    assert time.monotonic() - began < 1.0


def test_timers_fire_in_their_order_and_at_their_times() -> None:
    async def main() -> list[tuple[float, str]]:
        clock = VirtualClock(0.0)
        fired: list[tuple[float, str]] = []

        async def ring(name: str, seconds: float) -> None:
            await clock.sleep(seconds)
            fired.append((clock.now(), name))

        await asyncio.gather(ring("day", 24 * HOUR), ring("second", 1.0), ring("hour", HOUR))
        return fired

    assert run_virtual(main()) == [(1.0, "second"), (HOUR, "hour"), (24 * HOUR, "day")]


def test_setting_the_time_of_day_leaves_the_steady_time_alone() -> None:
    async def main() -> tuple[float, float]:
        clock = VirtualClock(1000.0)
        began = clock.steady()
        clock.set_forward = -HOUR
        await clock.sleep(10.0)
        return clock.now(), clock.steady() - began

    assert run_virtual(main()) == (1010.0 - HOUR, 10.0)


def test_both_real_times_are_alike_until_somebody_sets_the_clock() -> None:
    clock = RealClock()
    assert abs(clock.now() - clock.steady()) < 60
    first = clock.steady()
    assert clock.steady() >= first


def test_no_time_passes_while_somebody_works() -> None:
    async def main() -> float:
        clock = VirtualClock(0.0)
        sleeper = asyncio.create_task(clock.sleep(1.0))
        for _ in range(100):
            await next_turn()
        passed = clock.now()
        await sleeper
        return passed

    assert run_virtual(main()) == 0.0


def test_a_timeout_is_virtual_too() -> None:
    async def main() -> float:
        clock = VirtualClock(0.0)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(HOUR):
                await asyncio.Event().wait()
        return clock.now()

    assert run_virtual(main()) == HOUR


def test_a_thread_is_waited_for() -> None:
    async def main() -> str:
        return await asyncio.to_thread(lambda: "done")

    assert run_virtual(main()) == "done"


def test_an_error_leaves_the_loop() -> None:
    async def main() -> None:
        await VirtualClock(0.0).sleep(1.0)
        raise LookupError

    with pytest.raises(LookupError):
        run_virtual(main())


def test_runs_do_not_share_their_time() -> None:
    async def main() -> float:
        clock = VirtualClock(0.0)
        await clock.sleep(5.0)
        return clock.now()

    assert [run_virtual(main()), run_virtual(main())] == [5.0, 5.0]


async def test_the_real_clock_is_the_operating_system_s(tmp_path: Path) -> None:
    clock = RealClock()
    before = clock.now()
    await clock.sleep(0.01)
    assert clock.now() > before
    written = tmp_path / "now"
    written.touch()
    assert abs(before - written.stat().st_mtime) < 60.0
