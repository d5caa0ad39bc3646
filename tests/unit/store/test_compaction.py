"""What may go and what stays."""

from __future__ import annotations

import asyncio

from kubegang.base.clock import VirtualClock, run_virtual
from kubegang.store.compaction import CompactionPolicy, Retention, compact_regularly
from kubegang.store.interface import Revision
from kubegang.store.memory import MemoryStore


def ask(policy: CompactionPolicy, now: float, revision: int) -> int:
    return policy.compactable(now=now, revision=Revision(revision))


def test_nothing_goes_before_its_time() -> None:
    policy = CompactionPolicy(Retention(seconds=300, revisions=10))

    assert ask(policy, 0, 100) == 0
    assert ask(policy, 299, 5_000) == 0


def test_what_is_old_and_far_behind_goes() -> None:
    policy = CompactionPolicy(Retention(seconds=300, revisions=10))
    ask(policy, 0, 100)
    ask(policy, 100, 200)

    assert ask(policy, 300, 5_000) == 100
    assert ask(policy, 400, 5_000) == 200


def test_a_quiet_store_keeps_its_last_revisions_whatever_their_age() -> None:
    policy = CompactionPolicy(Retention(seconds=300, revisions=10))
    ask(policy, 0, 100)

    assert ask(policy, 1_000, 105) == 95
    assert ask(policy, 9_000, 105) == 95
    assert ask(policy, 9_100, 200) == 105


async def fill_and_wait() -> tuple[int, int]:
    store = MemoryStore()
    clock = VirtualClock(0)
    retention = Retention(seconds=300, revisions=5)
    compacting = asyncio.create_task(compact_regularly(store, clock, retention=retention))
    for number in range(20):
        await store.create(f"/{number}", lambda _: b"x")
    await clock.sleep(400)
    compacting.cancel()
    return store.compacted, store.revision


def test_a_store_is_compacted_as_time_passes() -> None:
    compacted, revision = run_virtual(fill_and_wait())

    assert compacted == revision - 5
