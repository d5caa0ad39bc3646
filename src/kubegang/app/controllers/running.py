"""Which controllers there are, which are chosen, and their run over one client."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from typing import Any

import msgspec

from kubegang.api.profile import VersionProfile
from kubegang.app.clusterkeys import NO_KEYS, ClusterKeys
from kubegang.app.controllers.claims import CLAIM_BUILDERS
from kubegang.app.controllers.everykind import EVERY_KIND_BUILDERS, custom_kinds
from kubegang.app.controllers.identity import IDENTITY_BUILDERS
from kubegang.app.controllers.informers import SharedInformers
from kubegang.app.controllers.jobs import JOB_BUILDERS
from kubegang.app.controllers.lifecycle import LIFECYCLE_BUILDERS, NODE_LIFECYCLE
from kubegang.app.controllers.parts import Builders, Parts, Run
from kubegang.app.controllers.volumes import VOLUME_BUILDERS
from kubegang.app.controllers.workloads import WORKLOAD_BUILDERS
from kubegang.app.errors import BadInputError
from kubegang.app.served import scheme_of
from kubegang.base.clock import Clock
from kubegang.client.interface import Client
from kubegang.client.workqueue import FIRST_PAUSE_SECONDS, WorkQueue
from kubegang.controllers.events import EventRecorder

BUILDERS: Builders = {
    **JOB_BUILDERS,
    **WORKLOAD_BUILDERS,
    **LIFECYCLE_BUILDERS,
    **IDENTITY_BUILDERS,
    **CLAIM_BUILDERS,
    **VOLUME_BUILDERS,
    **EVERY_KIND_BUILDERS,
}
"""All of them, in the order in which they are built."""


def chosen_controllers(text: str, *, simulated_nodes: bool = True) -> frozenset[str]:
    """Return the controllers that ``--controllers`` asks for.

    Args:
        text: names, ``*`` for all, ``-name`` for all but one.
        simulated_nodes: whether the nodes component runs. Without it nobody may send
            heartbeats, so nodes are looked after only if the controller is named.

    Raises:
        BadInputError: a name is unknown.
    """
    words = [word.strip() for word in text.split(",") if word.strip()]
    if not words:
        raise BadInputError(
            "--controllers: none is named; leave controllers out of --components instead"
        )
    unknown = [w for w in words if w != "*" and w.removeprefix("-") not in BUILDERS]
    if unknown:
        raise BadInputError(
            f"--controllers: unknown controller {unknown[0]!r}; known: {', '.join(BUILDERS)}"
        )
    by_star = [name for name in BUILDERS if simulated_nodes or name != NODE_LIFECYCLE]
    wanted = {*words, *(by_star if "*" in words else ())}
    return frozenset(name for name in BUILDERS if name in wanted and f"-{name}" not in words)


class Controllers:
    """Controllers that run together over one client."""

    def __init__(
        self,
        client: Client,
        profile: VersionProfile,
        *,
        chosen: frozenset[str],
        clock: Clock,
        rng: random.Random,
        client_for: Callable[[str], Client] | None = None,
        heartbeats: bool = True,
        keys: ClusterKeys = NO_KEYS,
    ) -> None:
        """Build the chosen controllers.

        Informers read with ``client``; each controller writes with what ``client_for`` returns
        for its name, or with ``client`` too. Without ``heartbeats`` nodes send none.
        """
        self._clock = clock
        self._rng = rng
        self._informers = SharedInformers(client, clock=clock, rng=rng)
        self._runs: list[Run] = []
        parts = Parts(
            client=client,
            profile=profile,
            scheme=scheme_of(profile),
            informers=self._informers,
            recorder=self._recorder_of(client),
            queue=self._queue,
            clock=clock,
            followers=[],
            heartbeats=heartbeats,
            keys=keys,
        )
        for name, build in BUILDERS.items():
            if name in chosen:
                self._add(
                    build(parts if client_for is None else self._for(parts, client_for(name)))
                )
        self._add(custom_kinds(parts))

    async def run(self, *, ready: Callable[[], None]) -> None:
        """Run until cancelled; call ``ready`` when every informer has its first listing."""
        async with asyncio.TaskGroup() as group:
            for informer in self._informers.all():
                group.create_task(informer.run())
            for run in self._runs:
                group.create_task(run())
            for informer in self._informers.all():
                await informer.synced.wait()
            ready()

    def _add(self, run: Run | None) -> None:
        if run is not None:
            self._runs.append(run)

    def _for(self, parts: Parts, client: Client) -> Parts:
        return msgspec.structs.replace(parts, client=client, recorder=self._recorder_of(client))

    def _queue(self, *, first_seconds: float = FIRST_PAUSE_SECONDS) -> WorkQueue[Any]:
        return WorkQueue(self._clock, self._rng, first_seconds=first_seconds)

    def _recorder_of(self, client: Client) -> Callable[[str], EventRecorder]:
        def make(component: str) -> EventRecorder:
            recorder = EventRecorder(client, component=component, clock=self._clock)
            self._runs.append(recorder.run)
            return recorder

        return make
