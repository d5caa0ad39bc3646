"""The dispatcher: bounded, one call per object, important calls first, newer for older."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from kubegang.base.turns import next_turn
from kubegang.scheduler.binder.dispatch import Action, Dispatcher, Lane


class Calls:
    """Scripted calls that note when they begin, and end when they are let go."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self._gates: dict[str, asyncio.Event] = {}

    def call(self, name: str) -> Action:
        gate = self._gates.setdefault(name, asyncio.Event())

        async def run() -> None:
            self.begun.append(name)
            await gate.wait()

        return run

    def let_go(self, *names: str) -> None:
        for name in names:
            self._gates[name].set()


@pytest.fixture
async def dispatcher() -> AsyncIterator[Dispatcher]:
    built = Dispatcher(limit=2)
    running = asyncio.ensure_future(built.run())
    await next_turn()
    yield built
    built.stop()
    await running


async def _turns() -> None:
    for _ in range(5):
        await next_turn()


async def test_no_more_calls_than_the_limit_are_in_flight(dispatcher: Dispatcher) -> None:
    calls = Calls()
    for name in "abc":
        dispatcher.submit(name, calls.call(name), lane=Lane.BIND)
    await _turns()
    assert calls.begun == ["a", "b"]
    calls.let_go("a")
    await _turns()
    assert calls.begun == ["a", "b", "c"]
    calls.let_go("b", "c")
    await dispatcher.wait_idle()


async def test_binding_goes_before_statuses_and_events(dispatcher: Dispatcher) -> None:
    calls = Calls()
    dispatcher.submit("x", calls.call("x"), lane=Lane.EVENT)
    dispatcher.submit("y", calls.call("y"), lane=Lane.EVENT)
    await _turns()
    dispatcher.submit("event", calls.call("event"), lane=Lane.EVENT)
    dispatcher.submit("status", calls.call("status"), lane=Lane.STATUS)
    dispatcher.submit("bind", calls.call("bind"), lane=Lane.BIND)
    calls.let_go("x", "y", "event", "status", "bind")
    await dispatcher.wait_idle()
    assert calls.begun == ["x", "y", "bind", "status", "event"]


async def test_a_newer_call_replaces_one_that_waits(dispatcher: Dispatcher) -> None:
    calls = Calls()
    for name in "ab":
        dispatcher.submit(name, calls.call(name), lane=Lane.STATUS)
    await _turns()
    dispatcher.submit("pod", calls.call("old"), lane=Lane.STATUS)
    dispatcher.submit("pod", calls.call("new"), lane=Lane.STATUS)
    calls.let_go("a", "b", "new")
    await dispatcher.wait_idle()
    assert calls.begun == ["a", "b", "new"]


async def test_a_newer_call_waits_for_the_one_in_flight(dispatcher: Dispatcher) -> None:
    calls = Calls()
    dispatcher.submit("pod", calls.call("first"), lane=Lane.STATUS)
    await _turns()
    dispatcher.submit("pod", calls.call("second"), lane=Lane.STATUS)
    dispatcher.submit("pod", calls.call("third"), lane=Lane.STATUS)
    await _turns()
    assert calls.begun == ["first"]
    calls.let_go("first", "third")
    await dispatcher.wait_idle()
    assert calls.begun == ["first", "third"]


async def test_a_binding_replaces_the_status_that_waits(dispatcher: Dispatcher) -> None:
    calls = Calls()
    for name in "ab":
        dispatcher.submit(name, calls.call(name), lane=Lane.BIND)
    await _turns()
    dispatcher.submit("pod", calls.call("status"), lane=Lane.STATUS)
    dispatcher.submit("pod", calls.call("bind"), lane=Lane.BIND)
    calls.let_go("a", "b", "bind")
    await dispatcher.wait_idle()
    assert calls.begun == ["a", "b", "bind"]


async def test_a_status_does_not_replace_a_binding(dispatcher: Dispatcher) -> None:
    calls = Calls()
    for name in "ab":
        dispatcher.submit(name, calls.call(name), lane=Lane.BIND)
    await _turns()
    dispatcher.submit("pod", calls.call("bind"), lane=Lane.BIND)
    dispatcher.submit("pod", calls.call("status"), lane=Lane.STATUS)
    calls.let_go("a", "b", "bind", "status")
    await dispatcher.wait_idle()
    assert calls.begun == ["a", "b", "bind", "status"]


async def test_calls_from_before_the_start_are_made() -> None:
    calls, dispatcher = Calls(), Dispatcher()
    dispatcher.submit("a", calls.call("a"), lane=Lane.EVENT)
    calls.let_go("a")
    running = asyncio.ensure_future(dispatcher.run())
    await dispatcher.wait_idle()
    dispatcher.stop()
    await running
    assert calls.begun == ["a"]


async def test_what_was_asked_for_before_the_stop_is_still_done() -> None:
    calls, dispatcher = Calls(), Dispatcher(limit=1)
    running = asyncio.ensure_future(dispatcher.run())
    await next_turn()
    for name in "abc":
        dispatcher.submit(name, calls.call(name), lane=Lane.BIND)
    dispatcher.stop()
    calls.let_go("a", "b", "c")
    await running
    assert calls.begun == ["a", "b", "c"]


async def test_news_about_a_pod_does_not_replace_its_binding(dispatcher: Dispatcher) -> None:
    calls = Calls()
    dispatcher.submit("pod", calls.call("older news"), lane=Lane.STATUS)
    await _turns()
    dispatcher.submit("pod", calls.call("bind"), lane=Lane.BIND)
    dispatcher.submit("pod", calls.call("news"), lane=Lane.STATUS)
    calls.let_go("older news", "bind", "news")
    await dispatcher.wait_idle()
    assert calls.begun == ["older news", "bind", "news"]


async def test_who_is_cancelled_begins_nothing_more() -> None:
    calls = Calls()
    dispatcher = Dispatcher()
    running = asyncio.ensure_future(dispatcher.run())
    await next_turn()
    dispatcher.submit("pod", calls.call("first"), lane=Lane.STATUS)
    await _turns()
    dispatcher.submit("pod", calls.call("second"), lane=Lane.STATUS)

    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert calls.begun == ["first"]
