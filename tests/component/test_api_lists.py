"""Reading through the API: single objects, lists, selectors, pages, shapes."""

from __future__ import annotations

import json

import pytest

from tests.component.apiharness import (
    CONFIG_MAPS,
    PODS,
    Api,
    api_test,
    binding,
    config_map,
    pod,
    run,
)

TABLE = {"accept": "application/json;as=Table;g=meta.k8s.io;v=v1,application/json"}


async def _three(api: Api) -> None:
    for name, labels in (("a", {"k": "1", "x": "y"}), ("b", {"k": "2", "x": "y"}), ("c", {})):
        await api.create(CONFIG_MAPS, config_map(name, labels=labels))


async def _names(api: Api, target: str) -> list[str]:
    reply = await api.get(target)
    assert reply.status == 200, reply.body
    return [item["metadata"]["name"] for item in reply.object["items"]]


@api_test
async def test_items_of_a_list_leave_out_kind_and_version(api: Api) -> None:
    await _three(api)

    listed = (await api.get(CONFIG_MAPS)).object
    one = (await api.get(f"{CONFIG_MAPS}/a")).object

    assert (listed["kind"], listed["apiVersion"]) == ("ConfigMapList", "v1")
    assert listed["metadata"] == {"resourceVersion": str(api.backend.store.revision)}
    assert {"kind": "ConfigMap", "apiVersion": "v1", **listed["items"][0]} == one


@pytest.mark.parametrize(
    ("selector", "want"),
    [
        pytest.param("k=1", ["a"], id="equals"),
        pytest.param("k!=1", ["b", "c"], id="not-equals"),
        pytest.param("k in (1,2),x", ["a", "b"], id="in"),
        pytest.param("!k", ["c"], id="absent"),
        pytest.param("k notin (2)", ["a", "c"], id="not-in"),
    ],
)
def test_labels_select(selector: str, want: list[str]) -> None:
    async def scenario(api: Api) -> None:
        await _three(api)
        encoded = selector.replace("=", "%3D").replace(" ", "%20").replace(",", "%2C")
        assert await _names(api, f"{CONFIG_MAPS}?labelSelector={encoded}") == want

    run(scenario)


@api_test
async def test_pods_are_found_by_their_fields(api: Api) -> None:
    for name in ("p1", "p2"):
        await api.create(PODS, pod(name))
    await api.post(f"{PODS}/p1/binding", binding("p1", "n1"))

    assert await _names(api, "/api/v1/pods?fieldSelector=spec.nodeName%3Dn1") == ["p1"]
    assert await _names(api, "/api/v1/pods?fieldSelector=spec.nodeName%3D") == ["p2"]
    both = "metadata.name%3Dp2,status.phase!%3DRunning"
    assert await _names(api, f"/api/v1/pods?fieldSelector={both}") == ["p2"]


@api_test
async def test_a_name_selects_exactly_that_name(api: Api) -> None:
    for name in ("a", "aa", "b"):
        await api.create(CONFIG_MAPS, config_map(name))

    assert await _names(api, f"{CONFIG_MAPS}?fieldSelector=metadata.name%3Da") == ["a"]
    everywhere = "/api/v1/configmaps?fieldSelector=metadata.namespace%3Ddefault"
    assert await _names(api, everywhere) == ["a", "aa", "b"]


@pytest.mark.parametrize(
    ("target", "want"),
    [
        pytest.param(
            "/apis/scheduling.k8s.io/v1beta1/podgroups",
            '"x" is not a known field selector: only "metadata.name", "metadata.namespace"',
            id="generic",
        ),
        pytest.param("/api/v1/pods", "field label not supported: x", id="core"),
        pytest.param("/apis/batch/v1/jobs", 'field label "x" not supported for Job', id="job"),
    ],
)
def test_an_unknown_field_is_refused_in_the_words_of_its_kind(target: str, want: str) -> None:
    async def scenario(api: Api) -> None:
        reply = await api.get(f"{target}?fieldSelector=x%3Dy")
        assert (reply.status, reply.message) == (400, want)

    run(scenario)


@api_test
async def test_pages_show_one_moment_whatever_happens_in_between(api: Api) -> None:
    await _three(api)

    first = (await api.get(f"{CONFIG_MAPS}?limit=2")).object
    await api.delete(f"{CONFIG_MAPS}/c")
    await api.create(CONFIG_MAPS, config_map("bb"))
    token = first["metadata"]["continue"]
    rest = (await api.get(f"{CONFIG_MAPS}?limit=2&continue={token}")).object

    assert first["metadata"]["remainingItemCount"] == 1
    assert [item["metadata"]["name"] for item in rest["items"]] == ["c"]
    assert rest["metadata"] == {"resourceVersion": first["metadata"]["resourceVersion"]}


@api_test
async def test_pages_with_selectors_are_full_and_say_nothing_about_the_rest(api: Api) -> None:
    for i in range(9):
        await api.create(CONFIG_MAPS, config_map(f"c{i}", labels={"odd": str(i % 2)}))
    query = f"{CONFIG_MAPS}?labelSelector=odd%3D1&limit=3"

    first = (await api.get(query)).object
    rest = (await api.get(f"{query}&continue={first['metadata']['continue']}")).object

    assert [item["metadata"]["name"] for item in first["items"]] == ["c1", "c3", "c5"]
    assert "remainingItemCount" not in first["metadata"]
    assert [item["metadata"]["name"] for item in rest["items"]] == ["c7"]
    assert "continue" not in rest["metadata"]


