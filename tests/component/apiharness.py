"""An API server in this process, in memory and in virtual time, and a small client for it."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Callable, Coroutine
from typing import Any, NamedTuple

from starlette.applications import Starlette
from starlette.types import Message

from kubegang.api.facts import load_facts
from kubegang.api.profile import VersionProfile
from kubegang.apiserver.app import create_app
from kubegang.apiserver.authn import IDENTITY_EXTENSION, Authenticator, Identity
from kubegang.apiserver.backend import Backend
from kubegang.apiserver.bootstrap import bootstrap
from kubegang.app.profiles.table import profile_named
from kubegang.app.served import scheme_of
from kubegang.base.clock import VirtualClock, run_virtual
from kubegang.store.memory import MemoryStore

START = 1_795_000_000.0
"""When virtual time begins: in November 2026."""

JSON = "application/json"
MERGE = "application/merge-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"
JSON_PATCH = "application/json-patch+json"
APPLY = "application/apply-patch+yaml"

CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"
PODS = "/api/v1/namespaces/default/pods"


class Reply(NamedTuple):
    """A complete answer."""

    status: int
    headers: dict[str, str]
    body: bytes
    warnings: tuple[str, ...] = ()

    @property
    def object(self) -> dict[str, Any]:
        decoded: dict[str, Any] = json.loads(self.body)
        return decoded

    @property
    def message(self) -> str:
        return str(self.object["message"])


class Stream:
    """An answer that is still going on."""

    def __init__(self) -> None:
        self.status = 0
        self.over = False
        self._lines: list[bytes] = []
        self._arrived = asyncio.Event()
        self._gone = asyncio.Event()
        self.task: asyncio.Task[None] | None = None

    def take(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
        else:
            self._lines += message.get("body", b"").splitlines()
            self.over = not message.get("more_body", False)
        self._arrived.set()

    async def next_event(self) -> dict[str, Any]:
        """Wait for an event."""
        while not self._lines:
            self._arrived.clear()
            await self._arrived.wait()
        event: dict[str, Any] = json.loads(self._lines.pop(0))
        return event

    def hang_up(self) -> None:
        """Go away as a client does that loses its connection."""
        self._gone.set()

    async def wait_gone(self) -> None:
        await self._gone.wait()

    async def rest(self) -> list[dict[str, Any]]:
        """Wait for the end and return the events up to it."""
        if self.task is not None:
            await self.task
        lines, self._lines = self._lines, []
        return [json.loads(line) for line in lines]


class Api:
    """The server and its client; requests come from an administrator unless said otherwise."""

    def __init__(self, app: Starlette) -> None:
        self.app = app
        self.backend: Backend = app.state.backend

    @classmethod
    async def start(cls, **settings: Any) -> Api:
        """Start a 1.37 server, every gang-scheduling gate on, with its first objects."""
        version = settings.pop("version", "1.37")
        profile = profile_named(
            version,
            feature_gates=settings.pop("feature_gates", ""),
            runtime_config=settings.pop("runtime_config", ""),
        )
        gates = profile.gates["apiserver"]
        app = create_app(
            store=settings.pop("store", None) or MemoryStore(),
            scheme=scheme_of(profile),
            facts=load_facts(profile.name),
            gates=gates,
            clock=VirtualClock(START),
            rng=random.Random(1),
            git_version=profile.git_version,
            authenticator=Authenticator({"secret": Identity("tester", ("testers",))}),
            **{**_rules_of(profile), **settings},
        )
        await bootstrap(app.state.backend)
        return cls(app)

    async def send(
        self,
        method: str,
        target: str,
        body: Any = None,
        *,
        content_type: str = JSON,
        headers: dict[str, str] | None = None,
        user: str | None = "admin",
    ) -> Reply:
        """Send a request and return the whole answer."""
        messages: list[Message] = []
        requests = [{"type": "http.request", "body": _encoded(body), "more_body": False}]

        async def receive() -> Message:
            if requests:
                return requests.pop()
            # The client stays until it has its answer.
            await asyncio.Event().wait()
            return {"type": "http.disconnect"}

        async def send(message: Message) -> None:
            messages.append(message)

        sent = {"content-type": content_type} if body is not None else {}
        scope = _scope(method, target, {**sent, **(headers or {})}, user)
        await self.app(scope, receive, send)
        start = messages[0]
        received = {name.decode(): value.decode("latin-1") for name, value in start["headers"]}
        told = tuple(_warning_text(value) for name, value in start["headers"] if name == b"warning")
        body = b"".join(one.get("body", b"") for one in messages[1:])
        return Reply(start["status"], received, body, told)

    def watch(self, target: str, *, headers: dict[str, str] | None = None) -> Stream:
        """Begin a watch."""
        stream = Stream()
        requests = [{"type": "http.request", "body": b"", "more_body": False}]

        async def receive() -> Message:
            if requests:
                return requests.pop()
            await stream.wait_gone()
            return {"type": "http.disconnect"}

        async def send(message: Message) -> None:
            stream.take(message)

        scope = _scope("GET", target, headers or {}, "admin")
        stream.task = asyncio.create_task(self.app(scope, receive, send))
        return stream

    async def get(self, target: str, **options: Any) -> Reply:
        return await self.send("GET", target, **options)

    async def post(self, target: str, body: Any, **options: Any) -> Reply:
        return await self.send("POST", target, body, **options)

    async def put(self, target: str, body: Any, **options: Any) -> Reply:
        return await self.send("PUT", target, body, **options)

    async def patch(
        self, target: str, body: Any, content_type: str = MERGE, **options: Any
    ) -> Reply:
        return await self.send("PATCH", target, body, content_type=content_type, **options)

    async def delete(self, target: str, body: Any = None, **options: Any) -> Reply:
        return await self.send("DELETE", target, body, **options)

    async def create(self, target: str, body: Any) -> dict[str, Any]:
        """Create an object that has to be accepted, and return it."""
        reply = await self.post(target, body)
        assert reply.status == 201, reply.body
        return reply.object


Scenario = Callable[[Api], Coroutine[Any, Any, None]]


def run(scenario: Scenario, **settings: Any) -> None:
    """Run a scenario against a fresh server, in virtual time."""

    async def main() -> None:
        await scenario(await Api.start(**settings))

    run_virtual(main())


def api_test(scenario: Scenario) -> Callable[[], None]:
    """Make a scenario a test."""

    def test() -> None:
        run(scenario)

    # Not functools.wraps: pytest would see through it and look for a fixture named api.
    test.__name__ = scenario.__name__
    test.__doc__ = scenario.__doc__
    return test


def config_map(name: str, **members: Any) -> dict[str, Any]:
    """Return a ConfigMap; ``labels`` and the like may be given as members of its metadata."""
    data = members.pop("data", None)
    obj: dict[str, Any] = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name, **members},
    }
    if data is not None:
        obj["data"] = data
    return obj


def pod(name: str, *, labels: dict[str, str] | None = None, **spec: Any) -> dict[str, Any]:
    """Return a pod of one container."""
    containers = [{"name": "c", "image": "registry.example/app:1"}]
    metadata: dict[str, Any] = {"name": name}
    if labels:
        metadata["labels"] = labels
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata,
        "spec": {"containers": containers, **spec},
    }


def binding(name: str, node: str, **metadata: Any) -> dict[str, Any]:
    """Return a Binding of a pod to a node."""
    return {
        "apiVersion": "v1",
        "kind": "Binding",
        "metadata": {"name": name, **metadata},
        "target": {"kind": "Node", "name": node},
    }


def _rules_of(profile: VersionProfile) -> dict[str, Any]:
    """Return what the release does otherwise, as the server takes it."""
    return {
        "identity_rules": profile.identity_rules,
        "validation_rules": profile.validation_rules,
        "warning_rules": profile.warning_rules,
        "table_rules": profile.table_rules,
    }


def _warning_text(header: bytes) -> str:
    """Return the text of a Warning header, which stands in quotes behind code and agent."""
    quoted = header.decode().removeprefix('299 - "').removesuffix('"')
    return quoted.replace('\\"', '"').replace("\\\\", "\\")


def _encoded(body: Any) -> bytes:
    if body is None:
        return b""
    return body if isinstance(body, bytes) else json.dumps(body).encode()


def _scope(method: str, target: str, headers: dict[str, str], user: str | None) -> dict[str, Any]:
    path, _, query = target.partition("?")
    named = {"accept": JSON, "user-agent": "tester/1", **headers}
    scope: dict[str, Any] = {
        "type": "http",
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": query.encode(),
        "headers": [(name.encode(), value.encode()) for name, value in named.items() if value],
        "server": ("127.0.0.1", 6443),
        "scheme": "https",
        "http_version": "1.1",
    }
    if user is not None:
        identity = {"user": user, "groups": ("system:masters",)}
        scope["extensions"] = {IDENTITY_EXTENSION: identity}
    return scope
