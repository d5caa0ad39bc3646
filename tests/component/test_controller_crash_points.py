"""A fault at each write of each controller in turn: the end is always the same."""

from __future__ import annotations

import random

import pytest

from kubegang.base.clock import run_virtual
from tests.component.controllerstories import ROWS
from tests.component.faultyplay import Played, play, play_and_restart
from tests.component.storyrows import Row

SEEDS = 2


def played(row: Row, **faults: object) -> Played:
    return run_virtual(play(row.play, chosen=frozenset(row.controllers), **faults))


@pytest.mark.parametrize("name", ROWS)
@pytest.mark.parametrize("fault", ["crash_after", "lose_answer_of", "change_before"])
def test_a_fault_at_any_write_changes_nothing_in_the_end(name: str, fault: str) -> None:
    row = ROWS[name]
    want = played(row)
    assert want.writes

    for number, write in enumerate(want.writes, 1):
        found = played(row, **{fault: number})
        assert found.objects == want.objects, f"at write {number}: {write}"


@pytest.mark.parametrize("name", ROWS)
def test_news_that_come_twice_or_in_another_order_change_nothing_in_the_end(name: str) -> None:
    row = ROWS[name]
    want = played(row)

    assert played(row, news_twice=True).objects == want.objects
    for seed in range(SEEDS):
        assert played(row, jitter=random.Random(seed)).objects == want.objects, f"seed {seed}"


@pytest.mark.parametrize("name", ROWS)
def test_when_something_is_deleted_under_a_controller_it_comes_to_rest(name: str) -> None:
    row = ROWS[name]
    chosen = frozenset(row.controllers)

    for number, write in enumerate(played(row).writes, 1):
        left = run_virtual(play_and_restart(row.play, chosen=chosen, delete_before=number))
        assert set(left) <= set(row.again), f"before write {number}: {write}"
