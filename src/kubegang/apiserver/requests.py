"""One request as handlers see it: its target, its options as text, its body, its sender."""

from __future__ import annotations

from urllib.parse import parse_qsl

from starlette.types import Receive, Scope

from kubegang.api.scheme import ResourceInfo
from kubegang.apimachinery.errors import BadRequestError
from kubegang.apimachinery.objects import GroupResource
from kubegang.apiserver.authn import Identity
from kubegang.apiserver.errors import MAX_BODY_BYTES, body_too_large
from kubegang.apiserver.targets import Target

_FALSE_WORDS = ("", "0", "false")


class ClientGoneError(Exception):
    """The connection ended before the body was complete; nobody waits for an answer."""


class ApiRequest:
    """A request for a resource that is served.

    Attributes:
        info: the resource in the version that was asked for.
        storage: the row of the version in which its objects are stored.
        verb: as authorization and metrics name it: ``create``, ``list`` …
        warnings: texts that the answer will carry as ``Warning`` headers.
        streaming: the answer goes on until somebody ends it.
    """

    __slots__ = (
        "_query",
        "_receive",
        "identity",
        "info",
        "scope",
        "storage",
        "streaming",
        "target",
        "verb",
        "warnings",
    )

    def __init__(
        self,
        scope: Scope,
        receive: Receive,
        *,
        identity: Identity,
        target: Target,
        info: ResourceInfo,
        storage: ResourceInfo,
        verb: str,
    ) -> None:
        self.scope = scope
        self._receive = receive
        self.identity = identity
        self.target = target
        self.info = info
        self.storage = storage
        self.verb = verb
        self.warnings: list[str] = []
        self.warn_anew()
        self.streaming = False
        self._query: dict[str, list[str]] | None = None

    @property
    def namespace(self) -> str:
        """The namespace in the path; empty for cluster-wide kinds and all-namespace lists."""
        return self.target.namespace if self.info.namespaced else ""

    @property
    def name(self) -> str:
        """The object's name in the path, or empty."""
        return self.target.name

    @property
    def key(self) -> str:
        """The store's key of the object in the path."""
        return self.storage.key(self.namespace, self.target.name)

    @property
    def group_resource(self) -> GroupResource:
        """The resource as error texts name it."""
        return self.info.group_resource

    @property
    def query(self) -> dict[str, list[str]]:
        """The query's values by name, in the order in which they came."""
        if self._query is None:
            self._query = parse_query(self.scope)
        return self._query

    def speaking(self, info: ResourceInfo) -> ApiRequest:
        """Return the same request with a body and an answer of another kind."""
        other = ApiRequest(
            self.scope,
            self._receive,
            identity=self.identity,
            target=self.target,
            info=info,
            storage=self.storage,
            verb=self.verb,
        )
        other.warnings = self.warnings
        return other

    def warn_anew(self) -> None:
        """Forget the warnings of an earlier attempt, but not what the resource itself has."""
        self.warnings[:] = [self.info.warning] if self.info.warning else []

    def option(self, name: str) -> str:
        """Return the first value of a query parameter, or empty."""
        values = self.query.get(name)
        return values[0] if values else ""

    def flag(self, name: str) -> bool:
        """Return a query parameter as Kubernetes reads booleans: only empty, 0, false are false."""
        return self.option(name).lower() not in _FALSE_WORDS

    def header(self, name: bytes) -> str:
        """Return a header by its lower-case name, or empty; repeated ones are joined."""
        return header(self.scope, name)

    async def body(self) -> bytes:
        """Read the body.

        Raises:
            RequestEntityTooLargeError: it is larger than ``MAX_BODY_BYTES``.
            ClientGoneError: the connection ended first.
        """
        chunks: list[bytes] = []
        size = 0
        while True:
            message = await self._receive()
            if message["type"] == "http.disconnect":
                raise ClientGoneError
            chunk = message.get("body", b"")
            size += len(chunk)
            if size > MAX_BODY_BYTES:
                raise body_too_large()
            chunks.append(chunk)
            if not message.get("more_body", False):
                return chunks[0] if len(chunks) == 1 else b"".join(chunks)

    async def wait_disconnected(self) -> None:
        """Return when the client has gone away."""
        while True:
            message = await self._receive()
            if message["type"] == "http.disconnect":
                return


def header(scope: Scope, name: bytes) -> str:
    """Return a header by its lower-case name, or empty; repeated ones are joined."""
    found = [value for key, value in scope["headers"] if key == name]
    if not found:
        return ""
    return (found[0] if len(found) == 1 else b",".join(found)).decode("latin-1")


def parse_query(scope: Scope) -> dict[str, list[str]]:
    """Return the query's values by name.

    Raises:
        BadRequestError: it is no UTF-8.
    """
    raw = scope["query_string"]
    if not raw:
        return {}
    query: dict[str, list[str]] = {}
    try:
        pairs = parse_qsl(raw.decode("ascii"), keep_blank_values=True, errors="strict")
    except ValueError as error:
        raise BadRequestError(f"invalid query: {error}") from error
    for name, value in pairs:
        query.setdefault(name, []).append(value)
    return query
