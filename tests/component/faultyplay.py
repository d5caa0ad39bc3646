"""Plays a story while the controllers meet with a fault, and tells what is there in the end."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

from kubegang.client.interface import Client, Resource
from tests.component.controllersharness import WITHOUT_HEARTBEATS, ControlledCluster, start_cluster
from tests.component.faultytransport import TOUCHED, FaultyTransport
from tests.joblife.words import as_text, known_names, plain

SETTLE_SECONDS = 60.0
"""Longer than any pause of the controllers in these stories."""

Objects = dict[str, list[Any]]
"""By kind, in words that do not depend on chance."""

Story = Callable[[ControlledCluster], Awaitable[Objects]]


class Played(NamedTuple):
    """What is there at the end of a story, and what the controllers wrote."""

    objects: Objects
    writes: list[str]


async def play(
    story: Story, *, chosen: frozenset[str] = WITHOUT_HEARTBEATS, **faults: Any
) -> Played:
    """Play a story with a fault; controllers that crash are started again without.

    Args:
        story: does what users do, waits, and returns what is there in the end.
        chosen: the controllers that run.
        faults: see ``FaultyTransport``.
    """
    cluster = await start_cluster()
    transport = FaultyTransport(cluster.transport(), clock=cluster.clock, **faults)
    await cluster.start(transport, chosen=chosen)

    async def replace() -> None:
        await transport.crashed.wait()
        await cluster.kill()
        await cluster.start(chosen=chosen)

    replacing = asyncio.create_task(replace())
    objects = await story(cluster)
    replacing.cancel()
    await cluster.kill()
    cluster.check_rights()
    return Played(objects, transport.writes)


async def play_and_restart(
    story: Story, *, chosen: frozenset[str] = WITHOUT_HEARTBEATS, **faults: Any
) -> list[str]:
    """Play a story with a fault; return what other controllers still write afterwards."""
    cluster = await start_cluster()
    faulty = FaultyTransport(cluster.transport(), clock=cluster.clock, **faults)
    await cluster.start(faulty, chosen=chosen)
    await story(cluster)
    await cluster.wait(SETTLE_SECONDS)
    await cluster.kill()

    fresh = FaultyTransport(cluster.transport(), clock=cluster.clock)
    await cluster.start(fresh, chosen=chosen)
    await cluster.wait(SETTLE_SECONDS)
    await cluster.kill()
    return fresh.writes


async def end_state(client: Client, *resources: Resource) -> Objects:
    """Return every object of some resources, in words."""
    found = {resource.kind: (await client.list(resource)).items for resource in resources}
    names = known_names(found)
    return {
        kind: sorted((_untouched(plain(obj, names)) for obj in objects), key=as_text)
        for kind, objects in found.items()
    }


def _untouched(obj: Any) -> Any:
    """Return an object as if no user had annotated it."""
    annotations = obj["metadata"].get("annotations", {})
    if annotations.pop(TOUCHED, None):
        if not annotations:
            del obj["metadata"]["annotations"]
        if obj["kind"] == "Deployment":
            # Of all kinds, only this one counts annotations in its generation.
            obj["metadata"]["generation"] -= 1
            obj["status"]["observedGeneration"] -= 1
    return obj
