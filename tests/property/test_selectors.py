"""Selectors: writing and reading them back, and what they match."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from hypothesis import given, settings
from hypothesis import strategies as st

from kubegang.apimachinery.fields import parse_field_selector
from kubegang.apimachinery.labels import label_selector_of, parse_label_selector

KEYS = st.sampled_from(["a", "b", "in", "notin", "example.com/role"])
VALUES = st.sampled_from(["", "x", "y", "in", "1", "7", "x.y_z-0"])
LABELS = st.dictionaries(KEYS, VALUES)


class Condition(NamedTuple):
    """One requirement: how it is written, and the naive reading of what it means."""

    key: str
    operator: str
    values: tuple[str, ...]

    def __str__(self) -> str:
        match self.operator:
            case "exists":
                return self.key
            case "absent":
                return f"!{self.key}"
            case "in" | "notin":
                return f"{self.key} {self.operator} ({', '.join(self.values)})"
        return f"{self.key}{self.operator}{self.values[0]}"

    def met_by(self, labels: Mapping[str, str]) -> bool:
        """Return whether the labels meet it."""
        value = labels.get(self.key)
        match self.operator:
            case "exists":
                return value is not None
            case "absent":
                return value is None
            case "in" | "=" | "==":
                return value is not None and value in self.values
        return value is None or value not in self.values


@st.composite
def conditions(draw: st.DrawFn) -> Condition:
    """Return one requirement of any kind."""
    operator = draw(st.sampled_from(["exists", "absent", "in", "notin", "=", "==", "!="]))
    several = operator in {"in", "notin"}
    values = draw(st.lists(VALUES, min_size=1, max_size=3 if several else 1))
    return Condition(draw(KEYS), operator, tuple(values))


@settings(derandomize=True, max_examples=200, deadline=None)
@given(st.lists(conditions(), max_size=3), LABELS)
def test_a_selector_matches_what_meets_all_its_requirements(
    wanted: list[Condition], labels: dict[str, str]
) -> None:
    selector = parse_label_selector(",".join(str(condition) for condition in wanted))
    assert selector.matches(labels) == all(condition.met_by(labels) for condition in wanted)
    assert selector.empty == (not wanted)


@settings(derandomize=True, max_examples=200, deadline=None)
@given(st.lists(conditions(), max_size=3))
def test_a_written_selector_reads_back_as_itself(wanted: list[Condition]) -> None:
    selector = parse_label_selector(",".join(str(condition) for condition in wanted))
    again = parse_label_selector(str(selector))
    assert again.requirements == selector.requirements
    assert str(again) == str(selector)


@settings(derandomize=True, deadline=None)
@given(LABELS, LABELS)
def test_an_object_of_labels_matches_its_supersets(
    wanted: dict[str, str], labels: dict[str, str]
) -> None:
    selector = label_selector_of({"matchLabels": wanted})
    assert selector.matches({**labels, **wanted})
    assert selector.matches(labels) == (wanted.items() <= labels.items())
    assert not label_selector_of(None).matches(labels)


@settings(derandomize=True, deadline=None)
@given(st.dictionaries(st.sampled_from(["metadata.name", "status.phase"]), st.text(max_size=5)))
def test_field_values_may_hold_any_characters_when_escaped(wanted: dict[str, str]) -> None:
    def escaped(value: str) -> str:
        return value.replace("\\", "\\\\").replace(",", "\\,").replace("=", "\\=")

    selector = parse_field_selector(
        ",".join(f"{name}={escaped(value)}" for name, value in wanted.items())
    )
    assert selector.matches(wanted)
    for name, value in wanted.items():
        assert not selector.matches({**wanted, name: value + "x"})
