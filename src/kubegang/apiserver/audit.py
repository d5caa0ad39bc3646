"""The audit log: one line of JSON for each request, in the form of ``audit.k8s.io/v1``.

At the level ``Metadata``: who asked for what, and how it was answered, never bodies. As
upstream, a request that lasts is also noted when its answer begins. Lines go to the file in
batches by a task of its own; if too many are waiting, the oldest are dropped and counted, so
that the log's cost is bounded.
"""

from __future__ import annotations

from collections import deque
from pathlib import Path
from typing import Any, Protocol

import msgspec
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kubegang.apimachinery.times import format_micro_time
from kubegang.apiserver.access import DECISION, SENDER
from kubegang.apiserver.authn import Identity
from kubegang.apiserver.authorization.attributes import Attributes, attributes_of
from kubegang.apiserver.authorization.authorizer import Decision
from kubegang.apiserver.requests import header
from kubegang.base.clock import Clock
from kubegang.base.logging import logger

FLUSH_SECONDS = 0.2
MOST_WAITING = 10_000

_LASTING = ("/exec", "/attach", "/portforward", "/log")
_MOST_EXPLAINED = 64 * 1024

_log = logger("apiserver.audit")


class AuditSink(Protocol):
    """Takes audit events."""

    def add(self, event: dict[str, Any]) -> None:
        """Take an event; never waits."""
        ...


class AuditFile:
    """Appends events to a file, in batches."""

    def __init__(self, path: Path, *, clock: Clock, most_waiting: int = MOST_WAITING) -> None:
        self._path = path
        self._clock = clock
        self._waiting: deque[dict[str, Any]] = deque(maxlen=most_waiting)
        self.dropped = 0

    def add(self, event: dict[str, Any]) -> None:
        """Take an event; if too many are waiting, the oldest is dropped."""
        if len(self._waiting) == self._waiting.maxlen:
            self.dropped += 1
        self._waiting.append(event)

    async def run(self) -> None:
        """Write until cancelled, and once more then."""
        try:
            while True:
                await self._clock.sleep(FLUSH_SECONDS)
                self._flush()
        finally:
            self._flush()

    def _flush(self) -> None:
        events = [self._waiting.popleft() for _ in range(len(self._waiting))]
        if not events:
            return
        lines = b"".join(msgspec.json.encode(event) + b"\n" for event in events)
        try:
            with self._path.open("ab") as file:
                file.write(lines)
        except OSError as error:
            self.dropped += len(events)
            _log.error("cannot write the audit log", path=str(self._path), error=str(error))


class AuditLog:
    """Notes every request; stands around access control, so that refusals are noted too."""

    def __init__(self, app: ASGIApp, *, sink: AuditSink, clock: Clock) -> None:
        self._app = app
        self._sink = sink
        self._clock = clock

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on and note what became of it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        received = self._clock.now()
        status, body = 0, b""

        async def noting_send(message: Message) -> None:
            nonlocal status, body
            if message["type"] == "http.response.start":
                status = message["status"]
                if status == 200 and _lasts(scope):
                    self._note(scope, _response(status), received, stage="ResponseStarted")
            elif status >= 400 and not body:
                body = message.get("body", b"")
            await send(message)

        try:
            await self._app(scope, receive, noting_send)
        finally:
            self._note(scope, _response(status, body), received, stage="ResponseComplete")

    def _note(self, scope: Scope, response: dict[str, Any], received: float, *, stage: str) -> None:
        asked = attributes_of(scope)
        event: dict[str, Any] = {
            "kind": "Event",
            "apiVersion": "audit.k8s.io/v1",
            "level": "Metadata",
            "auditID": scope.get("kubegang.audit-id", ""),
            "stage": stage,
            "requestURI": _uri(scope),
            "verb": asked.verb,
            "user": _user(scope.get(SENDER)),
        }
        identity = scope.get("kubegang.identity")
        if identity is not None and identity is not scope.get(SENDER):
            event["impersonatedUser"] = _user(identity)
        client = scope.get("client")
        event["sourceIPs"] = [client[0]] if client else []
        agent = header(scope, b"user-agent")
        if agent:
            event["userAgent"] = agent
        if not asked.path:
            event["objectRef"] = _object(asked)
        event["responseStatus"] = response
        event["requestReceivedTimestamp"] = format_micro_time(received)
        event["stageTimestamp"] = format_micro_time(self._clock.now())
        decision: Decision | None = scope.get(DECISION)
        if decision is not None:
            event["annotations"] = {
                "authorization.k8s.io/decision": "allow" if decision.allowed else "forbid",
                "authorization.k8s.io/reason": decision.reason,
            }
        self._sink.add(event)


def _response(status: int, body: bytes = b"") -> dict[str, Any]:
    """Return how a request was answered; a failure with its text."""
    response: dict[str, Any] = {"metadata": {}, "code": status}
    if not body or len(body) > _MOST_EXPLAINED:
        return response
    try:
        said = msgspec.json.decode(body)
    except msgspec.DecodeError:
        return response
    if isinstance(said, dict) and said.get("kind") == "Status":
        named = {name: said[name] for name in ("status", "message", "reason") if name in said}
        return {"metadata": {}, **named, "code": status}
    return response


def _uri(scope: Scope) -> str:
    query: bytes = scope["query_string"]
    path: str = scope["path"]
    return f"{path}?{query.decode('latin-1')}" if query else path


def _user(identity: Identity | None) -> dict[str, Any]:
    if identity is None:
        return {}
    user: dict[str, Any] = {"username": identity.user}
    if identity.uid:
        user["uid"] = identity.uid
    if identity.groups:
        user["groups"] = list(identity.groups)
    if identity.extra:
        user["extra"] = {key: list(values) for key, values in identity.extra.items()}
    return user


def _object(asked: Attributes) -> dict[str, str]:
    members = {
        "resource": asked.resource,
        "namespace": asked.namespace,
        "name": asked.name,
        "apiGroup": asked.group,
        "apiVersion": asked.version,
        "subresource": asked.subresource,
    }
    return {name: value for name, value in members.items() if value}


def _lasts(scope: Scope) -> bool:
    if attributes_of(scope).verb == "watch":
        return True
    return bool(scope["path"].endswith(_LASTING))
