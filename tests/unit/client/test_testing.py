"""The recording client records and fails as told."""

from __future__ import annotations

from collections.abc import AsyncGenerator

import pytest

from kubegang.apimachinery.errors import ConflictError, NotFoundError
from kubegang.client.interface import Request, Response, UnreachableError
from kubegang.client.resources import PODS
from kubegang.client.testing import RecordingClient, Sent


class Echo:
    """A transport that answers every request with an empty object and three events."""

    async def send(self, request: Request) -> Response:
        return Response(200, {}, b"{}")

    async def stream(self, request: Request) -> AsyncGenerator[bytes, None]:
        for number in range(3):
            yield b'{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"%d"}}}' % number

    async def close(self) -> None:
        """Do nothing."""


async def test_what_was_sent_can_be_compared() -> None:
    client = RecordingClient(Echo())
    await client.patch(PODS, "p", "ns", patch={"x": 1}, subresource="status")
    await client.get(PODS, "p", "ns")

    path = "/api/v1/namespaces/ns/pods/p"
    assert client.sent() == [
        Sent("PATCH", f"{path}/status", {}, {"x": 1}),
        Sent("GET", path, {}, None),
    ]
    assert client.sent(method="GET") == [Sent("GET", path, {}, None)]
    assert len(client.sent(path="/status")) == 1


async def test_the_next_requests_that_fit_fail() -> None:
    client = RecordingClient(Echo())
    client.fail(ConflictError("changed"), method="PATCH", path="/status", times=2)
    client.fail(UnreachableError("gone"), method="GET")

    await client.patch(PODS, "p", "ns", patch={})
    for _ in range(2):
        with pytest.raises(ConflictError, match="changed"):
            await client.patch(PODS, "p", "ns", patch={}, subresource="status")
    await client.patch(PODS, "p", "ns", patch={}, subresource="status")
    with pytest.raises(UnreachableError, match="gone"):
        await client.get(PODS, "p", "ns")
    await client.get(PODS, "p", "ns")
    assert len(client.sent()) == 6


async def test_a_watch_can_fail_at_once_or_after_some_events() -> None:
    client = RecordingClient(Echo())
    client.fail(UnreachableError("cut"), after_lines=2)
    client.fail(NotFoundError("no such resource"))

    with pytest.raises(NotFoundError):
        await anext(client.watch(PODS, resource_version="1"))

    events = client.watch(PODS, resource_version="1")
    await anext(events)
    await anext(events)
    with pytest.raises(UnreachableError, match="cut"):
        await anext(events)

    assert len([event async for event in client.watch(PODS, resource_version="1")]) == 3
