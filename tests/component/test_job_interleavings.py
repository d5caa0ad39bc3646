"""Requests, answers and news come in another order each time: the end is always the same."""

from __future__ import annotations

import os
import random

import pytest

from kubegang.base.clock import run_virtual
from tests.component.jobstories import STORIES, created_pods, play
from tests.joblife.cases import make_case

SEEDS = int(os.environ.get("KUBEGANG_JITTER_SEEDS", "8"))
"""From the environment: how many orders are tried, and with how many random Jobs."""


@pytest.mark.parametrize("name", STORIES)
def test_the_order_in_which_things_happen_changes_nothing_in_the_end(name: str) -> None:
    want = run_virtual(play(STORIES[name]))

    for seed in range(SEEDS):
        found = run_virtual(play(STORIES[name], jitter=random.Random(seed)))
        assert found.objects == want.objects, f"seed {seed}"
        assert created_pods(found) == created_pods(want), f"seed {seed}"


@pytest.mark.parametrize("seed", range(3 * SEEDS))
def test_nor_does_it_for_random_jobs(seed: int) -> None:
    case = make_case(seed)

    want = run_virtual(play(case))
    found = run_virtual(play(case, jitter=random.Random(seed)))

    assert found.objects == want.objects