@api_test
async def test_an_expired_token_offers_an_inconsistent_rest(api: Api) -> None:
    await _three(api)
    token = (await api.get(f"{CONFIG_MAPS}?limit=1")).object["metadata"]["continue"]
    await api.create(CONFIG_MAPS, config_map("b2"))
    await api.backend.store.compact(api.backend.store.revision)

    expired = await api.get(f"{CONFIG_MAPS}?limit=5&continue={token}")
    fresh = expired.object["metadata"]["continue"]
    rest = await _names(api, f"{CONFIG_MAPS}?limit=5&continue={fresh}")

    assert (expired.status, expired.object["reason"]) == (410, "Expired")
    assert rest == ["b", "b2", "c"]


@pytest.mark.parametrize("token", ["rubbish", "e30", "!", "eyJ2IjoibWV0YS5rOHMuaW8vdjEifQ", "%FF"])
def test_a_broken_token_is_refused(token: str) -> None:
    async def scenario(api: Api) -> None:
        reply = await api.get(f"{CONFIG_MAPS}?continue={token}")
        assert reply.status == 400

    run(scenario)


@api_test
async def test_a_list_of_the_past_shows_the_past(api: Api) -> None:
    await _three(api)
    then = api.backend.store.revision
    await api.delete(f"{CONFIG_MAPS}/a")

    query = f"resourceVersion={then}&resourceVersionMatch=Exact"

    assert await _names(api, f"{CONFIG_MAPS}?{query}") == ["a", "b", "c"]


@api_test
async def test_the_future_is_waited_for_a_moment(api: Api) -> None:
    began = api.backend.clock.now()

    reply = await api.get(f"{CONFIG_MAPS}?resourceVersion=99999")

    assert (reply.status, reply.object["reason"]) == (504, "Timeout")
    assert reply.headers["retry-after"] == "1"
    assert 2.9 < api.backend.clock.now() - began < 3.1


@api_test
async def test_a_table_has_columns_and_the_metadata_of_each_row(api: Api) -> None:
    await api.create(PODS, pod("p", labels={"a": "b"}))

    table = (await api.get(PODS, headers=TABLE)).object

    assert table["kind"] == "Table"
    assert [column["name"] for column in table["columnDefinitions"]][:3] == [
        "Name",
        "Ready",
        "Status",
    ]
    row = table["rows"][0]
    assert row["cells"][:3] == ["p", "0/1", "Pending"]
    assert row["object"]["kind"] == "PartialObjectMetadata"
    assert row["object"]["metadata"]["labels"] == {"a": "b"}


@api_test
async def test_metadata_alone_can_be_had(api: Api) -> None:
    await _three(api)
    one = {"accept": "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"}
    many = {"accept": "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"}

    single = (await api.get(f"{CONFIG_MAPS}/a", headers=one)).object
    listed = (await api.get(CONFIG_MAPS, headers=many)).object

    assert set(single) == {"kind", "apiVersion", "metadata"}
    assert listed["kind"] == "PartialObjectMetadataList"
    assert listed["items"][0]["metadata"] == single["metadata"]
    assert (await api.get(CONFIG_MAPS, headers=one)).status == 406


@api_test
async def test_people_get_indented_json(api: Api) -> None:
    await _three(api)

    plain = await api.get(f"{CONFIG_MAPS}/a")
    person = await api.get(f"{CONFIG_MAPS}/a", headers={"user-agent": "curl/8"})
    asked = await api.get(f"{CONFIG_MAPS}/a?pretty=true")

    assert b"\n" not in plain.body
    assert person.body == asked.body
    assert json.loads(person.body) == plain.object


@api_test
async def test_an_unknown_resource_version_or_group_is_not_found(api: Api) -> None:
    unknown = [
        await api.get(target)
        for target in ("/apis/batch/v1/widgets", "/apis/batch/v7/jobs", f"{PODS}/p/widgets")
    ]

    assert {reply.status for reply in unknown} == {404}
    assert all(reply.object["details"] == {} for reply in unknown)
    assert (await api.get("/apis/none.io/v1/widgets")).body == b"404 page not found\n"


@pytest.mark.parametrize(
    ("method", "target"),
    [
        pytest.param("PUT", CONFIG_MAPS, id="put-collection"),
        pytest.param("POST", f"{CONFIG_MAPS}/a", id="post-object"),
        pytest.param("POST", "/api/v1/configmaps", id="post-all-namespaces"),
        pytest.param("DELETE", "/api/v1/configmaps", id="delete-all-namespaces"),
        pytest.param("DELETE", "/api/v1/namespaces", id="delete-namespaces"),
        pytest.param("GET", f"{PODS}/p/binding", id="get-binding"),
        pytest.param("PATCH", f"{PODS}/p/eviction", id="patch-eviction"),
        pytest.param("HEAD", f"{CONFIG_MAPS}/a", id="head"),
    ],
)
def test_a_verb_that_a_path_does_not_have_is_refused(method: str, target: str) -> None:
    async def scenario(api: Api) -> None:
        assert (await api.send(method, target)).status == 405

    run(scenario)
