"""The typed verbs over any transport: builds a request, sends it, reads the answer."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

import msgspec

from kubegang.apimachinery.objects import JsonObject
from kubegang.client.answers import (
    Event,
    read_event,
    read_list,
    read_object,
    read_raw_list,
    read_raw_object,
)
from kubegang.client.failures import failure_of
from kubegang.client.interface import (
    ObjectList,
    PatchType,
    RawEvent,
    RawList,
    Request,
    Resource,
    Response,
    Transport,
    WatchEvent,
)
from kubegang.client.outages import Outage
from kubegang.client.requests import (
    create_request,
    delete_request,
    get_request,
    list_request,
    patch_request,
    update_request,
    watch_request,
)


class ApiClient:
    """Implements ``interface.Client`` over a transport.

    Every verb raises the ``ApiError`` that the server answered, or ``UnreachableError``.
    """

    def __init__(self, transport: Transport, *, user_agent: str) -> None:
        """Speak through ``transport``; the first part of ``user_agent`` is the field manager."""
        self._transport = transport
        self._user_agent = ("user-agent", user_agent)
        self.outage = Outage()
        """For those who go on asking: told once, not by each of them."""

    async def get(self, resource: Resource, name: str, namespace: str = "") -> JsonObject:
        """Return one object."""
        return await self._object(get_request(resource, name, namespace))

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
        """Return objects of one namespace, or of all (empty namespace).

        The items get the apiVersion and kind that a List leaves out.
        """
        response = await self._send(
            list_request(
                resource,
                namespace,
                label_selector=label_selector,
                field_selector=field_selector,
                limit=limit,
                continue_token=continue_token,
            )
        )
        return read_list(response, resource)

    async def watch(
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
        events = self._events(
            watch_request(
                resource,
                namespace,
                resource_version=resource_version,
                label_selector=label_selector,
                field_selector=field_selector,
                timeout_seconds=timeout_seconds,
            )
        )
        async with aclosing(events):
            async for event_type, body in events:
                yield WatchEvent(event_type, msgspec.json.decode(body))

    async def list_raw(
        self,
        resource: Resource,
        namespace: str = "",
        *,
        label_selector: str = "",
        field_selector: str = "",
    ) -> RawList:
        """Return all objects of one namespace, or of all, for decoding into other types."""
        request = list_request(
            resource, namespace, label_selector=label_selector, field_selector=field_selector
        )
        return read_raw_list(await self._send(request))

    async def watch_raw(
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
        events = self._events(
            watch_request(
                resource,
                namespace,
                resource_version=resource_version,
                label_selector=label_selector,
                field_selector=field_selector,
                timeout_seconds=timeout_seconds,
            )
        )
        async with aclosing(events):
            async for event_type, body in events:
                yield RawEvent(event_type, read_raw_object(body))

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
        return await self._object(
            create_request(
                resource, obj, namespace, subresource=subresource, name=name, dry_run=dry_run
            )
        )

    async def update(
        self, resource: Resource, obj: JsonObject, *, subresource: str = ""
    ) -> JsonObject:
        """Replace an object, or its status; name and namespace are read from it."""
        return await self._object(update_request(resource, obj, subresource=subresource))

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
        return await self._object(
            patch_request(
                resource,
                name,
                namespace,
                patch=patch,
                patch_type=patch_type,
                subresource=subresource,
                field_manager=field_manager,
                force=force,
            )
        )

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
        return await self._object(
            delete_request(
                resource,
                name,
                namespace,
                grace_period_seconds=grace_period_seconds,
                propagation_policy=propagation_policy,
                precondition_uid=precondition_uid,
                precondition_resource_version=precondition_resource_version,
            )
        )

    async def close(self) -> None:
        """Release connections."""
        await self._transport.close()

    async def _object(self, request: Request) -> JsonObject:
        return read_object(await self._send(request))

    async def _send(self, request: Request) -> Response:
        asked_at = self.outage.count
        response = await self._transport.send(self._signed(request))
        self.outage.answered(asked_at=asked_at)
        if response.status >= 400:
            raise failure_of(response)
        return response

    async def _events(self, request: Request) -> AsyncGenerator[Event, None]:
        asked_at = self.outage.count
        async with aclosing(self._transport.stream(self._signed(request))) as lines:
            async for line in lines:
                if line:
                    yield read_event(line)
                else:
                    self.outage.answered(asked_at=asked_at)

    def _signed(self, request: Request) -> Request:
        return msgspec.structs.replace(request, headers=(self._user_agent, *request.headers))
