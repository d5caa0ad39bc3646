"""Sets of fields behave as sets of paths do."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from kubegang.apimachinery import fieldset
from kubegang.apimachinery.fieldset import FieldSet

Steps = tuple[str, ...]
STEPS = st.sampled_from(["f:a", "f:b", 'k:{"name":"x"}', 'v:"y"'])
MEMBERS = st.frozensets(st.lists(STEPS, min_size=1, max_size=3).map(tuple), max_size=6)


def _tree(members: frozenset[Steps]) -> FieldSet:
    """Return the members in the form that managedFields have."""
    heads = {steps[0] for steps in members}
    tree: dict[str, Any] = {}
    for head in heads:
        below = _tree(frozenset(steps[1:] for steps in members if steps[0] == head and steps[1:]))
        if below and (head,) in members:
            below = {fieldset.SELF: {}, **below}
        tree[head] = below
    return tree


def _members(tree: FieldSet, prefix: Steps = ()) -> set[Steps]:
    found: set[Steps] = set()
    for step, node in tree.items():
        if step == fieldset.SELF:
            continue
        if fieldset.is_member(node):
            found.add((*prefix, step))
        found |= _members(node, (*prefix, step))
    return found


@settings(derandomize=True, deadline=None)
@given(MEMBERS)
def test_a_tree_has_the_members_it_was_made_of(members: frozenset[Steps]) -> None:
    tree = _tree(members)
    assert _members(tree) == members
    assert fieldset.ordered(tree) == tree
    assert len(list(fieldset.paths(tree))) == len(members)


@settings(derandomize=True, max_examples=300, deadline=None)
@given(MEMBERS, MEMBERS)
def test_the_operations_are_those_of_sets(left: frozenset[Steps], right: frozenset[Steps]) -> None:
    one, other = _tree(left), _tree(right)
    before = copy.deepcopy((one, other))
    assert _members(fieldset.union(one, other)) == left | right
    assert _members(fieldset.difference(one, other)) == left - right
    assert _members(fieldset.intersection(one, other)) == left & right
    assert (one, other) == before


@settings(derandomize=True, max_examples=300, deadline=None)
@given(MEMBERS, MEMBERS)
def test_equal_sets_are_equal_trees(left: frozenset[Steps], right: frozenset[Steps]) -> None:
    one, other = _tree(left), _tree(right)
    assert fieldset.union(one, other) == _tree(left | right)
    assert fieldset.difference(one, other) == _tree(left - right)
    assert fieldset.intersection(one, other) == _tree(left & right)
