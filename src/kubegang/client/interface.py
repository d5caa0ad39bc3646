"""What every component may ask of the API, as verbs over resources.

``ApiClient`` in ``client/api.py`` implements this over a ``Transport``: HTTPS to any cluster
(``http.py``), or a call into the ASGI app of the same process (``asgi.py``). Objects are
plain JSON; ``list_raw`` and ``watch_raw`` leave them as bytes, for whoever decodes thousands
a second into types of its own.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Literal, Protocol

import msgspec

from kubegang.apimachinery.objects import JsonObject


class Resource(msgspec.Struct, frozen=True):
    """A resource as paths name it: ``Resource("", "v1", "pods", "Pod", namespaced=True)``."""

    group: str
    version: str
    plural: str
    kind: str
    namespaced: bool = True

    @property
    def api_version(self) -> str:
        """``apps/v1``, or ``v1`` for the core group."""
        return f"{self.group}/{self.version}" if self.group else self.version


class Request(msgspec.Struct, frozen=True):
    """One HTTP request, built but not sent."""

    method: str
    path: str
    query: tuple[tuple[str, str], ...] = ()
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""


class Response(msgspec.Struct, frozen=True):
    """One complete HTTP answer."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class UnreachableError(Exception):
    """The API server did not answer: refused, reset, timed out, or not to be trusted."""


class Transport(Protocol):
    """Sends requests. Raises ``UnreachableError`` when no answer can be had."""

    async def send(self, request: Request) -> Response:
        """Send a request and return the whole answer, whatever its status."""
        ...

    def stream(self, request: Request) -> AsyncGenerator[bytes, None]:
        """Send a request and yield the answer's lines as they come (a watch).

        An empty line may come first: the server has begun to answer, even if nothing happens.

        Raises:
            ApiError: the answer was not 200.
        """
        ...

    async def close(self) -> None:
        """Release connections."""
        ...


class ObjectList(msgspec.Struct):
    """A listing: the objects and the resourceVersion to watch from."""

    items: list[JsonObject]
    resource_version: str
    continue_token: str = ""


class WatchEvent(msgspec.Struct, frozen=True):
    """One event of a watch; ERROR events are raised as ``ApiError`` instead."""

    type: Literal["ADDED", "MODIFIED", "DELETED", "BOOKMARK"]
    object: JsonObject


class RawObject(msgspec.Struct, frozen=True):
    """An object that is still bytes, with what a local copy needs to know of it.

    Attributes:
        body: the object as JSON. It may keep the whole message alive that it came in, so
            decode it at once.
    """

    body: bytes
    namespace: str
    name: str
    uid: str
    resource_version: str


class RawList(msgspec.Struct):
    """A listing whose objects are still bytes."""

    items: list[RawObject]
    resource_version: str


class RawEvent(msgspec.Struct, frozen=True):
    """One event of a watch whose object is still bytes."""

    type: Literal["ADDED", "MODIFIED", "DELETED", "BOOKMARK"]
    object: RawObject


PatchType = Literal["json", "merge", "strategic", "apply"]


class Client(Protocol):
    """Typed verbs. Every one may raise ``ApiError`` or ``UnreachableError``."""

    async def get(self, resource: Resource, name: str, namespace: str = "") -> JsonObject:
        """Return one object."""
        ...

    async def list(
        self,
        resource: Resource,
        namespace: str = "",
        *,
        label_selector: str = "",
        field_selector: str = "",
        limit: int = 0,
        continue_token: str = "",
    ) -> ObjectList:
        """Return objects of one namespace, or of all (empty namespace)."""
        ...

    def watch(
        self,
        resource: Resource,
        namespace: str = "",
        *,
        resource_version: str,
        label_selector: str = "",
        field_selector: str = "",
        timeout_seconds: int = 0,
    ) -> AsyncGenerator[WatchEvent, None]:
        """Yield events after ``resource_version`` until the server ends the watch."""
        ...

    async def list_raw(
        self,
        resource: Resource,
        namespace: str = "",
        *,
        label_selector: str = "",
        field_selector: str = "",
    ) -> RawList:
        """Return all objects of one namespace, or of all, for decoding into other types."""
        ...

    def watch_raw(
        self,
        resource: Resource,
        namespace: str = "",
        *,
        resource_version: str,
        label_selector: str = "",
        field_selector: str = "",
        timeout_seconds: int = 0,
    ) -> AsyncGenerator[RawEvent, None]:
        """Yield events as ``watch`` does, for decoding into other types."""
        ...

    async def create(
        self,
        resource: Resource,
        obj: JsonObject,
        namespace: str = "",
        *,
        subresource: str = "",
        name: str = "",
        dry_run: bool = False,
    ) -> JsonObject:
        """Create an object, or POST to a subresource of ``name`` (binding, eviction)."""
        ...

    async def update(
        self, resource: Resource, obj: JsonObject, *, subresource: str = ""
    ) -> JsonObject:
        """Replace an object, or its status; name and namespace are read from it."""
        ...

    async def patch(
        self,
        resource: Resource,
        name: str,
        namespace: str = "",
        *,
        patch: JsonObject | Sequence[JsonObject],
        patch_type: PatchType = "merge",
        subresource: str = "",
        field_manager: str = "",
        force: bool = False,
    ) -> JsonObject:
        """Change an object by a patch."""
        ...

    async def delete(
        self,
        resource: Resource,
        name: str,
        namespace: str = "",
        *,
        grace_period_seconds: int | None = None,
        propagation_policy: str = "",
        precondition_uid: str = "",
        precondition_resource_version: str = "",
    ) -> JsonObject:
        """Delete an object and return what the server answered (a Status or the object)."""
        ...

    async def close(self) -> None:
        """Release connections."""
        ...
