"""Whether nodes match a selector, and which: for all nodes at once, or for a single one.

An expression is evaluated once per distinct label value, not once per node. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from kubegang.apimachinery.gointegers import parse_int64
from kubegang.scheduler.framework.nodes import NodeInfo
from kubegang.scheduler.framework.nodetable import BoolArray, NodeTable
from kubegang.scheduler.framework.pods import NodeName
from kubegang.scheduler.framework.terms import NodeAffinityTerms, NodeSelectorTerm, Requirement

NAME_FIELD: Final = "metadata.name"


def is_demanding(terms: NodeAffinityTerms) -> bool:
    """Return whether the terms can exclude any node."""
    return bool(terms.selector) or terms.required is not None


def demanded_nodes(table: NodeTable, terms: NodeAffinityTerms) -> BoolArray:
    """Return which nodes match the selector and one of the required terms."""
    mask = np.ones(table.size, dtype=np.bool_)
    for key, value in terms.selector:
        mask &= _label_matches(table, Requirement(key, "In", (value,)))
    if terms.required is not None:
        mask &= _any_term(table, terms.required)
    return mask


def matching_nodes(table: NodeTable, term: NodeSelectorTerm) -> BoolArray:
    """Return which nodes match all expressions of a term; none if it has none."""
    if not term.expressions and not term.fields:
        return np.zeros(table.size, dtype=np.bool_)
    mask = np.ones(table.size, dtype=np.bool_)
    for requirement in term.expressions:
        mask &= _label_matches(table, requirement)
    for requirement in term.fields:
        mask &= _field_matches(table, requirement)
    return mask


def node_is_demanded(node: NodeInfo, terms: NodeAffinityTerms) -> bool:
    """Return whether one node matches the selector and one of the required terms."""
    if any(node.labels.get(key) != value for key, value in terms.selector):
        return False
    return terms.required is None or any(_term_holds(node, term) for term in terms.required)


def _any_term(table: NodeTable, terms: Sequence[NodeSelectorTerm]) -> BoolArray:
    mask = np.zeros(table.size, dtype=np.bool_)
    for term in terms:
        mask |= matching_nodes(table, term)
    return mask


def _label_matches(table: NodeTable, requirement: Requirement) -> BoolArray:
    column = table.label(requirement.key)
    # The last entry answers for nodes without the label: their position is -1.
    answers = np.empty(len(column.values) + 1, dtype=np.bool_)
    for position, value in enumerate(column.values):
        answers[position] = _holds(requirement, value)
    answers[-1] = _holds(requirement, None)
    matches: BoolArray = answers[column.ids]
    return matches


def _field_matches(table: NodeTable, requirement: Requirement) -> BoolArray:
    name = _only_name(requirement)
    if name is None:
        return np.zeros(table.size, dtype=np.bool_)
    wanted = requirement.operator == "In"
    mask = np.full(table.size, not wanted, dtype=np.bool_)
    row = table.row(name)
    if row is not None:
        mask[row] = wanted
    return mask


def _only_name(requirement: Requirement) -> NodeName | None:
    # The API allows one field, two operators and one value; anything else matches nothing.
    if requirement.key != NAME_FIELD or requirement.operator not in ("In", "NotIn"):
        return None
    return NodeName(requirement.values[0]) if len(requirement.values) == 1 else None


def _term_holds(node: NodeInfo, term: NodeSelectorTerm) -> bool:
    if not term.expressions and not term.fields:
        return False
    return all(_holds(r, node.labels.get(r.key)) for r in term.expressions) and all(
        _field_holds(node, r) for r in term.fields
    )


def _field_holds(node: NodeInfo, requirement: Requirement) -> bool:
    name = _only_name(requirement)
    return name is not None and (node.name == name) == (requirement.operator == "In")


def _holds(requirement: Requirement, value: str | None) -> bool:
    operator, values = requirement.operator, requirement.values
    if operator == "In":
        return value is not None and value in values
    if operator == "NotIn":
        return value is None or value not in values
    if operator == "Exists":
        return value is not None
    if operator == "DoesNotExist":
        return value is None
    if operator in ("Gt", "Lt") and value is not None and len(values) == 1:
        return _compares(operator, value, values[0])
    return False


def _compares(operator: str, value: str, bound: str) -> bool:
    number, limit = parse_int64(value), parse_int64(bound)
    if number is None or limit is None:
        return False
    return number > limit if operator == "Gt" else number < limit
