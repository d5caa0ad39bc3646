"""Definitions and custom objects, some right and many wrong: answers compared with the real ones.

Answers must have the same code, reason, fields and objects; what they say in words may differ
here and there (docs/reference/api-differences.md).
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import msgspec
import pytest

from kubegang.base.clock import RealClock
from kubegang.client import interface
from kubegang.client.http import HttpTransport
from kubegang.client.kubeconfig import load_kubeconfig
from tests.real.comparing import Answer, compare
from tests.real.customscenes import DEFINITIONS, Request, Scene
from tests.real.planes import Planes, both_planes

SEEDS = "KUBEGANG_CUSTOM_SEEDS"
"""In the environment: which definitions, such as 0-40."""

REQUESTS_PER_DEFINITION = 14
LOOKS = 200
BETWEEN_LOOKS_SECONDS = 0.05
STRUCTURE_SHARE = 0.98
TEXT_SHARE = 0.95

pytestmark = [pytest.mark.real, pytest.mark.long, pytest.mark.timeout(3600)]


class Tally(msgspec.Struct):
    """What was found."""

    asked: int = 0
    structures: int = 0
    texts: int = 0
    told: list[str] = msgspec.field(default_factory=list)

    def add(self, seed: int, request: Request, real: Answer, own: Answer) -> None:
        """Compare two answers."""
        difference = compare(real, own)
        self.asked += 1
        self.structures += difference.structure
        self.texts += difference.text
        if difference.structure or difference.text:
            self.told.append(
                f"{seed}: {request.method} {request.target} {request.body}\n"
                f"  real: {real.code} {_brief(real)}\n  ours: {own.code} {_brief(own)}"
            )


def _brief(answer: Answer) -> str:
    body = answer.body
    return str(body.get("message") or body if isinstance(body, dict) else body)[:600]


@pytest.fixture(scope="module")
def planes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Planes]:
    with both_planes(tmp_path_factory.mktemp("planes")) as started:
        yield started


def test_answers_are_the_real_ones(planes: Planes) -> None:
    tally = asyncio.run(_compare_all(planes))
    counts = f"{tally.asked} requests, {tally.structures} structures, {tally.texts} texts"
    report = "\n".join([counts, *tally.told])
    logging.getLogger(__name__).info(report)
    assert tally.asked > 100
    assert tally.structures <= tally.asked * (1 - STRUCTURE_SHARE), report
    assert tally.texts <= tally.asked * (1 - TEXT_SHARE), report


def seeds() -> range:
    """Return the seeds of the definitions."""
    first, _, last = os.environ.get(SEEDS, "0-40").partition("-")
    return range(int(first), int(last))


async def _compare_all(planes: Planes) -> Tally:
    tally = Tally()
    real, own = (Server(kubeconfig) for kubeconfig in planes)
    try:
        for seed in seeds():
            await _compare_scene(seed, real, own, tally)
    finally:
        await real.close()
        await own.close()
    return tally


async def _compare_scene(seed: int, real: Server, own: Server, tally: Tally) -> None:
    scene = Scene(seed)
    where = f"{DEFINITIONS}/{scene.definition['metadata']['name']}"
    create = Request("POST", DEFINITIONS, scene.definition)
    try:
        real_answer = await real.ask(create)
    except interface.UnreachableError:
        # The real server breaks down over an array without items.
        return
    own_answer = await own.ask(create)
    tally.add(seed, create, real_answer, own_answer)
    if real_answer.code == own_answer.code == 201:
        await asyncio.gather(real.wait_for(scene.base), own.wait_for(scene.base))
        for request in scene.requests(REQUESTS_PER_DEFINITION):
            tally.add(seed, request, await real.ask(request), await own.ask(request))
    for server in (real, own):
        await server.ask(Request("DELETE", where))


class Server:
    """One of the two, as its administrator."""

    def __init__(self, kubeconfig: Path) -> None:
        self._transport = HttpTransport(load_kubeconfig(kubeconfig))

    async def close(self) -> None:
        """Release connections."""
        await self._transport.close()

    async def wait_for(self, target: str) -> None:
        """Wait until a kind is served."""
        for _ in range(LOOKS):
            if (await self.ask(Request("GET", target))).code == 200:
                return
            await RealClock().sleep(BETWEEN_LOOKS_SECONDS)
        raise TimeoutError(target)

    async def ask(self, request: Request) -> Answer:
        """Send a request and return the answer."""
        address = urlsplit(request.target)
        headers = [("Accept", "application/json"), ("User-Agent", "tester/1")]
        body = b""
        if request.body is not None:
            headers.append(("Content-Type", request.content_type))
            encoded = isinstance(request.body, bytes)
            body = request.body if encoded else msgspec.json.encode(request.body)
        sent = interface.Request(
            request.method,
            address.path,
            query=tuple(parse_qsl(address.query, keep_blank_values=True)),
            headers=tuple(headers),
            body=body,
        )
        response = await self._transport.send(sent)
        try:
            return Answer(response.status, msgspec.json.decode(response.body))
        except msgspec.DecodeError:
            return Answer(response.status, response.body.decode(errors="replace"))
