"""The least number, and the fewest things, that help."""

from __future__ import annotations

import operator
from functools import partial

from kubegang.tools.explaining.changes.searching import least, smallest_subset


def test_the_least_number_that_helps_is_found() -> None:
    assert [least(10, partial(operator.le, n)) for n in (1, 4, 10, 11)] == [1, 4, 10, None]
    assert least(0, lambda _: True) is None


def test_the_fewest_things_are_found_and_proven() -> None:
    assert smallest_subset("abcd", lambda some: {"b", "d"} <= set(some)) == (("b", "d"), True)
    assert smallest_subset("ab", lambda _: False) is None
    assert smallest_subset("", lambda _: True) is None


def test_of_many_things_the_first_ones_are_taken_and_nothing_is_claimed() -> None:
    many = range(100)

    found = smallest_subset(many, lambda some: len(some) >= 3)

    assert found == (range(3), False)
