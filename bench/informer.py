"""Print how many watch events a second an informer takes, decoded in different ways.

Usage: python bench/informer.py

The events are those of a 3 KB Pod; they come from memory, so that only the client is measured.
"""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import AsyncGenerator, Callable
from typing import Any

import msgspec

from kubegang.api.core.types import Pod
from kubegang.api.meta import decode
from kubegang.base.clock import RealClock
from kubegang.client.api import ApiClient
from kubegang.client.informer import Informer
from kubegang.client.interface import Request, Response
from kubegang.client.resources import PODS

EVENTS = 20_000
RUNS = 3


def make_event(number: int) -> bytes:
    """Return a watch line with a pod of about 3 KB."""
    containers = [
        {
            "name": f"c{at}",
            "image": "registry.example.com/team/image:v1.2.3",
            "resources": {"requests": {"cpu": "500m", "memory": "1Gi"}},
            "env": [{"name": f"VARIABLE_{n}", "value": "some value"} for n in range(20)],
        }
        for at in range(2)
    ]
    metadata = {
        "name": f"pod-{number % 5_000}",
        "namespace": "default",
        "uid": f"uid-{number % 5_000}",
        "resourceVersion": str(number + 10),
        "labels": {"app": "train", "team": "research"},
    }
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata,
        "spec": {"containers": containers, "schedulerName": "kubegang"},
        "status": {"phase": "Pending"},
    }
    return msgspec.json.encode({"type": "MODIFIED", "object": pod})


class Replay:
    """A transport that lists nothing and then sends all events."""

    def __init__(self, lines: list[bytes]) -> None:
        self.done = asyncio.Event()
        self._lines = lines

    async def send(self, request: Request) -> Response:
        """Answer a list."""
        return Response(200, {}, b'{"metadata":{"resourceVersion":"1"},"items":[]}')

    async def stream(self, request: Request) -> AsyncGenerator[bytes, None]:
        """Send the events once."""
        for line in self._lines:
            yield line
        self._lines = []
        self.done.set()
        await asyncio.Event().wait()

    async def close(self) -> None:
        """Do nothing."""


async def follow(lines: list[bytes], **options: Any) -> float:
    """Return events per second."""
    replay = Replay(lines)
    client = ApiClient(replay, user_agent="bench")
    informer: Informer[Any] = Informer(client, PODS, clock=RealClock(), **options)
    started = time.perf_counter()
    following = asyncio.create_task(informer.run())
    await replay.done.wait()
    rate = len(lines) / (time.perf_counter() - started)
    following.cancel()
    if len(informer.items()) != 5_000:
        raise SystemExit(f"{len(informer.items())} pods")
    return rate


def main() -> None:
    """Measure plain objects and typed ones."""
    lines = [make_event(number) for number in range(EVENTS)]
    print(f"{EVENTS:,} events of {len(lines[0]):,} bytes")
    decoders: dict[str, dict[str, Callable[..., Any]]] = {
        "plain objects": {},
        "typed, from plain objects": {"decode": lambda obj: decode(obj, Pod)},
        "typed, from bytes": {"decode_bytes": msgspec.json.Decoder(Pod).decode},
    }
    for name, options in decoders.items():
        figures = [asyncio.run(follow(lines, **options)) for _ in range(RUNS)]
        low, median, high = min(figures), statistics.median(figures), max(figures)
        print(f"{name:28} {median:10,.0f} per s [{low:,.0f} .. {high:,.0f}]")


if __name__ == "__main__":
    main()
