"""An API server that goes away is told of once, however many follow its resources."""

from __future__ import annotations

import asyncio

from structlog.testing import capture_logs

from kubegang.apimachinery.objects import JsonObject
from kubegang.base.clock import VirtualClock, run_virtual
from kubegang.client.api import ApiClient
from kubegang.client.informer import Informer
from kubegang.client.interface import Request, Response, UnreachableError
from kubegang.client.outages import Outage
from kubegang.client.resources import NODES, PODS, SERVICES


class Gone:
    """Nobody answers."""

    async def send(self, request: Request) -> Response:
        raise UnreachableError("connection refused")

    async def stream(self, request: Request):  # type: ignore[no-untyped-def]
        raise UnreachableError("connection refused")
        yield b""

    async def close(self) -> None:
        return None


def test_all_informers_of_a_client_tell_of_one_outage_once() -> None:
    async def story() -> None:
        clock = VirtualClock(0)
        client = ApiClient(Gone(), user_agent="test")
        informers: list[Informer[JsonObject]] = [
            Informer(client, kind, clock=clock) for kind in (PODS, NODES, SERVICES)
        ]
        tasks = [asyncio.ensure_future(informer.run()) for informer in informers]
        await clock.sleep(60)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    with capture_logs() as logs:
        run_virtual(story())
    assert [line["event"] for line in logs] == ["cannot reach the API server, trying again"]


def test_the_end_of_an_outage_is_told_too() -> None:
    outage = Outage()
    with capture_logs() as logs:
        outage.over()
        outage.noticed("refused")
        outage.noticed("refused")
        outage.over()
        outage.over()
        outage.noticed("refused")
    assert [line["log_level"] for line in logs] == ["warning", "info", "warning"]
