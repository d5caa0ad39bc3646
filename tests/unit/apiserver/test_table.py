"""Tables as a whole: columns, what rows carry, and what lists add."""

from __future__ import annotations

from typing import Any

import pytest

from kubegang.api.resources import ROWS
from kubegang.api.scheme import ResourceInfo
from kubegang.api.table_rules import OLDER_TABLE_RULES
from kubegang.apimachinery.objects import JsonObject
from kubegang.apiserver.table import column_definitions, render_table
from tests.unit.apiserver.tables import NOW, ago, info, render


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.group_version}/{row.kind}")
def test_a_bookmark_can_be_rendered_as_any_kind(row: ResourceInfo) -> None:
    bookmark: JsonObject = {"kind": row.kind, "metadata": {"resourceVersion": "9"}}
    table = render_table(
        row, [bookmark], list_meta={}, include_object="Metadata", now=NOW, with_columns=False
    )

    assert table["columnDefinitions"] is None
    assert len(table["rows"][0]["cells"]) == len(column_definitions(row))


def test_wide_columns_have_priority_one() -> None:
    columns = column_definitions(info("v1", "Pod"))

    assert [column["priority"] for column in columns] == [0] * 5 + [1] * 4
    assert columns[0]["format"] == "name"


def test_the_newest_default_storage_class_is_marked_in_a_list_only() -> None:
    annotations = {"storageclass.kubernetes.io/is-default-class": "true"}
    classes = [
        {"metadata": {"name": name, "annotations": marked, "creationTimestamp": created}}
        for name, marked, created in (
            ("a", annotations, ago(90)),
            ("b", annotations, ago(10)),
            ("c", {}, ago(5)),
        )
    ]
    listed = render("storage.k8s.io/v1", "StorageClass", *classes)
    single = render("storage.k8s.io/v1", "StorageClass", classes[1], listed=False)

    assert [row["cells"][0] for row in listed["rows"]] == ["a", "b (default)", "c"]
    assert single["rows"][0]["cells"][0] == "b"


@pytest.mark.parametrize("version", ["v1", "v1beta1"])
def test_rows_carry_as_much_of_the_object_as_asked_for(version: str) -> None:
    obj: JsonObject = {"metadata": {"name": "x", "uid": "u"}, "spec": {}}

    def carried(include: str) -> Any:
        options = {"include_object": include, "version": version}
        return render("coordination.k8s.io/v1", "Lease", obj, **options)["rows"][0]["object"]

    assert carried("None") is None
    assert carried("Object") == obj
    assert carried("Metadata") == {
        "kind": "PartialObjectMetadata",
        "apiVersion": f"meta.k8s.io/{version}",
        "metadata": {"name": "x", "uid": "u"},
    }


def test_the_table_has_the_lists_metadata() -> None:
    table = render("v1", "Namespace")

    assert table["metadata"] == {"resourceVersion": "7"}
    assert table["rows"] == []


def test_a_definition_shows_its_scope_and_versions_since_1_37() -> None:
    names = {"kind": "Set", "plural": "sets", "shortNames": ["s", "st"]}
    versions = [
        {"name": "v1", "served": True, "storage": True},
        {"name": "v1beta1", "served": True, "storage": False},
        {"name": "v1alpha1", "served": False, "storage": False},
    ]
    definition: JsonObject = {
        "metadata": {"name": "sets.example.com", "creationTimestamp": ago(60)},
        "spec": {"group": "example.com", "scope": "Cluster", "names": names, "versions": versions},
        "status": {"conditions": [{"type": "Established", "status": "True"}]},
    }
    kind = ("apiextensions.k8s.io/v1", "CustomResourceDefinition")
    newest = render(*kind, definition)
    older = render(*kind, definition, rules=OLDER_TABLE_RULES)

    assert newest["rows"][0]["cells"] == [
        *("sets.example.com", "Cluster", "v1(storage),v1beta1", ago(60)),
        *("example.com", "Set", "s,st", True),
    ]
    assert [column["priority"] for column in newest["columnDefinitions"]] == [0] * 4 + [1] * 4
    assert older["rows"][0]["cells"] == ["sets.example.com", ago(60)]
    assert [column["name"] for column in older["columnDefinitions"]] == ["Name", "Created At"]
