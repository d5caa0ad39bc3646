"""Giving way lets others run, and takes no time."""

from __future__ import annotations

import asyncio

from kubegang.base.turns import next_turn


async def test_everything_that_is_ready_runs_before_we_go_on() -> None:
    order: list[str] = []

    async def other() -> None:
        order.append("other")

    task = asyncio.ensure_future(other())
    order.append("before")
    await next_turn()
    order.append("after")

    assert order == ["before", "other", "after"]
    await task
