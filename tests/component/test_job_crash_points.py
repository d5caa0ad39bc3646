"""A fault at each of the controllers' writes in turn: the end is always the same."""

from __future__ import annotations

import pytest

from kubegang.base.clock import run_virtual
from tests.component.jobstories import STORIES, created_pods, play


@pytest.mark.parametrize("name", STORIES)
def test_a_crash_after_any_write_changes_nothing_in_the_end(name: str) -> None:
    want = run_virtual(play(STORIES[name]))
    assert len(want.writes) > 3

    for number, write in enumerate(want.writes, 1):
        found = run_virtual(play(STORIES[name], crash_after=number))
        assert found.objects == want.objects, f"after write {number}: {write}"


@pytest.mark.parametrize("name", STORIES)
def test_a_lost_answer_to_any_write_changes_nothing_in_the_end(name: str) -> None:
    want = run_virtual(play(STORIES[name]))

    for number, write in enumerate(want.writes, 1):
        found = run_virtual(play(STORIES[name], lose_answer_of=number))
        assert found.objects == want.objects, f"answer to write {number}: {write}"
        assert created_pods(found) == created_pods(want), f"answer to write {number}: {write}"


@pytest.mark.parametrize("resource", ["pods", "jobs", "workloads", "podgroups"])
@pytest.mark.parametrize("name", STORIES)
def test_late_news_of_one_kind_changes_nothing_in_the_end(name: str, resource: str) -> None:
    """News of different kinds come in any order, since each has a watch of its own."""
    want = run_virtual(play(STORIES[name]))

    found = run_virtual(play(STORIES[name], late_news={resource: 2.5}))

    assert found.objects == want.objects
    assert created_pods(found) == created_pods(want)
