"""A small API server for one resource, to test clients against.

ConfigMaps can be created, read, changed, deleted, listed in pages and watched. Nodes answer
whatever a test has put into the script. Everything else is a plain 404.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any, NamedTuple

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from kubegang.apimachinery.errors import (
    ApiError,
    ConflictError,
    ExpiredError,
    already_exists,
    not_found,
)
from kubegang.apimachinery.objects import GroupResource, JsonObject

CONFIGMAPS = GroupResource("", "configmaps")


class Seen(NamedTuple):
    """What the server was asked."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    identity: Any
    body: Any


class Scripted(NamedTuple):
    """An answer that a test wants."""

    status: int
    body: str
    headers: dict[str, str] = {}  # noqa: RUF012 - never changed


class Api:
    """The state of the server."""

    def __init__(self) -> None:
        self.objects: dict[tuple[str, str], JsonObject] = {}
        self.revision = 1
        self.expired_before = 0
        self.history: list[tuple[int, bytes]] = []
        self.changed = asyncio.Event()
        self.watchers = 0
        self.nobody_watches = asyncio.Event()
        self.end_watches = False
        self.seen: list[Seen] = []
        self.script: list[Scripted] = []

    def write(self, event: str, obj: JsonObject) -> JsonObject:
        """Apply a change and tell watchers."""
        self.revision += 1
        obj["metadata"]["resourceVersion"] = str(self.revision)
        key = (obj["metadata"]["namespace"], obj["metadata"]["name"])
        if event == "DELETED":
            del self.objects[key]
        else:
            self.objects[key] = obj
        self.tell({"type": event, "object": obj})
        return obj

    def tell(self, event: JsonObject) -> None:
        """Send an event to watchers as it is."""
        self.history.append((self.revision, json.dumps(event).encode() + b"\n"))
        self.changed.set()

    def stop_watches(self) -> None:
        """End all watches, once they have sent what there is."""
        self.end_watches = True
        self.changed.set()

    async def events(self, after: int) -> AsyncIterator[bytes]:
        """Yield what watchers get; several events may come in one piece."""
        self.watchers += 1
        position = next(
            (at for at, (revision, _) in enumerate(self.history) if revision > after),
            len(self.history),
        )
        try:
            while True:
                piece = b"".join(line for _, line in self.history[position:])
                position = len(self.history)
                if piece:
                    # Cut in the middle of lines, as a network does.
                    half = len(piece) // 2
                    yield piece[:half]
                    yield piece[half:]
                if self.end_watches:
                    return
                self.changed.clear()
                await self.changed.wait()
        finally:
            self.watchers -= 1
            self.nobody_watches.set()


async def collection(request: Request) -> Response:
    """List, watch or create."""
    api: Api = request.app.state.api
    namespace = request.path_params.get("namespace", "")
    if request.method == "POST":
        obj = await request.json()
        obj["metadata"].setdefault("namespace", namespace)
        if (namespace, obj["metadata"]["name"]) in api.objects:
            raise already_exists(CONFIGMAPS, obj["metadata"]["name"])
        return JSONResponse(api.write("ADDED", obj), 201)
    query = request.query_params
    if query.get("watch") == "true":
        after = int(query["resourceVersion"])
        if after < api.expired_before:
            raise ExpiredError("too old resource version")
        return StreamingResponse(api.events(after), media_type="application/json")
    found = [o for (ns, _), o in sorted(api.objects.items()) if namespace in {"", ns}]
    first = int(query.get("continue") or 0)
    limit = int(query.get("limit") or len(found) or 1)
    metadata: JsonObject = {"resourceVersion": str(api.revision)}
    if first + limit < len(found):
        metadata["continue"] = str(first + limit)
    items = [
        {k: v for k, v in o.items() if k not in {"kind", "apiVersion"}}
        for o in found[first : first + limit]
    ]
    return JSONResponse(
        {"kind": "ConfigMapList", "apiVersion": "v1", "metadata": metadata, "items": items}
    )


async def item(request: Request) -> Response:
    """Get, update, patch or delete."""
    api: Api = request.app.state.api
    key = (request.path_params["namespace"], request.path_params["name"])
    if key not in api.objects:
        raise not_found(CONFIGMAPS, key[1])
    old = api.objects[key]
    if request.method == "PUT":
        new = await request.json()
        if new["metadata"].get("resourceVersion") != old["metadata"]["resourceVersion"]:
            raise ConflictError("the object has been modified")
        return JSONResponse(api.write("MODIFIED", new))
    if request.method == "PATCH":
        return JSONResponse(api.write("MODIFIED", {**old, **await request.json()}))
    if request.method == "DELETE":
        api.write("DELETED", dict(old, metadata=dict(old["metadata"])))
        return JSONResponse({"kind": "Status", "apiVersion": "v1", "status": "Success"})
    return JSONResponse(old)


async def scripted(request: Request) -> Response:
    """Answer what the test wants."""
    api: Api = request.app.state.api
    answer = api.script.pop(0)
    return PlainTextResponse(answer.body, answer.status, answer.headers)


async def broken(request: Request) -> Response:
    """Fail without an answer."""
    raise ZeroDivisionError(request.url.path)


async def silent(request: Request) -> Response:
    """Never answer."""
    await asyncio.Event().wait()
    raise AssertionError(request)


def breaking_off(request: Request) -> Response:
    """Begin a stream and fail in the middle of a line."""

    async def pieces() -> AsyncIterator[bytes]:
        yield b'{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"5"}}}\n{"type"'
        raise ZeroDivisionError(request.url.path)

    return StreamingResponse(pieces())


async def refuse(request: Request, error: Exception) -> Response:
    """Answer an ``ApiError`` as a Status."""
    if not isinstance(error, ApiError):
        raise error
    return JSONResponse(error.to_status(), error.code)


class Recorder:
    """Middleware that notes what was asked."""

    def __init__(self, app: Any, api: Api) -> None:
        self.app = app
        self.api = api

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        messages = [await receive()]
        while messages[-1].get("more_body"):
            messages.append(await receive())
        body = b"".join(message.get("body", b"") for message in messages)
        request = Request(scope)
        self.api.seen.append(
            Seen(
                request.method,
                scope["raw_path"].decode(),
                dict(request.query_params),
                dict(request.headers),
                scope.get("extensions", {}).get("kubegang.identity"),
                json.loads(body) if body else None,
            )
        )

        async def replay() -> Any:
            return messages.pop(0) if messages else await receive()

        await self.app(scope, replay, send)


def make_app(api: Api) -> Any:
    """Return the ASGI app over a state."""
    app = Starlette(
        routes=[
            Route("/api/v1/configmaps", collection),
            Route("/api/v1/namespaces/{namespace}/configmaps", collection, methods=["GET", "POST"]),
            Route(
                "/api/v1/namespaces/{namespace}/configmaps/{name}",
                item,
                methods=["GET", "PUT", "PATCH", "DELETE"],
            ),
            Route("/api/v1/nodes", scripted),
            Route("/api/v1/nodes/broken", broken),
            Route("/api/v1/nodes/silent", silent),
            Route("/api/v1/namespaces", breaking_off),
        ],
        exception_handlers={ApiError: refuse},
    )
    app.state.api = api
    return Recorder(app, api)
