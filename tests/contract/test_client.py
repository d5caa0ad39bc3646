"""What every client promises: over HTTPS, and into an app of the same process."""

from __future__ import annotations

import socket
import ssl
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import uvicorn

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
from kubegang.app.certificates import Certificate, CertificateAuthority
from kubegang.base.clock import RealClock
from kubegang.base.turns import next_turn
from kubegang.client.api import ApiClient
from kubegang.client.asgi import AsgiTransport
from kubegang.client.http import HttpTransport
from kubegang.client.interface import Resource, UnreachableError, WatchEvent
from kubegang.client.kubeconfig import KubeConfig
from kubegang.client.requests import watch_request
from kubegang.client.resources import CONFIGMAPS, NAMESPACES, NODES, PODS
from kubegang.client.testing import RecordingClient
from tests.contract.api_app import Api, Scripted, make_app

# OpenSSL compares certificates with the real time, whatever clock we use.
NOW = RealClock().now()


@pytest.fixture
def api() -> Api:
    return Api()


@pytest.fixture(scope="module")
def authority() -> CertificateAuthority:
    return CertificateAuthority.create(now=NOW)


@asynccontextmanager
async def served(api: Api, authority: CertificateAuthority, folder: Path) -> AsyncIterator[int]:
    """Serve over TLS, for clients with a certificate of the authority only; yield the port."""
    write_pem(folder, authority.server(("127.0.0.1", "localhost"), now=NOW), authority.pem)
    # asyncio turns Nagle's algorithm off only where it is said that this is TCP.
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.bind(("127.0.0.1", 0))
    config = uvicorn.Config(
        make_app(api),
        ssl_certfile=folder / "server.crt",
        ssl_keyfile=str(folder / "server.key"),
        ssl_ca_certs=str(folder / "ca.crt"),
        ssl_cert_reqs=ssl.CERT_REQUIRED,
        lifespan="off",
        log_level="critical",
        timeout_graceful_shutdown=1,
    )
    config.load()
    server = uvicorn.Server(config)
    server.lifespan = config.lifespan_class(config)
    # Not ``serve``, which takes over signals and polls.
    await server.startup(sockets=[listening])
    try:
        yield listening.getsockname()[1]
    finally:
        await server.shutdown(sockets=[listening])


def write_pem(folder: Path, certificate: Certificate, ca: bytes) -> None:
    (folder / "server.crt").write_bytes(certificate.certificate)
    (folder / "server.key").write_bytes(certificate.key)
    (folder / "ca.crt").write_bytes(ca)


def kubeconfig(port: int, authority: CertificateAuthority, **changes: Any) -> KubeConfig:
    """Return what a kubeconfig of the administrator says."""
    certificate = authority.client("admin", ("system:masters",), now=NOW)
    values: dict[str, Any] = {
        "server": f"https://127.0.0.1:{port}",
        "ca_data": authority.pem,
        "client_certificate_data": certificate.certificate,
        "client_key_data": certificate.key,
    }
    return KubeConfig(**{**values, **changes})


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


# Only over HTTPS


class CountingClock:
    """A clock whose sleeps take no time and are remembered."""

    def __init__(self) -> None:
        self.slept: list[float] = []

    def now(self) -> float:
        return NOW + sum(self.slept)

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)


async def test_an_overloaded_server_is_asked_again_when_it_said(
    api: Api, authority: CertificateAuthority, tmp_path: Path
) -> None:
    clock = CountingClock()
    async with served(api, authority, tmp_path) as port:
        client = ApiClient(HttpTransport(kubeconfig(port, authority), clock=clock), user_agent="me")
        api.script += [
            Scripted(429, "busy", {"retry-after": "2"}),
            Scripted(503, "starting", {"retry-after": "600"}),
            Scripted(200, '{"metadata":{"resourceVersion":"3"},"items":null}'),
        ]

        assert (await client.list(NODES)).resource_version == "3"
        assert clock.slept == [2, 30]

        api.script += [Scripted(429, "busy", {"retry-after": "1"})] * 10
        with pytest.raises(TooManyRequestsError):
            await client.list(NODES)
        assert len(clock.slept) == 2 + 9
        await client.close()


