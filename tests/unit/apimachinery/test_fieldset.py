"""Sets of fields as trees: algebra, order and printing."""

from __future__ import annotations

from kubegang.apimachinery import fieldset
from kubegang.apimachinery.fieldset import FieldSet
from tests.unit.apimachinery.schemas import POD

SPEC: FieldSet = {
    "f:spec": {
        "f:containers": {'k:{"name":"c"}': {".": {}, "f:image": {}, "f:name": {}}},
        "f:priority": {},
    }
}
IMAGE: FieldSet = {"f:spec": {"f:containers": {'k:{"name":"c"}': {"f:image": {}}}}}


def test_a_union_has_what_either_has() -> None:
    labels: FieldSet = {"f:metadata": {"f:labels": {".": {}, "f:a": {}}}}
    both = fieldset.union(SPEC, labels)
    assert both == {**SPEC, **labels}
    assert fieldset.union(SPEC, {}) is SPEC
    assert fieldset.union({}, SPEC) is SPEC


def test_a_member_without_anything_below_is_not_lost_in_a_union() -> None:
    assert fieldset.union({"f:a": {}}, {"f:a": {"f:b": {}}}) == {"f:a": {".": {}, "f:b": {}}}
    assert fieldset.union({"f:a": {"f:b": {}}}, {"f:a": {}}) == {"f:a": {".": {}, "f:b": {}}}


def test_a_difference_drops_steps_that_lead_nowhere() -> None:
    assert fieldset.difference(SPEC, IMAGE) == {
        "f:spec": {
            "f:containers": {'k:{"name":"c"}': {".": {}, "f:name": {}}},
            "f:priority": {},
        }
    }
    assert fieldset.difference(IMAGE, SPEC) == {}
    assert fieldset.difference({"f:a": {".": {}, "f:b": {}}}, {"f:a": {}}) == {"f:a": {"f:b": {}}}


def test_a_difference_that_takes_nothing_is_the_same_set() -> None:
    assert fieldset.difference(SPEC, {"f:status": {}}) is SPEC


def test_an_intersection_has_what_both_have() -> None:
    assert fieldset.intersection(SPEC, IMAGE) == IMAGE
    assert fieldset.intersection({"f:a": {"f:b": {}}}, {"f:a": {}}) == {}


def test_conflict_texts_name_items_by_their_keys() -> None:
    fields: FieldSet = {
        "f:metadata": {"f:finalizers": {'v:"x"': {}}},
        "f:spec": {
            "f:containers": {
                'k:{"name":"c"}': {
                    "f:ports": {'k:{"containerPort":80,"protocol":"TCP"}': {".": {}, "f:name": {}}}
                }
            },
            "f:priority": {},
        },
    }
    assert list(fieldset.paths(fields)) == [
        '.metadata.finalizers[="x"]',
        ".spec.priority",
        '.spec.containers[name="c"].ports[containerPort=80,protocol="TCP"]',
        '.spec.containers[name="c"].ports[containerPort=80,protocol="TCP"].name',
    ]
    assert fieldset.step_text("i:3") == "[3]"


def test_declared_fields_on_the_way_become_members_but_items_do_not() -> None:
    assert fieldset.with_named_fields(IMAGE, POD) == {
        "f:spec": {
            ".": {},
            "f:containers": {".": {}, 'k:{"name":"c"}': {"f:image": {}}},
        }
    }


def test_steps_are_written_sorted() -> None:
    fields: FieldSet = {"f:b": {}, "f:a": {"k:{}": {}, "f:z": {}, ".": {}}}
    assert list(fieldset.ordered(fields)) == ["f:a", "f:b"]
    assert list(fieldset.ordered(fields)["f:a"]) == [".", "f:z", "k:{}"]
