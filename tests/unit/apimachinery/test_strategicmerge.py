"""Strategic merge patch; the answers are those of kube-apiserver 1.37.2."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from kubegang.apimachinery.errors import ApiError, BadRequestError, InvalidError, UnexplainedError
from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.strategicmerge import strategic_merge_patch
from tests.unit.apimachinery.schemas import POD, STRING, array, struct

DOC: JsonObject = {
    "metadata": {
        "name": "p",
        "labels": {"k": "v", "l": "m"},
        "finalizers": ["example.com/a", "example.com/b"],
    },
    "spec": {
        "containers": [
            {
                "name": "a",
                "image": "i:1",
                "env": [{"name": "X", "value": "1"}, {"name": "Y", "value": "2"}],
                "ports": [{"containerPort": 80, "protocol": "TCP"}],
            },
            {"name": "b", "image": "i:1"},
        ],
        "tolerations": [{"key": "a", "operator": "Exists"}],
        "restartPolicy": "Always",
    },
}


def _merge(patch: JsonObject) -> JsonObject:
    before, asked = copy.deepcopy(DOC), copy.deepcopy(patch)
    result = strategic_merge_patch(DOC, patch, POD)
    assert (before, asked) == (DOC, patch)
    return result


def _containers(patch: Any, **more: Any) -> list[tuple[str, str | None]]:
    merged = _merge({"spec": {"containers": patch, **more}})["spec"]["containers"]
    return [(container["name"], container.get("image")) for container in merged]


def _metadata(**patch: Any) -> Any:
    return _merge({"metadata": patch})["metadata"]


def test_items_are_joined_by_their_merge_key() -> None:
    assert _containers([{"name": "b", "image": "i:2"}]) == [("a", "i:1"), ("b", "i:2")]


def test_new_items_come_first_and_known_ones_stay_in_place() -> None:
    patch = [{"name": "n", "image": "x"}, {"name": "a", "image": "y"}]
    assert _containers(patch) == [("n", "x"), ("a", "y"), ("b", "i:1")]


def test_two_new_items_with_one_key_are_joined() -> None:
    patch = [{"name": "n", "image": "x"}, {"name": "n", "args": ["y"]}]
    assert _containers(patch) == [("n", "x"), ("a", "i:1"), ("b", "i:1")]


def test_items_are_removed_and_lists_replaced_on_demand() -> None:
    assert _containers([{"name": "a", "$patch": "delete"}]) == [("b", "i:1")]
    assert _containers([{"$patch": "replace"}, {"name": "n"}]) == [("n", None)]


def test_nested_lists_are_merged_too() -> None:
    env = [{"name": "Z", "value": "3"}, {"name": "X", "value": "9"}]
    merged = _merge({"spec": {"containers": [{"name": "a", "env": env}]}})
    names = [(e["name"], e["value"]) for e in merged["spec"]["containers"][0]["env"]]
    assert names == [("Z", "3"), ("X", "9"), ("Y", "2")]


def test_the_order_asked_for_is_kept() -> None:
    order = [{"name": "b"}, {"name": "a"}]
    patch = [{"name": "b", "image": "i:3"}]
    want = [("b", "i:3"), ("a", "i:1")]
    assert _containers(patch, **{"$setElementOrder/containers": order}) == want
    spec = _merge({"spec": {"$setElementOrder/containers": order}})["spec"]
    assert [container["name"] for container in spec["containers"]] == ["b", "a"]


def test_lists_without_a_merge_strategy_are_replaced_directives_and_all() -> None:
    patch = [{"$patch": "replace"}, {"key": "z"}]
    assert _merge({"spec": {"tolerations": patch}})["spec"]["tolerations"] == patch


def test_primitive_lists_are_joined_as_sets() -> None:
    patch = ["example.com/c", "example.com/a"]
    want = ["example.com/c", "example.com/a", "example.com/b"]
    assert _metadata(finalizers=patch)["finalizers"] == want


def test_items_of_primitive_lists_are_removed_by_name() -> None:
    directive = "$deleteFromPrimitiveList/finalizers"
    assert _metadata(**{directive: ["example.com/a"]})["finalizers"] == ["example.com/b"]
    # Not a list: nothing happens.
    assert len(_metadata(**{directive: "x"})["finalizers"]) == 2
    assert "finalizers" not in _metadata(**{directive: None})


def test_an_order_may_be_given_for_primitive_lists() -> None:
    order = ["example.com/b", "example.com/a"]
    assert _metadata(**{"$setElementOrder/finalizers": order})["finalizers"] == order
    added = _metadata(finalizers=["n2", "n1"], **{"$setElementOrder/finalizers": []})
    # Upstream's sort does this with items that neither side's order knows.
    assert added["finalizers"] == ["example.com/a", "example.com/b", "n1", "n2"]


@pytest.mark.parametrize(
    ("labels", "want"),
    [
        ({"k": None}, {"l": "m"}),
        ({"$patch": "delete"}, {}),
        ({"$patch": "replace", "z": "1"}, {"z": "1"}),
        ({"$retainKeys": ["k"]}, {"k": "v"}),
        ({"$retainKeys": ["k", "n"], "n": "1"}, {"k": "v", "n": "1"}),
    ],
)
def test_maps_obey_null_and_directives(labels: JsonObject, want: JsonObject) -> None:
    assert _metadata(labels=labels)["labels"] == want


def test_new_values_lose_nulls_and_directives() -> None:
    annotations = {"x": None, "y": {"$patch": "delete"}, "z": "1"}
    assert _metadata(annotations=annotations)["annotations"] == {"z": "1"}
    assert "annotations" not in _metadata(annotations={"$patch": "delete"})


def test_the_whole_object_may_be_replaced() -> None:
    assert _merge({"$patch": "replace", "metadata": {"name": "p"}}) == {"metadata": {"name": "p"}}
    assert _merge({"$patch": "delete"}) == {}


ELEMENTS = "list element types are not identical: [[map[image:i:1 name:b]] [x]]"


@pytest.mark.parametrize(
    ("patch", "want_error", "want"),
    [
        (
            {"spec": {"containers": [{"image": "i:2"}]}},
            UnexplainedError,
            "map: map[image:i:2] does not contain declared merge key: name",
        ),
        (
            {"spec": {"containers": [{"name": "a", "ports": [{"name": "x"}]}]}},
            UnexplainedError,
            "map: map[name:x] does not contain declared merge key: containerPort",
        ),
        (
            {"metadata": {"labels": {"$patch": "explode"}}},
            UnexplainedError,
            "unknown patch type: explode in map: map[$patch:explode]",
        ),
        (
            {"metadata": {"labels": {"$patch": 5}}},
            UnexplainedError,
            "unknown patch type: %!s(int64=5) in map: map[$patch:5]",
        ),
        (
            {"spec": {"containers": [{"$patch": "explode", "name": "a"}]}},
            UnexplainedError,
            "unknown patch type: explode in map: map[$patch:explode name:a]",
        ),
        (
            {"spec": {"containers": [{"$patch": "merge", "name": "a"}]}},
            UnexplainedError,
            "merging lists cannot yet be specified in the patch",
        ),
        (
            {"spec": {"containers": [{"$patch": "delete"}]}},
            UnexplainedError,
            "map: map[$patch:delete] does not contain declared merge key: name",
        ),
        (
            {"metadata": {"$setElementOrder/finalizers": "x"}},
            UnexplainedError,
            "expected a []interface {}, but received a string",
        ),
        (
            {
                "spec": {
                    "$setElementOrder/containers": [{"name": "b"}],
                    "containers": [{"name": "a", "image": "z"}],
                }
            },
            UnexplainedError,
            "The order in patch list:\n[map[image:z name:a]]\n doesn't match "
            "$setElementOrder list:\n[map[name:b]]\n",
        ),
        (
            {"spec": {"$setElementOrder/bogus": [{"name": "d"}]}},
            UnexplainedError,
            'unable to find api field in struct PodSpec for the json field "bogus"',
        ),
        (
            {"spec": {"$setElementOrder": []}},
            BadRequestError,
            "invalid patch format of setElementOrder list",
        ),
        (
            {"spec": {"$deleteFromPrimitiveList": []}},
            BadRequestError,
            "invalid patch format of primitive list",
        ),
        (
            {"spec": {"$retainKeys": ["containers"], "restartPolicy": "x"}},
            BadRequestError,
            "invalid patch format of retainKeys",
        ),
        (
            {"spec": {"$retainKeys": "x"}},
            BadRequestError,
            "invalid patch format of retainKeys",
        ),
        (
            {"metadata": {"finalizers": [["x"]]}},
            UnexplainedError,
            "list element types are not identical: [[example.com/a example.com/b] [[x]]]",
        ),
    ],
)
def test_a_malformed_patch_fails_as_upstream(
    patch: JsonObject, want_error: type[ApiError], want: str
) -> None:
    with pytest.raises(want_error) as refused:
        _merge(patch)
    assert refused.value.message == want


def test_lists_of_lists_are_refused() -> None:
    field = array(array(STRING))
    field.patch_strategies = frozenset({"merge"})
    schema = struct("Odd", {"lists": field})
    with pytest.raises(InvalidError):
        strategic_merge_patch({"lists": [["a"]]}, {"lists": [["b"]]}, schema)


def test_elements_of_different_types_are_refused() -> None:
    doc = {"spec": {"containers": [{"name": "b", "image": "i:1"}]}}
    with pytest.raises(UnexplainedError) as refused:
        strategic_merge_patch(doc, {"spec": {"containers": ["x"]}}, POD)
    assert refused.value.message == ELEMENTS
