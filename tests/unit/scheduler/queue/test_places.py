"""The diagram in the module docstring is the transition table."""

from __future__ import annotations

import re

import pytest

from kubegang.scheduler.cache import states
from kubegang.scheduler.queue import places


def _edges(docstring: str | None) -> set[tuple[str, str]]:
    assert docstring
    return set(re.findall(r"^    ([a-z-]+) -> ([a-z-]+): ", docstring, flags=re.MULTILINE))


def test_the_diagram_of_places_shows_every_move_and_no_other() -> None:
    want = {(a.value, b.value) for a, finishes in places.TRANSITIONS.items() for b in finishes}
    assert _edges(places.__doc__) == want - {("nowhere", "nowhere")}


def test_the_diagram_of_pod_states_shows_every_change_and_no_other() -> None:
    want = {(a.value, b.value) for a, finishes in states.TRANSITIONS.items() for b in finishes}
    assert _edges(states.__doc__) == want


@pytest.mark.parametrize("place", list(places.Place))
def test_every_place_has_a_way_out(place: places.Place) -> None:
    assert places.TRANSITIONS[place] - {place}
