"""Once each, never twice at a time, later after failures."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from kubegang.base.clock import VirtualClock, run_virtual
from kubegang.client.backoff import NO_CHANCE, pause_seconds
from kubegang.client.workqueue import WorkQueue

Story = Callable[[WorkQueue[str], VirtualClock], Awaitable[None]]


def run(story: Story) -> None:
    async def main() -> None:
        clock = VirtualClock(1_000)
        await story(WorkQueue(clock, NO_CHANCE, first_seconds=1, longest_seconds=10), clock)

    run_virtual(main())


def nothing_ready(queue: WorkQueue[str]) -> bool:
    return len(queue) == 0


def test_keys_come_in_the_order_in_which_they_were_added() -> None:
    async def story(queue: WorkQueue[str], clock: VirtualClock) -> None:
        for key in "bca":
            queue.add(key)
        assert [await queue.get() for _ in range(3)] == ["b", "c", "a"]

    run(story)


def test_a_key_that_is_added_twice_comes_once() -> None:
    async def story(queue: WorkQueue[str], clock: VirtualClock) -> None:
        queue.add("a")
        queue.add("a")
        assert await queue.get() == "a"
        queue.done("a")
        assert nothing_ready(queue)

    run(story)


def test_a_key_added_during_work_on_it_comes_again_afterwards() -> None:
    async def story(queue: WorkQueue[str], clock: VirtualClock) -> None:
        queue.add("a")
        await queue.get()
        queue.add("a")
        other = asyncio.ensure_future(queue.get())
        await clock.sleep(1)
        assert not other.done()

        queue.done("a")

        assert await other == "a"

    run(story)


def test_a_waiting_worker_gets_what_is_added() -> None:
    async def story(queue: WorkQueue[str], clock: VirtualClock) -> None:
        workers = [asyncio.ensure_future(queue.get()) for _ in range(2)]
        await clock.sleep(1)
        queue.add("a")
        queue.add("b")
        assert sorted(await asyncio.gather(*workers)) == ["a", "b"]

    run(story)


def test_a_delayed_key_comes_at_its_time() -> None:
    async def story(queue: WorkQueue[str], clock: VirtualClock) -> None:
        queue.add_after("late", 60)
        queue.add_after("soon", 5)
        assert await queue.get() == "soon"
        assert clock.now() == 1_005
        assert await queue.get() == "late"
        assert clock.now() == 1_060

    run(story)


def test_setting_the_clock_back_delays_no_key() -> None:
    async def story(queue: WorkQueue[str], clock: VirtualClock) -> None:
        queue.add_after("a", 10)
        await clock.sleep(5)
        clock.set_forward = -3600
        began = clock.steady()
        assert await queue.get() == "a"
        assert clock.steady() - began == 5

    run(story)


def test_a_worker_that_waits_for_a_late_key_gets_an_early_one() -> None:
    async def story(queue: WorkQueue[str], clock: VirtualClock) -> None:
        queue.add_after("late", 60)
        worker = asyncio.ensure_future(queue.get())
        await clock.sleep(1)
        queue.add_after("soon", 5)
        assert await worker == "soon"
        assert clock.now() == 1_006

    run(story)


def test_of_several_times_for_a_key_the_earliest_counts() -> None:
    async def story(queue: WorkQueue[str], clock: VirtualClock) -> None:
        for seconds in (60, 5, 30):
            queue.add_after("a", seconds)
        await queue.get()
        assert clock.now() == 1_005
        queue.done("a")
        await clock.sleep(100)
        worker = asyncio.ensure_future(queue.get())
        await clock.sleep(100)
        assert not worker.done()
        worker.cancel()

    run(story)


def test_a_key_that_comes_now_still_comes_at_its_time() -> None:
    """A deadline that somebody asked for is not lost to an event that comes before it."""

    async def story(queue: WorkQueue[str], clock: VirtualClock) -> None:
        queue.add_after("a", 60)
        queue.add("a")
        assert await queue.get() == "a"
        assert clock.now() == 1_000
        queue.done("a")
        assert await queue.get() == "a"
        assert clock.now() == 1_060

    run(story)


def test_no_time_is_now() -> None:
    async def story(queue: WorkQueue[str], clock: VirtualClock) -> None:
        queue.add_after("a", 0)
        assert await queue.get() == "a"
        assert clock.now() == 1_000

    run(story)


def test_pauses_after_failures_grow_until_the_key_is_forgotten() -> None:
    async def story(queue: WorkQueue[str], clock: VirtualClock) -> None:
        times = []
        for _ in range(6):
            before = clock.now()
            queue.add_rate_limited("a")
            await queue.get()
            queue.done("a")
            times.append(round(clock.now() - before, 6))
        assert times == [0.75, 1.5, 3, 6, 7.5, 7.5]
        assert queue.failures("a") == 6

        queue.forget("a")
        assert queue.failures("a") == 0

    run(story)


class Chance:
    """A source of chance that always draws the same."""

    def __init__(self, drawn: float) -> None:
        self._drawn = drawn

    def random(self) -> float:
        return self._drawn


@pytest.mark.parametrize(("drawn", "want"), [(0.0, 4.0), (0.5, 6.0), (0.999999, 8.0)])
def test_chance_takes_off_up_to_half_of_a_pause(drawn: float, want: float) -> None:
    pause = pause_seconds(4, Chance(drawn), first_seconds=1, longest_seconds=100)

    assert pause == pytest.approx(want, abs=0.001)


def test_very_many_failures_do_not_overflow() -> None:
    assert pause_seconds(10**6, NO_CHANCE, first_seconds=1, longest_seconds=8) == 6
