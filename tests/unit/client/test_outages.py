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
    assert [line["log_level"] for line in logs] == ["warning", "warning", "warning"]


class BackSoon(Gone):
    """Answers to watches with silence, and to nothing else, once it is back."""

    def __init__(self) -> None:
        self.back = False

    async def stream(self, request: Request):  # type: ignore[no-untyped-def]
        if not self.back:
            raise UnreachableError("connection refused")
        yield b""
        await asyncio.Event().wait()


def test_a_watch_on_which_nothing_happens_ends_an_outage_too() -> None:
    async def story() -> None:
        clock = VirtualClock(0)
        server = BackSoon()
        client = ApiClient(server, user_agent="test")

        async def follow() -> None:
            while True:
                try:
                    async for _ in client.watch(PODS, resource_version="1"):
                        pass
                except UnreachableError as error:
                    client.outage.noticed(str(error))
                    await clock.sleep(1)

        following = asyncio.ensure_future(follow())
        await clock.sleep(10)
        server.back = True
        await clock.sleep(10)
        following.cancel()
        await asyncio.gather(following, return_exceptions=True)

    with capture_logs() as logs:
        run_virtual(story())
    assert [line["event"] for line in logs] == [
        "cannot reach the API server, trying again",
        "the API server answers again",
    ]


def test_an_answer_from_before_the_outage_does_not_end_it() -> None:
    outage = Outage()
    with capture_logs() as logs:
        asked_at = outage.count
        outage.noticed("refused")
        outage.answered(asked_at=asked_at)
        outage.noticed("refused")
        outage.answered(asked_at=outage.count)
    assert [line["event"] for line in logs] == [
        "cannot reach the API server, trying again",
        "the API server answers again",
    ]