async def test_a_server_of_another_authority_is_not_trusted(
    api: Api, authority: CertificateAuthority, tmp_path: Path
) -> None:
    other = CertificateAuthority.create(now=NOW)
    async with served(api, authority, tmp_path) as port:
        client = ApiClient(
            HttpTransport(kubeconfig(port, authority, ca_data=other.pem)), user_agent="me"
        )
        with pytest.raises(UnreachableError, match="certificate verify failed"):
            await client.list(CONFIGMAPS)
        await client.close()
    assert api.seen == []


async def test_the_server_is_checked_for_the_name_that_the_kubeconfig_gives(
    api: Api, authority: CertificateAuthority, tmp_path: Path
) -> None:
    async with served(api, authority, tmp_path) as port:
        for name, trusted in (("localhost", True), ("elsewhere", False)):
            config = kubeconfig(port, authority, tls_server_name=name)
            client = ApiClient(HttpTransport(config), user_agent="me")
            if trusted:
                await client.list(CONFIGMAPS)
            else:
                with pytest.raises(UnreachableError, match="certificate"):
                    await client.list(CONFIGMAPS)
            await client.close()


async def test_without_verification_any_certificate_will_do(
    api: Api, authority: CertificateAuthority, tmp_path: Path
) -> None:
    async with served(api, authority, tmp_path) as port:
        config = kubeconfig(port, authority, ca_data=b"", insecure=True)
        client = ApiClient(HttpTransport(config), user_agent="me")
        await client.list(CONFIGMAPS)
        await client.close()


async def test_a_client_without_certificate_is_sent_away(
    api: Api, authority: CertificateAuthority, tmp_path: Path
) -> None:
    async with served(api, authority, tmp_path) as port:
        config = kubeconfig(port, authority, client_certificate_data=b"", client_key_data=b"")
        client = ApiClient(HttpTransport(config), user_agent="me")
        with pytest.raises(UnreachableError):
            await client.list(CONFIGMAPS)
        await client.close()


async def test_a_token_file_is_read_again_after_a_minute(
    api: Api, authority: CertificateAuthority, tmp_path: Path
) -> None:
    clock = CountingClock()
    token = tmp_path / "token"
    async with served(api, authority, tmp_path) as port:
        config = kubeconfig(port, authority, token_file=token)
        client = ApiClient(HttpTransport(config, clock=clock), user_agent="me")
        for content, pause in (("first\n", 0.0), ("second\n", 30.0), ("third\n", 31.0)):
            replace(token, content)
            await clock.sleep(pause)
            await client.list(CONFIGMAPS)
        await client.close()

    sent = [seen.headers["authorization"] for seen in api.seen]
    assert sent == ["Bearer first", "Bearer first", "Bearer third"]


def replace(path: Path, content: str) -> None:
    path.write_text(content)


async def test_proxies_of_the_environment_are_not_used(
    api: Api, authority: CertificateAuthority, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    async with served(api, authority, tmp_path) as port:
        client = ApiClient(HttpTransport(kubeconfig(port, authority)), user_agent="me")
        await client.list(CONFIGMAPS)
        await client.close()


async def test_a_server_that_says_nothing_counts_as_gone(
    api: Api, authority: CertificateAuthority, tmp_path: Path
) -> None:
    async with served(api, authority, tmp_path) as port:
        transport = HttpTransport(kubeconfig(port, authority), silence_seconds=0.05)
        client = ApiClient(transport, user_agent="me")
        with pytest.raises(UnreachableError, match="did not answer in time"):
            await client.get(NODES, "silent")
        await client.close()


async def test_a_server_that_is_not_there_is_unreachable(authority: CertificateAuthority) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
    client = ApiClient(HttpTransport(kubeconfig(port, authority)), user_agent="me")

    with pytest.raises(UnreachableError, match=f"https://127.0.0.1:{port}: "):
        await client.list(CONFIGMAPS)
    with pytest.raises(UnreachableError):
        await anext(client.watch(CONFIGMAPS, resource_version="1"))
    await client.close()


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
