"""Manifest files become objects; what is wrong is told with its place."""

from __future__ import annotations

import pytest

from kubegang.apimachinery.manifests import ManifestError, load_manifests

TWO = """\
# a comment in front
apiVersion: v1
kind: Pod
metadata: {name: a}
---
# empty
---
apiVersion: v1
kind: Node
metadata:
  name: "on"
"""


def test_documents_keep_their_order_and_their_line() -> None:
    found = load_manifests(TWO, "f.yaml")

    assert [(m.object["kind"], m.where) for m in found] == [
        ("Pod", "f.yaml:2"),
        ("Node", "f.yaml:8"),
    ]
    assert found[1].object["metadata"] == {"name": "on"}


def test_lists_are_unfolded_and_typed_lists_name_their_items() -> None:
    text = '{"apiVersion": "v1", "kind": "List", "items": [{"apiVersion": "v1", "kind": "Pod"}]}'
    typed = "{apiVersion: v1, kind: PodList, items: [{metadata: {name: a}}]}"

    assert load_manifests(text, "f")[0].where == "f:1, items[0]"
    assert load_manifests(typed, "f")[0].object == {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "a"},
    }


@pytest.mark.parametrize(
    ("text", "place"),
    [
        pytest.param("kind: Pod\n  bad: [\n", "f.yaml:2:6", id="not YAML"),
        pytest.param("a: 1\n---\nkind: Pod\n", "f.yaml:1: the object has no apiVersion", id="kind"),
        pytest.param("- 1\n", "f.yaml:1: need an object", id="a list"),
        pytest.param("{apiVersion: v1, kind: A, kind: B}", "f.yaml:1", id="a key twice"),
        pytest.param("a: \x01", "f.yaml:1: ", id="a control character"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(text: str, place: str) -> None:
    with pytest.raises(ManifestError) as caught:
        load_manifests(text, "f.yaml")

    assert str(caught.value).startswith(place)


@pytest.mark.parametrize("text", ["", "\n", "# only a comment\n", "---\n", "---\n---\n"])
def test_a_file_without_objects_is_empty(text: str) -> None:
    assert load_manifests(text, "f.yaml") == []
