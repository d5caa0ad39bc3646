"""Field ownership; what is expected was measured on kube-apiserver 1.37.2."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from kubegang.apimachinery import managedfields
from kubegang.apimachinery.errors import BadRequestError, ConflictError, UnexplainedError
from kubegang.apimachinery.objects import JsonObject
from tests.unit.apimachinery.schemas import CONFIG_MAP, POD

NOW, LATER = "2026-11-29T18:15:13Z", "2026-11-29T18:16:00Z"


def _map(data: JsonObject | None = None, **metadata: Any) -> JsonObject:
    obj: JsonObject = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}}
    obj["metadata"].update(metadata)
    if data is not None:
        obj["data"] = data
    return obj


def _pod(*containers: JsonObject, **spec: Any) -> JsonObject:
    if containers:
        spec["containers"] = list(containers)
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": spec}


def _created(obj: JsonObject, manager: str = "poster") -> JsonObject:
    return _updated(None, obj, manager)


def _updated(
    old: JsonObject | None,
    new: JsonObject,
    manager: str,
    *,
    subresource: str = "",
    now: str = NOW,
) -> JsonObject:
    """Record a write as the API server does: objects have a uid, and pods a status."""
    new = copy.deepcopy(new)
    before = copy.deepcopy(old)
    managedfields.record_update(
        old,
        new,
        schema=POD if new["kind"] == "Pod" else CONFIG_MAP,
        manager=manager,
        api_version="v1",
        subresource=subresource,
        now=now,
    )
    assert old == before
    new["metadata"]["uid"] = "u"
    if new["kind"] == "Pod":
        new.setdefault("status", {})
    return new


def _applied(
    live: JsonObject | None,
    config: JsonObject,
    manager: str,
    *,
    force: bool = False,
    subresource: str = "",
    now: str = NOW,
) -> JsonObject:
    before = copy.deepcopy((live, config))
    result = managedfields.apply(
        live,
        config,
        schema=POD if config["kind"] == "Pod" else CONFIG_MAP,
        manager=manager,
        api_version="v1",
        subresource=subresource,
        force=force,
        now=now,
    )
    assert (live, config) == before
    result["metadata"]["uid"] = "u"
    return result


def _owned(obj: JsonObject) -> dict[str, Any]:
    """Return what each manager owns, keyed ``name/operation[/subresource]``."""
    owned = {}
    for entry in obj["metadata"].get("managedFields", []):
        key = f"{entry['manager']}/{entry['operation']}"
        if "subresource" in entry:
            key += f"/{entry['subresource']}"
        owned[key] = entry["fieldsV1"]
    return owned


def _times(obj: JsonObject) -> dict[str, str | None]:
    entries = obj["metadata"].get("managedFields", [])
    return {entry["manager"]: entry.get("time") for entry in entries}


# Updates


def test_a_creator_owns_what_is_not_there_in_an_empty_object() -> None:
    assert _created(_map({"a": "1"}))["metadata"]["managedFields"] == [
        {
            "manager": "poster",
            "operation": "Update",
            "apiVersion": "v1",
            "time": NOW,
            "fieldsType": "FieldsV1",
            "fieldsV1": {"f:data": {".": {}, "f:a": {}}},
        }
    ]


def test_lists_that_are_always_written_are_not_owned_themselves() -> None:
    pod = _created(_pod({"name": "c", "image": "i", "resources": {}}, nodeSelector={"a": "b"}))
    assert _owned(pod)["poster/Update"] == {
        "f:spec": {
            "f:containers": {
                'k:{"name":"c"}': {".": {}, "f:image": {}, "f:name": {}, "f:resources": {}}
            },
            "f:nodeSelector": {},
        }
    }


def test_list_keys_that_are_missing_have_their_defaults() -> None:
    pod = _created(_pod({"name": "c", "ports": [{"containerPort": 80}]}))
    container = _owned(pod)["poster/Update"]["f:spec"]["f:containers"]['k:{"name":"c"}']
    assert list(container["f:ports"]) == [".", 'k:{"containerPort":80,"protocol":"TCP"}']


def test_the_server_s_own_metadata_and_status_belong_to_nobody() -> None:
    pod = _pod(priority=1)
    pod["metadata"] |= {"namespace": "n", "uid": "x", "labels": {"a": "b"}}
    pod["status"] = {"phase": "Running"}
    assert _owned(_created(pod))["poster/Update"] == {
        "f:metadata": {"f:labels": {".": {}, "f:a": {}}},
        "f:spec": {"f:priority": {}},
    }


def test_an_update_takes_over_what_it_changes() -> None:
    live = _created(_map({"a": "1", "b": "1"}))
    new = _updated(live, {**live, "data": {"a": "2", "b": "1", "c": "3"}}, "upd", now=LATER)
    assert _owned(new) == {
        "poster/Update": {"f:data": {".": {}, "f:b": {}}},
        "upd/Update": {"f:data": {"f:a": {}, "f:c": {}}},
    }
    assert _times(new) == {"poster": NOW, "upd": LATER}


def test_what_is_removed_nobody_owns_and_the_remover_gains_nothing() -> None:
    live = _created(_map({"a": "1", "b": "1"}))
    new = _updated(live, {**live, "data": {"b": "1"}}, "upd")
    assert _owned(new) == {"poster/Update": {"f:data": {".": {}, "f:b": {}}}}


def test_a_write_without_effect_leaves_everything_as_it_is() -> None:
    live = _created(_map({"a": "1"}))
    assert _updated(live, live, "upd", now=LATER) == live


def test_an_item_is_changed_where_it_differs() -> None:
    live = _created(_pod({"name": "a", "image": "1"}, {"name": "b", "image": "1"}))
    spec = {"containers": [{"name": "b", "image": "2"}, {"name": "a", "image": "1"}]}
    new = _updated(live, {**live, "spec": spec}, "upd")
    assert _owned(new)["upd/Update"] == {
        "f:spec": {"f:containers": {'k:{"name":"b"}': {"f:image": {}}}}
    }


def test_lists_without_a_type_and_atomic_maps_are_one_value() -> None:
    live = _created(_pod(nodeSelector={"a": "1", "b": "1"}, tolerations=[{"key": "a"}]))
    spec = {**live["spec"], "nodeSelector": {"a": "1"}, "tolerations": [{"key": "b"}]}
    new = _updated(live, {**live, "spec": spec}, "upd")
    assert _owned(new)["upd/Update"] == {"f:spec": {"f:nodeSelector": {}, "f:tolerations": {}}}


def test_status_writers_have_an_entry_of_their_own() -> None:
    live = _created(_pod(priority=1))
    condition = {"type": "Ready", "status": "True"}
    status = {"conditions": [condition], "phase": "Running"}
    new = _updated(live, {**live, "status": status}, "kubelet", subresource="status")
    assert _owned(new)["kubelet/Update/status"] == {
        "f:status": {
            "f:conditions": {
                ".": {},
                'k:{"type":"Ready"}': {".": {}, "f:status": {}, "f:type": {}},
            },
            "f:phase": {},
        }
    }


def test_a_status_write_owns_nothing_of_the_rest() -> None:
    live = _created(_pod(priority=1))
    changed = {**live, "spec": {"priority": 2}}
    assert _updated(live, changed, "x", subresource="status")["metadata"] == live["metadata"]


def test_appliers_are_written_before_updaters_and_then_by_time() -> None:
    live = _updated(_created(_map({"a": "1"})), _map({"a": "1", "b": "1"}), "late", now=LATER)
    live = _applied(live, _map({"c": "1"}), "applier", now=LATER)
    assert [entry["manager"] for entry in live["metadata"]["managedFields"]] == [
        "applier",
        "poster",
        "late",
    ]


def test_the_oldest_of_more_than_ten_updaters_are_merged() -> None:
    live = _created(_map({"k0": "1"}), "m0")
    for i in range(1, 13):
        data = {**live["data"], f"k{i}": "1"}
        live = _updated(live, {**live, "data": data}, f"m{i:02}", now=f"2026-11-29T18:16:{i:02}Z")
    managers = [entry["manager"] for entry in live["metadata"]["managedFields"]]
    assert managers == ["ancient-changes", *(f"m{i:02}" for i in range(4, 13))]
    assert _owned(live)["ancient-changes/Update"] == {
        "f:data": {".": {}, "f:k0": {}, "f:k1": {}, "f:k2": {}, "f:k3": {}}
    }


# managedFields from clients


def test_managers_that_a_client_sends_replace_the_old_ones() -> None:
    live = _created(_map({"a": "1"}))
    sent = [{**live["metadata"]["managedFields"][0], "manager": "other"}]
    new = _updated(live, _map({"a": "1"}, managedFields=sent), "upd")
    assert _owned(new) == {"other/Update": {"f:data": {".": {}, "f:a": {}}}}


@pytest.mark.parametrize("sent", [[], [{}]])
def test_cleared_managers_stay_cleared(sent: list[JsonObject]) -> None:
    live = _created(_map({"a": "1"}))
    cleared = _updated(live, _map({"a": "1"}, managedFields=sent), "upd")
    assert "managedFields" not in cleared["metadata"]
    assert "managedFields" not in _updated(cleared, _map({"a": "2"}), "upd")["metadata"]


@pytest.mark.parametrize(
    "entry",
    [
        {"manager": "x"},
        {"manager": "x", "operation": "Update", "fieldsType": "FieldsV1"},
        {"manager": "x", "operation": "Update", "apiVersion": "v1", "fieldsType": "FieldsV2"},
        {
            "operation": "Update",
            "apiVersion": "v1",
            "fieldsType": "FieldsV1",
            "fieldsV1": {"f:a": 5},
        },
        {
            "operation": "Update",
            "apiVersion": "v1",
            "fieldsType": "FieldsV1",
            "fieldsV1": {"k:{": {}},
        },
        {
            "operation": "Update",
            "apiVersion": "v1",
            "fieldsType": "FieldsV1",
            "fieldsV1": {"x:y": {}},
        },
    ],
)
def test_managers_that_make_no_sense_are_ignored(entry: JsonObject) -> None:
    live = _created(_map({"a": "1"}))
    new = _updated(live, _map({"a": "1"}, managedFields=[entry]), "upd")
    assert new["metadata"] == live["metadata"]


def test_a_status_write_cannot_replace_managers() -> None:
    live = _created(_pod(priority=1))
    sent = copy.deepcopy(live)
    sent["metadata"]["managedFields"] = [{}]
    assert _updated(live, sent, "x", subresource="status")["metadata"] == live["metadata"]


# Apply


def test_an_applier_owns_what_it_names() -> None:
    live = _applied(None, _map({"a": "1"}), "one")
    assert live["data"] == {"a": "1"}
    assert _owned(live) == {"one/Apply": {"f:data": {"f:a": {}}}}
    assert _times(live) == {"one": NOW}


def test_empty_maps_and_nulls_are_named_themselves_and_empty_lists_are_not() -> None:
    config = _map({}, labels={}, finalizers=[], annotations=None)
    assert _owned(_applied(None, config, "one"))["one/Apply"] == {
        "f:data": {},
        "f:metadata": {"f:annotations": {}, "f:labels": {}},
    }


def test_the_same_apply_again_changes_nothing() -> None:
    live = _applied(None, _map({"a": "1"}), "one")
    assert _applied(live, _map({"a": "1"}), "one", now=LATER) == live


def test_what_an_applier_no_longer_names_goes() -> None:
    live = _applied(None, _map({"a": "1", "b": "2"}, labels={"x": "y"}), "one")
    live = _applied(live, _map({"a": "1"}), "one", now=LATER)
    assert live["data"] == {"a": "1"}
    assert "labels" not in live["metadata"]
    assert live["metadata"]["name"] == "c"
    assert _times(live) == {"one": LATER}
    gone = _applied(live, _map(), "one")
    assert not gone.get("data")
    assert "managedFields" not in gone["metadata"]


def test_what_somebody_else_owns_stays() -> None:
    live = _applied(None, _map({"a": "1"}), "one")
    live = _applied(live, _map({"a": "1"}), "two")
    live = _applied(live, _map(), "one")
    assert live["data"] == {"a": "1"}
    assert _owned(live) == {"two/Apply": {"f:data": {"f:a": {}}}}


def test_a_second_applier_of_the_same_value_has_no_time() -> None:
    live = _applied(_applied(None, _map({"a": "1"}), "one"), _map({"a": "1"}), "two")
    assert _times(live) == {"one": NOW, "two": None}


def test_a_list_item_goes_with_the_defaults_in_it() -> None:
    live = _applied(None, _pod({"name": "a", "image": "i"}, {"name": "b", "image": "i"}), "one")
    live["spec"]["containers"][1]["args"] = ["filled in by nobody"]
    live = _applied(live, _pod({"name": "a", "image": "i"}), "one")
    assert [container["name"] for container in live["spec"]["containers"]] == ["a"]


def test_a_list_item_stays_as_long_as_somebody_owns_a_part_of_it() -> None:
    live = _applied(None, _pod({"name": "a", "image": "i"}), "one")
    live = _applied(live, _pod({"name": "a", "args": ["x"]}), "two")
    live = _applied(live, _pod(), "one")
    assert live["spec"]["containers"] == [{"name": "a", "args": ["x"]}]


def test_items_of_a_set_are_owned_one_by_one() -> None:
    live = _applied(None, _map(finalizers=["example.com/a"]), "one")
    live = _applied(live, _map(finalizers=["example.com/b"]), "two")
    assert live["metadata"]["finalizers"] == ["example.com/a", "example.com/b"]
    live = _applied(live, _map(), "one")
    assert live["metadata"]["finalizers"] == ["example.com/b"]
    assert _owned(live) == {
        "two/Apply": {"f:metadata": {"f:finalizers": {'v:"example.com/b"': {}}}}
    }


def test_the_applied_order_of_items_counts() -> None:
    live = _applied(None, _pod(*({"name": n} for n in "axbc")), "one")
    live = _applied(live, _pod(*({"name": n} for n in "cna")), "two", force=True)
    names = [container["name"] for container in live["spec"]["containers"]]
    assert names == ["x", "b", "c", "n", "a"]


def test_a_change_of_somebody_else_s_field_is_a_conflict() -> None:
    live = _applied(None, _map({"a": "1"}), "one")
    with pytest.raises(ConflictError) as refused:
        _applied(live, _map({"a": "2"}), "two")
    status = refused.value.to_status()
    assert status["message"] == 'Apply failed with 1 conflict: conflict with "one": .data.a'
    assert status["reason"] == "Conflict"
    assert status["details"] == {
        "causes": [
            {
                "reason": "FieldManagerConflict",
                "message": 'conflict with "one"',
                "field": ".data.a",
            }
        ]
    }


def test_several_conflicts_are_listed_by_manager() -> None:
    live = _applied(None, _map({"a": "1"}), "one")
    live = _applied(live, _map({"b": "1", "c": "1"}), "two")
    with pytest.raises(ConflictError) as refused:
        _applied(live, _map({"a": "2", "b": "3", "c": "3"}), "three")
    assert refused.value.message == (
        'Apply failed with 3 conflicts: conflicts with "one":\n- .data.a\n'
        'conflicts with "two":\n- .data.b\n- .data.c'
    )


def test_updaters_and_status_writers_are_named_with_more() -> None:
    live = _created(_pod({"name": "c", "image": "1"}))
    with pytest.raises(ConflictError) as refused:
        _applied(live, _pod({"name": "c", "image": "2"}), "one")
    assert refused.value.message == (
        'Apply failed with 1 conflict: conflict with "poster" using v1: '
        '.spec.containers[name="c"].image'
    )
    status: JsonObject = _pod()
    status["status"] = {"conditions": [{"type": "A", "status": "True"}]}
    live = _applied(live, status, "one", subresource="status")
    status = copy.deepcopy(status)
    status["status"]["conditions"][0]["status"] = "False"
    with pytest.raises(ConflictError) as refused:
        _applied(live, status, "two", subresource="status")
    assert refused.value.message == (
        'Apply failed with 1 conflict: conflict with "one" with subresource "status": '
        '.status.conditions[type="A"].status'
    )


def test_force_takes_over() -> None:
    live = _applied(None, _map({"a": "1", "b": "1"}), "one")
    live = _applied(live, _map({"a": "2"}), "two", force=True)
    assert live["data"] == {"a": "2", "b": "1"}
    assert _owned(live) == {
        "one/Apply": {"f:data": {"f:b": {}}},
        "two/Apply": {"f:data": {"f:a": {}}},
    }


def test_the_first_apply_to_an_untracked_object_invents_a_manager() -> None:
    live = _map({"a": "1", "b": "1"}, uid="u")
    live = _applied(live, _map({"a": "1"}), "one")
    assert _owned(live) == {
        "before-first-apply/Update": {"f:data": {".": {}, "f:a": {}, "f:b": {}}},
        "one/Apply": {"f:data": {"f:a": {}}},
    }


def test_times_are_given_back_when_nothing_came_of_it() -> None:
    live = _applied(None, _map({"a": "1"}), "one")
    again = copy.deepcopy(live)
    again["metadata"]["managedFields"][0]["time"] = LATER
    managedfields.keep_times(live, again)
    assert again == live
    again["data"] = {"a": "2"}
    again["metadata"]["managedFields"] = [{**live["metadata"]["managedFields"][0], "time": LATER}]
    managedfields.keep_times(live, again)
    assert _times(again) == {"one": LATER}


# kubectl


LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"


def _client_side_applied(data: JsonObject, text: str) -> JsonObject:
    obj = _map(data, annotations={LAST_APPLIED: text})
    return _created(obj, "kubectl-client-side-apply")


def test_kubectl_takes_over_from_its_client_side_self() -> None:
    text = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"},"data":{"a":"1"}}\n'
    live = _client_side_applied({"a": "1"}, text)
    result = _applied(live, _map({"a": "2"}), "kubectl")
    assert result["data"] == {"a": "2"}
    assert result["metadata"]["annotations"][LAST_APPLIED] == (
        '{"apiVersion":"v1","data":{"a":"2"},"kind":"ConfigMap","metadata":{"name":"c"}}\n'
    )
    with pytest.raises(ConflictError):
        _applied(live, _map({"a": "2"}), "somebody")


def test_kubectl_still_conflicts_where_the_object_is_not_as_last_applied() -> None:
    text = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"},"data":{"a":"0"}}'
    live = _client_side_applied({"a": "1"}, text)
    with pytest.raises(ConflictError):
        _applied(live, _map({"a": "2"}), "kubectl")
    with pytest.raises(ConflictError):
        _applied(_client_side_applied({"a": "1"}, "no json"), _map({"a": "2"}), "kubectl")


# What cannot be applied


@pytest.mark.parametrize(
    ("changes", "want"),
    [
        ({"kind": "Secret"}, "invalid object type: /v1, Kind=Secret"),
        ({"apiVersion": "apps/v2"}, "invalid object type: apps/v2, Kind=ConfigMap"),
        (
            {"metadata": {"name": "c", "managedFields": []}},
            "metadata.managedFields must be nil",
        ),
    ],
)
def test_another_kind_and_managed_fields_are_refused(changes: JsonObject, want: str) -> None:
    with pytest.raises(BadRequestError) as refused:
        _applied(None, {**_map({"a": "1"}), **changes}, "one")
    assert refused.value.message == want


TYPED = "failed to create typed patch object (/p; /v1, Kind=Pod): "
CONVERTED = (
    "failed to convert new object (/p; /v1, Kind=Pod) to proper version: "
    "unable to convert unstructured object to /v1, Kind=Pod: "
)


@pytest.mark.parametrize(
    ("spec", "want"),
    [
        ({"bogus": 1}, TYPED + ".spec.bogus: field not declared in schema"),
        (
            {"restartPolicy": 5},
            TYPED + ".spec.restartPolicy: expected string, got &value.valueUnstructured{Value:5}",
        ),
        ({"hostNetwork": "x"}, TYPED + ".spec.hostNetwork: expected boolean, got &{x}"),
        (
            {"priority": "x"},
            TYPED + ".spec.priority: expected numeric (int or float), got string",
        ),
        ({"priority": 1.5}, CONVERTED + "cannot convert float64 to int32"),
        ({"containers": "x"}, TYPED + ".spec.containers: expected list, got &{x}"),
        ({"nodeSelector": [1]}, TYPED + ".spec.nodeSelector: expected map, got &{[1]}"),
        (
            {"containers": ["x"]},
            TYPED + ".spec.containers: element 0: associative list with keys may not have "
            "non-map elements",
        ),
        (
            {"containers": [None]},
            TYPED + ".spec.containers: element 0: associative list with keys may not have "
            "a null element",
        ),
        (
            {"containers": [{"name": "c", "env": [{"name": "a"}, {"name": "a"}]}]},
            TYPED + '.spec.containers[name="c"].env: duplicate entries for key [name="a"]',
        ),
        (
            {"containers": [{"name": "c", "resources": {"requests": {"cpu": [5]}}}]},
            TYPED + '.spec.containers[name="c"].resources.requests.cpu: expected any scalar, '
            "got &{[5]}",
        ),
        (
            {"containers": [{"name": "c", "resources": {"requests": {"cpu": "x"}}}]},
            CONVERTED + "quantities must match the regular expression "
            "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
        ),
        (
            {"tolerations": [{"key": 5}]},
            TYPED + ".spec.tolerations[0].key: expected string, got "
            "&value.valueUnstructured{Value:5}",
        ),
    ],
)
def test_what_does_not_fit_the_structure_is_a_500(spec: JsonObject, want: str) -> None:
    with pytest.raises(UnexplainedError) as refused:
        _applied(None, {**_pod(), "spec": spec}, "one")
    assert refused.value.message == want


@pytest.mark.parametrize(
    ("items", "want"),
    [
        ([5], "[=5]: expected string, got &value.valueUnstructured{Value:5}"),
        (
            [None],
            ": element 0: associative list without keys has an element that's an explicit null",
        ),
        ([{}], ": element 0: associative list without keys has an element that's a map type"),
        ([[]], ": element 0: associative list without keys has an element that's a list type"),
        (["x", "x"], ': duplicate entries for key [="x"]'),
    ],
)
def test_items_of_sets_are_texts_and_different(items: list[Any], want: str) -> None:
    with pytest.raises(UnexplainedError) as refused:
        _applied(None, _map(finalizers=items), "one")
    assert refused.value.message == (
        f"failed to create typed patch object (/c; /v1, Kind=ConfigMap): .metadata.finalizers{want}"
    )
