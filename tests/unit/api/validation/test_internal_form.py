from __future__ import annotations

import re

import pytest

from kubegang.api.facts import load_facts
from kubegang.api.validation.internal_form import go_json_lines, internal_form
from kubegang.api.validation.internal_types import TYPES

FACTS = load_facts("1.37")

# Versions that upstream's internal types follow.
IN_TABLE = re.compile(r"io\.k8s\.api\.(core\.v1|batch\.v1|policy\.v1|scheduling\.v1alpha3)\.")


@pytest.mark.parametrize(
    ("kind", "value", "form"),
    [
        ("Toleration", None, '{"Key":"","Operator":"","Value":"","Effect":""'),
        ("Toleration", {"tolerationSeconds": 0}, '"TolerationSeconds":0}'),
        ("[PodIP]", [{"ip": "1.2.3.4"}], '[{"IP":"1.2.3.4"}]'),
        ("[PodIP]", [], "null"),
        ("*PodOS", None, "null"),
        ("*PodOS", {}, '{"Name":""}'),
        ("selector", {"matchLabels": {"b": "1", "a": "2"}}, '{"matchLabels":{"a":"2","b":"1"}}'),
        ("ResourceRequirements", {"limits": {"cpu": "1000m"}}, '{"Limits":{"cpu":"1"}'),
        ("Volume", {"name": "v", "emptyDir": {}}, '"EmptyDir":{"Medium":"","SizeLimit":null'),
    ],
)
def test_values_have_gos_names_and_zero_values(kind: str, value: object, form: str) -> None:
    assert form in "".join(line.strip() for line in _packed(kind, value))


def _packed(kind: str, value: object) -> list[str]:
    lines = go_json_lines(internal_form(kind, value))
    return [re.sub(r'": ', '":', line) for line in lines]


def test_a_form_is_printed_one_space_deep_per_level() -> None:
    assert go_json_lines(internal_form("PodOS", {"name": "linux"})) == [
        "{",
        ' "Name": "linux"',
        "}",
    ]


def test_a_field_that_the_release_has_not_is_left_out() -> None:
    assert "WorkloadRef" not in internal_form("PodSpec", {})
    reference = {"name": "w", "podGroup": "g"}
    assert internal_form("PodSpec", {"workloadRef": reference})["WorkloadRef"] == {
        "Name": "w",
        "PodGroup": "g",
        "PodGroupReplicaKey": "",
    }


class Probe(dict[str, object]):
    """A wire object without members that notes which ones it is asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: set[str] = set()

    def __bool__(self) -> bool:
        return True

    def get(self, key: str, default: object = None, /) -> object:
        self.asked.add(key)
        return default


def described_types() -> list[tuple[str, str]]:
    """Return the types of the table that OpenAPI also knows, with their names there."""
    definitions = {name.rpartition(".")[2]: name for name in FACTS.names() if IN_TABLE.match(name)}
    types = [line for line in TYPES.strip().split("\n") if not line.startswith(" ")]
    return [(kind, definitions[kind]) for kind in types if kind in definitions]


@pytest.mark.parametrize(("kind", "definition"), described_types())
def test_a_type_of_the_table_has_the_fields_of_the_release(kind: str, definition: str) -> None:
    probe = Probe()
    internal_form(kind, probe)
    assert probe.asked - {"workloadRef"} == set(FACTS.definition(definition).fields)


def test_most_of_the_table_is_compared_with_the_release() -> None:
    assert len(described_types()) > 120


def test_every_type_that_the_table_uses_is_described() -> None:
    named = {line for line in TYPES.strip().split("\n") if not line.startswith(" ")}
    used = set(re.findall(r"(?::[*?\[]*|\+)([A-Z][A-Za-z0-9]+)", TYPES))
    assert used - named == {"ObjectMeta"}
