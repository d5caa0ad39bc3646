"""What every client promises: over HTTPS, and into an app of the same process."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest

from kubegang.apimachinery.errors import (
    AlreadyExistsError,
    ApiError,
    ConflictError,
    ExpiredError,
    InternalError,
    NotFoundError,
    TooManyRequestsError,
)
from kubegang.apimachinery.objects import JsonObject
from kubegang.app.certificates import CertificateAuthority
from kubegang.base.turns import next_turn
from kubegang.client.api import ApiClient
from kubegang.client.asgi import AsgiTransport
from kubegang.client.http import HttpTransport
from kubegang.client.interface import Resource, UnreachableError, WatchEvent
from kubegang.client.requests import watch_request
from kubegang.client.resources import CONFIGMAPS, NAMESPACES, NODES, PODS
from kubegang.client.testing import RecordingClient
from tests.contract.api_app import Api, Scripted, make_app
from tests.contract.tlsserver import kubeconfig, served


@pytest.fixture(params=["https", "asgi", "recording"])
async def client(
    request: pytest.FixtureRequest, api: Api, authority: CertificateAuthority, tmp_path: Path
) -> AsyncIterator[ApiClient]:
    if request.param == "asgi":
        yield ApiClient(AsgiTransport(make_app(api), user="admin", groups=()), user_agent="me/1")
        return
    if request.param == "recording":
        inner = AsgiTransport(make_app(api), user="admin", groups=())
        yield RecordingClient(inner, user_agent="me/1")
        return
    async with served(api, authority, tmp_path) as port:
        over_tls = ApiClient(HttpTransport(kubeconfig(port, authority)), user_agent="me/1")
        yield over_tls
        api.stop_watches()
        await over_tls.close()


def configmap(name: str, **data: str) -> JsonObject:
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name, "namespace": "default"},
        "data": data,
    }


async def test_an_object_goes_through_its_life(client: ApiClient) -> None:
    created = await client.create(CONFIGMAPS, configmap("a", key="one"), "default")
    assert await client.get(CONFIGMAPS, "a", "default") == created

    changed = await client.update(CONFIGMAPS, {**created, "data": {"key": "two"}})
    assert changed["data"] == {"key": "two"}

    patched = await client.patch(CONFIGMAPS, "a", "default", patch={"data": {"key": "three"}})
    assert patched["data"] == {"key": "three"}

    assert (await client.delete(CONFIGMAPS, "a", "default"))["status"] == "Success"
    with pytest.raises(NotFoundError):
        await client.get(CONFIGMAPS, "a", "default")


async def test_the_namespace_of_an_object_to_create_may_come_from_itself(
    client: ApiClient, api: Api
) -> None:
    await client.create(CONFIGMAPS, configmap("a"))

    assert api.seen[-1].path == "/api/v1/namespaces/default/configmaps"


async def test_a_list_says_what_its_items_are(client: ApiClient, api: Api) -> None:
    await client.create(CONFIGMAPS, configmap("a"), "default")

    listing = await client.list(CONFIGMAPS)

    (item,) = listing.items
    assert (item["apiVersion"], item["kind"]) == ("v1", "ConfigMap")
    assert listing.resource_version == str(api.revision)
    assert listing.continue_token == ""


async def test_a_long_list_comes_in_pages(client: ApiClient) -> None:
    for name in "abc":
        await client.create(CONFIGMAPS, configmap(name), "default")

    first = await client.list(CONFIGMAPS, "default", limit=2)
    rest = await client.list(CONFIGMAPS, "default", limit=2, continue_token=first.continue_token)

    assert [item["metadata"]["name"] for item in first.items + rest.items] == ["a", "b", "c"]
    assert rest.continue_token == ""


async def test_selectors_and_identity_reach_the_server(client: ApiClient, api: Api) -> None:
    await client.list(CONFIGMAPS, label_selector="a in (b,c)", field_selector="x!=y&z")

    seen = api.seen[-1]
    assert seen.query == {"labelSelector": "a in (b,c)", "fieldSelector": "x!=y&z"}
    assert seen.headers["user-agent"] == "me/1"
    assert seen.headers["accept"] == "application/json"


async def test_names_are_quoted_in_paths(client: ApiClient, api: Api) -> None:
    with pytest.raises(NotFoundError):
        await client.get(CONFIGMAPS, "a/b?c%20 d", "default")

    assert api.seen[-1].path == "/api/v1/namespaces/default/configmaps/a%2Fb%3Fc%2520%20d"


@pytest.mark.parametrize(
    ("patch_type", "want"),
    [
        ("json", "application/json-patch+json"),
        ("merge", "application/merge-patch+json"),
        ("strategic", "application/strategic-merge-patch+json"),
        ("apply", "application/apply-patch+yaml"),
    ],
)
async def test_each_patch_has_its_media_type(
    client: ApiClient, api: Api, patch_type: Any, want: str
) -> None:
    await client.create(CONFIGMAPS, configmap("a"), "default")

    await client.patch(CONFIGMAPS, "a", "default", patch={"x": 1}, patch_type=patch_type)

    assert api.seen[-1].headers["content-type"] == want


async def test_a_status_becomes_the_exception_of_its_reason(client: ApiClient) -> None:
    created = await client.create(CONFIGMAPS, configmap("a"), "default")
    with pytest.raises(AlreadyExistsError, match='configmaps "a" already exists') as caught:
        await client.create(CONFIGMAPS, configmap("a"), "default")
    assert caught.value.details is not None
    assert caught.value.details.kind == "configmaps"

    created["metadata"]["resourceVersion"] = "1"
    with pytest.raises(ConflictError):
        await client.update(CONFIGMAPS, created)


async def test_a_plain_answer_becomes_the_exception_of_its_code(client: ApiClient) -> None:
    unknown = Resource("nowhere.io", "v1", "things", "Thing", namespaced=False)
    with pytest.raises(NotFoundError, match="Not Found"):
        await client.list(unknown)


async def test_an_answer_from_something_else_is_not_taken_for_an_object(
    client: ApiClient, api: Api
) -> None:
    api.script.append(Scripted(200, "<html>please log in</html>"))

    with pytest.raises(UnreachableError, match="not from an API server: '<html>please"):
        await client.list(NODES)


async def test_a_server_that_fails_answers_an_internal_error(client: ApiClient) -> None:
    with pytest.raises(InternalError):
        await client.get(NODES, "broken")


async def test_a_watch_yields_what_happens(client: ApiClient, api: Api) -> None:
    start = str(api.revision)
    await client.create(CONFIGMAPS, configmap("a"), "default")
    events = client.watch(CONFIGMAPS, resource_version=start)
    first = await anext(events)
    await client.patch(CONFIGMAPS, "a", "default", patch={"data": {"k": "v"}})
    await client.delete(CONFIGMAPS, "a", "default")
    bookmark = {"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"resourceVersion": "9"}}
    api.tell({"type": "BOOKMARK", "object": bookmark})
    api.stop_watches()

    rest = [event async for event in events]

    assert first.type == "ADDED"
    assert [event.type for event in rest] == ["MODIFIED", "DELETED", "BOOKMARK"]
    assert rest[0].object["data"] == {"k": "v"}
    assert rest[-1] == WatchEvent("BOOKMARK", bookmark)


async def test_a_watch_asks_for_bookmarks_and_an_end(client: ApiClient, api: Api) -> None:
    api.stop_watches()
    events = client.watch(
        CONFIGMAPS, "default", resource_version="1", timeout_seconds=300, label_selector="a"
    )
    assert [event async for event in events] == []

    assert api.seen[-1].path == "/api/v1/namespaces/default/configmaps"
    assert api.seen[-1].query == {
        "watch": "true",
        "resourceVersion": "1",
        "allowWatchBookmarks": "true",
        "timeoutSeconds": "300",
        "labelSelector": "a",
    }


async def test_raw_events_and_lists_are_bytes_with_metadata(client: ApiClient, api: Api) -> None:
    start = str(api.revision)
    obj = configmap("a")
    obj["metadata"]["uid"] = "uid-a"
    created = await client.create(CONFIGMAPS, obj, "default")
    api.stop_watches()

    (event,) = [e async for e in client.watch_raw(CONFIGMAPS, resource_version=start)]
    listing = await client.list_raw(CONFIGMAPS)

    version = created["metadata"]["resourceVersion"]
    for raw in (event.object, listing.items[0]):
        found = (raw.namespace, raw.name, raw.uid, raw.resource_version)
        assert found == ("default", "a", "uid-a", version)
        assert b'"uid-a"' in bytes(raw.body)
    assert event.type == "ADDED"
    assert listing.resource_version == version


async def test_very_long_and_very_many_lines_arrive_whole(client: ApiClient, api: Api) -> None:
    start = str(api.revision)
    for number in range(300):
        await client.create(CONFIGMAPS, configmap(f"n{number}"), "default")
    await client.create(CONFIGMAPS, configmap("long", text="ä" * 1_500_000), "default")
    api.stop_watches()

    events = [event async for event in client.watch(CONFIGMAPS, resource_version=start)]

    assert len(events) == 301
    assert events[-1].object["data"]["text"] == "ä" * 1_500_000


async def test_an_error_event_is_raised(client: ApiClient, api: Api) -> None:
    api.tell({"type": "ERROR", "object": ExpiredError("too old resource version").to_status()})

    with pytest.raises(ExpiredError, match="too old resource version"):
        await anext(client.watch(CONFIGMAPS, resource_version="0"))


async def test_a_watch_that_is_refused_raises_the_refusal(client: ApiClient, api: Api) -> None:
    api.expired_before = 5

    with pytest.raises(ExpiredError):
        await anext(client.watch(CONFIGMAPS, resource_version="1"))


async def test_a_watch_that_breaks_off_is_not_taken_for_its_end(client: ApiClient) -> None:
    events = client.watch(NAMESPACES, resource_version="1")
    assert (await anext(events)).type == "BOOKMARK"

    with pytest.raises(UnreachableError):
        await anext(events)


async def test_a_watch_that_is_left_is_hung_up(client: ApiClient, api: Api) -> None:
    await client.create(CONFIGMAPS, configmap("a"), "default")
    async with aclosing(client.watch(CONFIGMAPS, resource_version="1")) as events:
        await anext(events)
        assert api.watchers == 1

    await api.nobody_watches.wait()
    assert api.watchers == 0


async def test_an_overloaded_server_without_a_time_to_wait_is_told_on(
    client: ApiClient, api: Api
) -> None:
    api.script.append(Scripted(429, "Too many requests, please try again later."))

    with pytest.raises(TooManyRequestsError, match="please try again later"):
        await client.list(NODES)


async def test_subresources_and_options_are_part_of_the_request(
    client: ApiClient, api: Api
) -> None:
    with pytest.raises(ApiError):
        await client.create(
            PODS,
            {"target": {"name": "n"}},
            "ns",
            subresource="binding",
            name="p",
            dry_run=True,
        )
    assert (api.seen[-1].path, api.seen[-1].query) == (
        "/api/v1/namespaces/ns/pods/p/binding",
        {"dryRun": "All"},
    )
    with pytest.raises(ApiError):
        await client.delete(
            PODS,
            "p",
            "ns",
            grace_period_seconds=0,
            propagation_policy="Background",
            precondition_uid="u",
            precondition_resource_version="7",
        )
    assert api.seen[-1].body == {
        "kind": "DeleteOptions",
        "apiVersion": "v1",
        "gracePeriodSeconds": 0,
        "propagationPolicy": "Background",
        "preconditions": {"uid": "u", "resourceVersion": "7"},
    }


# Only in process


async def test_the_app_is_told_who_asks(api: Api) -> None:
    transport = AsgiTransport(make_app(api), user="system:kube-scheduler", groups=("a", "b"))

    await ApiClient(transport, user_agent="me").list(CONFIGMAPS)

    assert api.seen[-1].identity == {"user": "system:kube-scheduler", "groups": ("a", "b")}


async def test_an_app_notices_a_reader_that_does_not_read() -> None:
    sent = 0

    async def endless(scope: Any, receive: Any, send: Any) -> None:
        nonlocal sent
        await send({"type": "http.response.start", "status": 200, "headers": []})
        while True:
            await send({"type": "http.response.body", "body": b"x\n", "more_body": True})
            sent += 1

    request = watch_request(CONFIGMAPS, resource_version="1")
    lines = AsgiTransport(endless, user="u", groups=()).stream(request)
    assert await anext(lines) == b"x"
    for _ in range(1_000):
        await next_turn()
    assert sent < 100
    await lines.aclose()
