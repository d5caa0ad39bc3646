"""The changes that explain names make the group start, and no smaller one of their kind does."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

import pytest

from kubegang.app.clustersource import stage_of
from kubegang.tools.cluster.edits import Edit, with_edits
from kubegang.tools.explaining.case import Case, case_of, has_started
from kubegang.tools.explaining.changes.changes import changes_of
from kubegang.tools.explaining.changes.searching import Found, evicts
from kubegang.tools.explaining.quorum import quorum_of
from kubegang.tools.explaining.room import room_of
from tests.property.pendinggroups import group_key, random_source, smaller_ones, starts_with
from tests.property.richergroups import richer_source

PENDING_GROUPS = 200
RICHER_GROUPS = 60


@pytest.mark.timeout(300)
def test_each_named_change_helps_and_brute_force_finds_no_smaller_one_of_its_kind() -> None:
    rng = random.Random(20261130)
    pending, kinds = 0, Counter[str]()
    while pending < PENDING_GROUPS:
        found = random_source(rng)
        case = case_of(found.stage(), group_key(found))
        if has_started(case.key, case.outcome):
            continue
        pending += 1
        changes = changes_of(case, quorum_of(case))
        kinds.update(change.change.kind for change in changes)
        for position, change in enumerate(changes):
            room = change.change.kind == "raise-priority"
            if position == pending % len(changes):
                # On a cluster that is made anew, so that nothing of the search is left in it.
                assert starts_with(found, change.edits, makes_room=room), change.change
            assert helps(case, change.edits, makes_room=room), change.change
            if change.change.smallest:
                assert_no_smaller_one(case, change, makes_room=room)
    assert min(kinds[kind] for kind in ("free", "add-nodes", "lower-min-count")) > 20, kinds


@pytest.mark.timeout(300)
def test_trees_constraints_and_priorities_get_changes_that_help_too() -> None:
    rng = random.Random(20261201)
    pending, trees, kinds = 0, 0, Counter[str]()
    while pending < RICHER_GROUPS:
        found, key = richer_source(rng)
        case = case_of(found.stage(), key)
        if has_started(key, case.outcome) or not case.waiting:
            continue
        pending += 1
        trees += key.kind == "CompositePodGroup"
        for change in changes_of(case, quorum_of(case)):
            kinds.update([change.change.kind])
            room = change.change.kind == "raise-priority"
            anew = case_of(stage_of(with_edits(found.state, change.edits), found.rules), key)
            assert anew.starts() or (room and room_of(anew, ())[0].possible), change.change
            if change.change.smallest:
                assert_no_smaller_one(case, change, makes_room=room)
    assert trees > 10
    assert len(kinds) > 6, kinds


def assert_no_smaller_one(case: Case, found: Found, *, makes_room: bool) -> None:
    for smaller in smaller_ones(case, found):
        assert not helps(case, smaller, makes_room=makes_room), (found.change, smaller)


def helps(case: Case, edits: Sequence[Edit], *, makes_room: bool) -> bool:
    with case.stage.supposing(edits):
        outcome = case.stage.outcome(case.key, makes_room=makes_room)
        return has_started(case.key, outcome) or (makes_room and evicts(outcome))
