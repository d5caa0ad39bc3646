"""Patches and server-side apply through the API."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.component.apiharness import (
    APPLY,
    CONFIG_MAPS,
    JSON_PATCH,
    MERGE,
    PODS,
    STRATEGIC,
    Api,
    api_test,
    config_map,
    pod,
    run,
)

ONE = f"{CONFIG_MAPS}/a"


def _owners(obj: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {
        entry["manager"]: entry["fieldsV1"] for entry in obj["metadata"].get("managedFields", [])
    }


@pytest.mark.parametrize(
    ("content_type", "patch", "want_data"),
    [
        pytest.param(MERGE, {"data": {"x": None, "z": "3"}}, {"y": "2", "z": "3"}, id="merge"),
        pytest.param(
            JSON_PATCH,
            [{"op": "test", "path": "/data/x", "value": "1"}, {"op": "remove", "path": "/data/x"}],
            {"y": "2"},
            id="json",
        ),
        pytest.param(
            STRATEGIC, {"data": {"$patch": "replace", "n": "1"}}, {"n": "1"}, id="strategic"
        ),
    ],
)
def test_each_kind_of_patch_does_its_own(
    content_type: str, patch: Any, want_data: dict[str, str]
) -> None:
    async def scenario(api: Api) -> None:
        await api.create(CONFIG_MAPS, config_map("a", data={"x": "1", "y": "2"}))
        reply = await api.patch(ONE, patch, content_type)
        assert (reply.status, reply.object["data"]) == (200, want_data)

    run(scenario)


@api_test
async def test_a_failed_test_changes_nothing(api: Api) -> None:
    created = await api.create(CONFIG_MAPS, config_map("a", data={"x": "1"}))
    patch = [
        {"op": "replace", "path": "/data/x", "value": "2"},
        {"op": "test", "path": "/data/x", "value": "1"},
    ]

    reply = await api.patch(ONE, patch, JSON_PATCH)

    assert reply.status == 422
    assert (await api.get(ONE)).object == created


@api_test
async def test_containers_are_joined_by_name(api: Api) -> None:
    await api.create(PODS, pod("p"))

    patch = {"spec": {"containers": [{"name": "c", "image": "registry.example/app:2"}]}}
    reply = await api.patch(f"{PODS}/p", patch, STRATEGIC)

    containers = reply.object["spec"]["containers"]
    assert [one["image"] for one in containers] == ["registry.example/app:2"]
    assert containers[0]["imagePullPolicy"] == "IfNotPresent"


@api_test
async def test_what_a_patch_makes_is_checked_like_a_body(api: Api) -> None:
    await api.create(CONFIG_MAPS, config_map("a"))

    wrong = await api.patch(ONE, {"data": {"x": 5}})
    renamed = await api.patch(ONE, {"metadata": {"name": "b"}})
    unknown = await api.patch(f"{ONE}?fieldValidation=Strict", {"bogus": 1})
    warned = await api.patch(ONE, {"bogus": 1})

    assert (wrong.status, unknown.status, renamed.status) == (422, 422, 400)
    assert wrong.message.startswith(' "" is invalid: patch: Invalid value: ')
    assert warned.headers["warning"] == '299 - "unknown field \\"bogus\\""'


@api_test
async def test_a_patch_may_insist_on_a_version(api: Api) -> None:
    created = await api.create(CONFIG_MAPS, config_map("a"))
    version = created["metadata"]["resourceVersion"]

    first = await api.patch(ONE, {"metadata": {"resourceVersion": version}, "data": {"x": "1"}})
    second = await api.patch(ONE, {"metadata": {"resourceVersion": version}, "data": {"x": "2"}})

    assert (first.status, second.status) == (200, 409)


@api_test
async def test_an_unknown_patch_type_is_refused(api: Api) -> None:
    await api.create(CONFIG_MAPS, config_map("a"))

    reply = await api.patch(ONE, {}, "application/json")

    assert (reply.status, reply.message) == (415, "415: Unsupported Media Type")


@api_test
async def test_writes_are_tracked_by_manager(api: Api) -> None:
    await api.create(CONFIG_MAPS, config_map("a", data={"x": "1", "y": "1"}))

    reply = await api.patch(f"{ONE}?fieldManager=second", {"data": {"y": "2"}})

    assert _owners(reply.object) == {
        "tester": {"f:data": {".": {}, "f:x": {}}},
        "second": {"f:data": {"f:y": {}}},
    }


@api_test
async def test_apply_creates_then_changes_then_lets_go(api: Api) -> None:
    target = f"{ONE}?fieldManager=one"

    created = await api.patch(target, config_map("a", data={"x": "1", "y": "1"}), APPLY)
    again = await api.patch(target, config_map("a", data={"x": "1", "y": "1"}), APPLY)
    less = await api.patch(target, config_map("a", data={"x": "2"}), APPLY)

    assert (created.status, again.status, less.status) == (201, 200, 200)
    assert again.object == created.object
    assert less.object["data"] == {"x": "2"}


@api_test
async def test_an_apply_against_another_owner_conflicts_unless_forced(api: Api) -> None:
    await api.patch(f"{ONE}?fieldManager=one", config_map("a", data={"x": "1"}), APPLY)

    mine = config_map("a", data={"x": "2"})
    refused = await api.patch(f"{ONE}?fieldManager=two", mine, APPLY)
    forced = await api.patch(f"{ONE}?fieldManager=two&force=true", mine, APPLY)

    assert (refused.status, refused.message) == (
        409,
        'Apply failed with 1 conflict: conflict with "one": .data.x',
    )
    assert forced.object["data"] == {"x": "2"}
    assert list(_owners(forced.object)) == ["two"]


@api_test
async def test_an_apply_that_repeats_itself_later_makes_no_revision(api: Api) -> None:
    target = f"{ONE}?fieldManager=one"
    await api.patch(target, config_map("a", data={"x": "1"}), APPLY)
    before = api.backend.store.revision

    await api.backend.clock.sleep(3600)
    await api.patch(target, config_map("a", data={"x": "1"}), APPLY)

    assert api.backend.store.revision == before


@api_test
async def test_applies_that_race_to_create_all_succeed(api: Api) -> None:
    replies = await asyncio.gather(
        *(
            api.patch(f"{ONE}?fieldManager=m{i}", config_map("a", data={f"k{i}": "v"}), APPLY)
            for i in range(5)
        )
    )

    assert sorted(reply.status for reply in replies) == [200, 200, 200, 200, 201]
    assert len((await api.get(ONE)).object["data"]) == 5


@api_test
async def test_apply_needs_a_manager_and_its_own_kind(api: Api) -> None:
    nobody = await api.patch(ONE, config_map("a"), APPLY)
    other = await api.patch(f"{ONE}?fieldManager=m", pod("a"), APPLY)

    assert (nobody.status, nobody.object["details"]["causes"][0]["field"]) == (422, "fieldManager")
    assert (other.status, other.message) == (400, "invalid object type: /v1, Kind=Pod")


@api_test
async def test_status_is_applied_apart(api: Api) -> None:
    await api.create(PODS, pod("p"))
    status = {"conditions": [{"type": "X", "status": "True"}]}
    applied = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "status": status}

    reply = await api.patch(f"{PODS}/p/status?fieldManager=m", applied, APPLY)

    assert reply.status == 200
    entry = next(one for one in reply.object["metadata"]["managedFields"] if one["manager"] == "m")
    assert (entry["operation"], entry["subresource"]) == ("Apply", "status")
    assert "f:spec" not in entry["fieldsV1"]
