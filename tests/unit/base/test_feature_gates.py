"""Feature gates."""

from __future__ import annotations

import pytest

from kubegang.base.feature_gates import FeatureGates, UnknownGateError

GATES = FeatureGates({"GangScheduling": True, "TopologyAwareWorkloadScheduling": False})


def test_a_gate_is_on_or_off() -> None:
    assert GATES.enabled("GangScheduling")
    assert not GATES.enabled("TopologyAwareWorkloadScheduling")
    assert dict(GATES) == {"GangScheduling": True, "TopologyAwareWorkloadScheduling": False}
    assert len(GATES) == 2


def test_an_unknown_gate_is_an_error_and_not_off() -> None:
    with pytest.raises(UnknownGateError, match="unknown feature gate 'GangSchedulin'; known: Gang"):
        GATES.enabled("GangSchedulin")
    assert "GangSchedulin" not in GATES


@pytest.mark.parametrize(
    ("name", "want"),
    [("GangScheduling", True), ("TopologyAwareWorkloadScheduling", False), ("Newer", False)],
)
def test_asking_across_releases(name: str, *, want: bool) -> None:
    assert GATES.enabled_if_known(name) is want


def test_changes_make_a_copy() -> None:
    changed = GATES.with_changes({"GangScheduling": False})
    assert not changed["GangScheduling"]
    assert GATES["GangScheduling"]


def test_only_known_gates_are_changed() -> None:
    with pytest.raises(UnknownGateError):
        GATES.with_changes({"Newer": True})


def test_the_values_given_are_copied() -> None:
    values = {"GangScheduling": True}
    gates = FeatureGates(values)
    values["GangScheduling"] = False
    assert gates["GangScheduling"]
