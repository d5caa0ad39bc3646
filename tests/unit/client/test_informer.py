"""What an informer asks, keeps and tells, step by step."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

import msgspec

from kubegang.apimachinery.errors import (
    ApiError,
    ExpiredError,
    ForbiddenError,
    TooManyRequestsError,
)
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.clock import VirtualClock, run_virtual
from kubegang.client.api import ApiClient
from kubegang.client.informer import Informer
from kubegang.client.interface import Request, Response, UnreachableError
from kubegang.client.resources import PODS


def pod(name: str, version: int, uid: str = "", node: str = "") -> JsonObject:
    metadata = {
        "name": name,
        "namespace": "ns",
        "uid": uid or f"uid-{name}",
        "resourceVersion": str(version),
    }
    return {"metadata": metadata, "spec": {"nodeName": node}}


def event(kind: str, obj: JsonObject) -> bytes:
    return msgspec.json.encode({"type": kind, "object": obj})


def bookmark(version: int) -> bytes:
    return event("BOOKMARK", {"metadata": {"resourceVersion": str(version)}})


Failure = ApiError | UnreachableError


class ScriptedServer:
    """A transport that answers lists and watches as written; a watch after the last hangs."""

    def __init__(
        self,
        lists: list[tuple[int, list[JsonObject]] | Failure],
        watches: list[list[bytes | Failure]],
    ) -> None:
        self.requests: list[Request] = []
        self._lists = lists
        self._watches = watches

    async def send(self, request: Request) -> Response:
        self.requests.append(request)
        answer = self._lists.pop(0)
        if isinstance(answer, Exception):
            raise answer
        version, items = answer
        body = {"metadata": {"resourceVersion": str(version)}, "items": items}
        return Response(200, {}, msgspec.json.encode(body))

    async def stream(self, request: Request) -> AsyncGenerator[bytes, None]:
        self.requests.append(request)
        if not self._watches:
            await asyncio.Event().wait()
        for line in self._watches.pop(0):
            if isinstance(line, Exception):
                raise line
            yield line

    async def close(self) -> None:
        """Do nothing."""


class Heard:
    """Handlers that write down what they hear."""

    def __init__(self, informer: Informer[Any]) -> None:
        self.log: list[str] = []
        informer.add_handler(
            lambda new: self.log.append(f"+{_short(new)}"),
            lambda old, new: self.log.append(f"{_short(old)}>{_short(new)}"),
            lambda last: self.log.append(f"-{_short(last)}"),
        )


def _short(obj: JsonObject) -> str:
    return f"{obj['metadata']['name']}{obj['metadata']['resourceVersion']}"


def follow(
    server: ScriptedServer, *, seconds: float = 100, **options: Any
) -> tuple[Informer[Any], list[str]]:
    """Run an informer for some virtual time; return it and what its handlers heard."""

    async def main() -> tuple[Informer[Any], list[str]]:
        clock = VirtualClock(0)
        client = ApiClient(server, user_agent="test")
        informer: Informer[Any] = Informer(client, PODS, clock=clock, **options)
        heard = Heard(informer)
        async with asyncio.TaskGroup() as tasks:
            running = informer.start(tasks)
            await clock.sleep(seconds)
            running.cancel()
        return informer, heard.log

    return run_virtual(main())


def watched_from(server: ScriptedServer) -> list[str]:
    """Return the versions of the watches, with ``list`` for each listing."""
    return [dict(r.query).get("resourceVersion", "list") for r in server.requests]


def test_everything_is_listed_at_once_and_then_watched() -> None:
    server = ScriptedServer(
        [(7, [pod("a", 3), pod("b", 5)])],
        [
            [
                event("MODIFIED", pod("a", 8)),
                event("DELETED", pod("b", 9)),
                event("ADDED", pod("c", 10)),
            ]
        ],
    )

    informer, heard = follow(server)

    assert heard == ["+a3", "+b5", "a3>a8", "-b9", "+c10"]
    assert [_short(obj) for obj in informer.items()] == ["a8", "c10"]
    assert informer.synced.is_set()
    assert dict(server.requests[0].query) == {}
    assert watched_from(server) == ["list", "7", "10"]


def test_selectors_and_namespace_go_with_every_request() -> None:
    server = ScriptedServer([(7, [])], [])

    follow(server, namespace="ns", label_selector="a=b", field_selector="spec.nodeName=")

    for request in server.requests:
        query = dict(request.query)
        assert request.path == "/api/v1/namespaces/ns/pods"
        assert (query["labelSelector"], query["fieldSelector"]) == ("a=b", "spec.nodeName=")


def test_a_watch_that_ends_is_taken_up_where_it_ended() -> None:
    server = ScriptedServer(
        [(7, [])], [[event("ADDED", pod("a", 8))], [bookmark(20)], [event("ADDED", pod("b", 21))]]
    )

    _, heard = follow(server)

    assert heard == ["+a8", "+b21"]
    assert watched_from(server) == ["list", "7", "8", "20", "21"]


def test_a_watch_that_breaks_is_taken_up_after_a_pause() -> None:
    broken = UnreachableError("connection reset")
    server = ScriptedServer(
        [(7, [])], [[event("ADDED", pod("a", 8)), broken], [TooManyRequestsError("busy")], []]
    )

    _, heard = follow(server)

    assert heard == ["+a8"]
    assert watched_from(server) == ["list", "7", "8", "8", "8"]


def test_when_history_is_gone_the_differences_are_told() -> None:
    server = ScriptedServer(
        [
            (7, [pod("a", 3), pod("b", 5), pod("c", 6)]),
            (20, [pod("a", 3), pod("b", 12), pod("d", 15)]),
        ],
        [[ExpiredError("too old resource version")]],
    )

    _, heard = follow(server)

    assert heard == ["+a3", "+b5", "+c6", "-c6", "b5>b12", "+d15"]
    assert watched_from(server) == ["list", "7", "list", "20"]


def test_an_object_that_was_replaced_unseen_is_told_as_deleted_and_added() -> None:
    server = ScriptedServer(
        [(7, [pod("a", 3, uid="old")]), (20, [pod("a", 12, uid="new")])],
        [[ExpiredError("too old resource version")]],
    )

    _, heard = follow(server)

    assert heard == ["+a3", "-a3", "+a12"]


def test_a_refusal_that_will_not_go_away_leads_to_a_new_list() -> None:
    server = ScriptedServer([(7, []), (9, [])], [[ForbiddenError("no")]])

    follow(server)

    assert watched_from(server) == ["list", "7", "list", "9"]


def test_events_that_come_again_are_passed_over() -> None:
    first = event("ADDED", pod("a", 8))
    server = ScriptedServer(
        [(7, [])],
        [[first, event("DELETED", pod("a", 9)), first, event("DELETED", pod("a", 9)), bookmark(9)]],
    )

    _, heard = follow(server)

    assert heard == ["+a8", "-a9"]


def test_a_server_that_went_back_in_time_is_listed_again() -> None:
    server = ScriptedServer([(70, [pod("a", 60)]), (9, [pod("a", 5)])], [[bookmark(3)]])

    _, heard = follow(server)

    assert heard == ["+a60", "a60>a5"]
    assert watched_from(server) == ["list", "70", "list", "9"]


def test_a_list_that_fails_is_tried_again_with_growing_pauses() -> None:
    failures: list[Any] = [UnreachableError("refused")] * 9
    server = ScriptedServer([*failures, (7, [pod("a", 3)])], [])

    informer, heard = follow(server, seconds=20)
    assert heard == []
    assert not informer.synced.is_set()
    # 0.15, 0.3, 0.6, 1.2, 2.4, 4.8, 7.5, 7.5 seconds
    assert len(server.requests) == 8


def test_a_server_that_ends_every_watch_at_once_is_not_asked_without_pause() -> None:
    server = ScriptedServer([(7, [])], [[]] * 1_000)

    follow(server, seconds=100)

    assert len(server.requests) < 25


def test_what_cannot_be_decoded_is_left_out_and_the_rest_goes_on() -> None:
    def decode(obj: JsonObject) -> JsonObject:
        if obj["spec"]["nodeName"] == "bad":
            raise ValueError("a bad node")
        return obj

    server = ScriptedServer(
        [(7, [pod("a", 3), pod("b", 5, node="bad")])],
        [
            [
                event("MODIFIED", pod("a", 8, node="bad")),
                event("DELETED", pod("a", 9, node="bad")),
                event("DELETED", pod("b", 10)),
                event("ADDED", pod("c", 11)),
            ]
        ],
    )

    informer, heard = follow(server, decode=decode)

    assert heard == ["+a3", "-a3", "+c11"]
    assert informer.get("ns", "b") is None


class Spec(msgspec.Struct):
    nodeName: str  # noqa: N815 - as on the wire


class Typed(msgspec.Struct):
    spec: Spec


def test_objects_can_be_decoded_straight_into_types() -> None:
    server = ScriptedServer([(7, [pod("a", 3, node="n1")])], [])

    async def main() -> Typed | None:
        clock = VirtualClock(0)
        client = ApiClient(server, user_agent="test")
        decode = msgspec.json.Decoder(Typed).decode
        informer = Informer(client, PODS, clock=clock, decode_bytes=decode)
        async with asyncio.TaskGroup() as tasks:
            running = informer.start(tasks)
            await informer.synced.wait()
            running.cancel()
        return informer.get("ns", "a")

    assert run_virtual(main()) == Typed(Spec("n1"))


def test_plain_objects_say_what_they_are() -> None:
    informer, _ = follow(ScriptedServer([(7, [pod("a", 3)])], []))

    (found,) = informer.items()
    assert (found["apiVersion"], found["kind"]) == ("v1", "Pod")


def test_an_index_follows_the_objects() -> None:
    server = ScriptedServer(
        [(7, [pod("a", 3, node="n1"), pod("b", 4, node="n1")])],
        [[event("MODIFIED", pod("a", 8, node="n2")), event("DELETED", pod("b", 9, node="n1"))]],
    )

    async def main() -> list[tuple[list[str], list[str]]]:
        clock = VirtualClock(0)
        client = ApiClient(server, user_agent="test")
        informer: Informer[JsonObject] = Informer(client, PODS, clock=clock)
        informer.index("node", lambda obj: [obj["spec"]["nodeName"]])
        found: list[tuple[list[str], list[str]]] = []

        def look(*_: JsonObject) -> None:
            on_nodes = [informer.by_index("node", node) for node in ("n1", "n2")]
            first, second = [[_short(obj) for obj in objects] for objects in on_nodes]
            found.append((first, second))

        informer.add_handler(look, look, look)
        async with asyncio.TaskGroup() as tasks:
            running = informer.start(tasks)
            await clock.sleep(10)
            running.cancel()
        # An index that comes late knows what is there.
        informer.index("late", lambda obj: [obj["spec"]["nodeName"]])
        assert informer.by_index("late", "n2") == informer.by_index("node", "n2")
        return found

    assert run_virtual(main()) == [
        (["a3"], []),
        (["a3", "b4"], []),
        (["b4"], ["a8"]),
        ([], ["a8"]),
    ]


def test_a_handler_that_comes_late_hears_of_what_is_there() -> None:
    informer, _ = follow(ScriptedServer([(7, [pod("a", 3)])], []))

    assert Heard(informer).log == ["+a3"]


def test_handlers_find_the_change_in_the_copy() -> None:
    server = ScriptedServer([(7, [pod("a", 3)])], [[event("DELETED", pod("a", 9))]])
    seen: list[tuple[bool, int]] = []

    async def main() -> None:
        clock = VirtualClock(0)
        client = ApiClient(server, user_agent="test")
        informer: Informer[JsonObject] = Informer(client, PODS, clock=clock)
        informer.add_handler(
            on_add=lambda obj: seen.append((informer.get("ns", "a") is obj, 1)),
            on_delete=lambda _: seen.append((informer.get("ns", "a") is None, 0)),
        )
        async with asyncio.TaskGroup() as tasks:
            running = informer.start(tasks)
            await clock.sleep(1)
            running.cancel()

    run_virtual(main())
    assert seen == [(True, 1), (True, 0)]
