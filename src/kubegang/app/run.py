"""``kubegang run``: a cluster and its workload, played in virtual time to the end.

1. read and check the files
2. put what is there from the start into an API server
3. start the components, and let the nodes become ready
4. submit the rest, in the order of the files
5. follow until nothing changes any more, or the time is up
6. report
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import math
import random
from collections.abc import Iterator
from typing import Any

import msgspec

from kubegang.apimachinery.times import TimeError, parse_time
from kubegang.apiserver.bootstrap import bootstrap
from kubegang.app.configuration import initial_nodes, resolve_profile, scheduler_configuration
from kubegang.app.driving import Driver, Progress
from kubegang.app.embedded import EmbeddedSettings
from kubegang.app.errors import ComponentFailedError
from kubegang.app.following import Follower
from kubegang.app.inputs import (
    Inputs,
    ReadStandardInput,
    node_inputs,
    raise_if_any,
    read_inputs,
)
from kubegang.app.loading import Loader, LoadOrder, load_order
from kubegang.app.options import UpOptions
from kubegang.app.quietcluster import QuietCluster
from kubegang.app.scheduler import profiles_of
from kubegang.app.settling import SettlingRule
from kubegang.base.clock import VirtualClock, run_virtual
from kubegang.store.memory import MemoryStore
from kubegang.tools.history import History
from kubegang.tools.runreport import RunFacts, RunReport, Stopped, report_of

FIRST_MOMENT = parse_time("2026-01-01T00:00:00Z")
"""When virtual time begins, unless the input speaks of a later time."""

START_UP_SECONDS = 60.0
"""How long the components may take to see the cluster; it is a matter of no time."""

WARM_UP_SECONDS = 1.0
"""Between starting the components and time 0: nodes become ready."""


class RunOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The flags of ``run``.

    Attributes:
        paths: files, directories, or ``-`` for standard input.
        until: stop after so many virtual seconds at the latest.
        cluster: the flags that ``run`` shares with ``up``.
    """

    paths: tuple[str, ...]
    until: float
    seed: int = 0
    cluster: UpOptions = UpOptions()


def run_once(
    options: RunOptions, *, read_standard_input: ReadStandardInput, progress: Progress
) -> RunReport:
    """Play the files to the end and report.

    Args:
        options: the flags.
        read_standard_input: asked if one of the paths is ``-``.
        progress: told the virtual seconds that have passed, now and then.

    Raises:
        BadInputError: a flag, a file or an object cannot be used; says where.
    """
    profile = resolve_profile(options.cluster)
    inputs = read_inputs(options.paths, profile, read_standard_input=read_standard_input)
    flags = options.cluster
    config = scheduler_configuration(flags.config, profile)
    configured = bool(flags.config)
    if inputs.configuration is not None and not configured:
        config, configured = inputs.configuration, True
    nodes = node_inputs(initial_nodes(flags.nodes), "--nodes")
    whole = msgspec.structs.replace(inputs, objects=(*nodes, *inputs.objects))
    # Nobody but our own components is there, so nobody's rights need to be looked up.
    flags = msgspec.structs.replace(flags, authorization_mode="AlwaysAllow")
    settings = EmbeddedSettings(
        profile=profile, config=config, configured=configured, options=flags
    )
    with _rare_collections():
        return run_virtual(_play(options, settings, whole, progress))


@contextlib.contextmanager
def _rare_collections() -> Iterator[None]:
    """Look for reference cycles less often inside the block.

    A run makes millions of short-lived dictionaries and hardly any cycles; at Python's own
    thresholds a quarter of its time went into looking for them.
    """
    thresholds = gc.get_threshold()
    gc.set_threshold(50_000, 20, 100)
    try:
        yield
    finally:
        gc.set_threshold(*thresholds)


async def _play(
    options: RunOptions, settings: EmbeddedSettings, inputs: Inputs, progress: Progress
) -> RunReport:
    # Put together only here, where the loop runs whose time is the clock's.
    return await _Run(options, settings, inputs, progress).play()


class _Run:
    """One run; ``play`` is to be awaited once, in virtual time."""

    def __init__(
        self, options: RunOptions, settings: EmbeddedSettings, inputs: Inputs, progress: Progress
    ) -> None:
        self._options = options
        self._settings = settings
        self._objects = inputs.objects
        self._clock = VirtualClock(_beginning(inputs))
        store = MemoryStore()
        self._cluster = QuietCluster(
            settings, store=store, clock=self._clock, rng=random.Random(options.seed)
        )
        self._started = asyncio.Event()
        self._history = History()
        self._loader = Loader(self._cluster.client)
        self._follower = Follower(store, self._history, clock=self._clock)
        self._driver = Driver(
            self._cluster,
            self._follower,
            self._history,
            clock=self._clock,
            rule=SettlingRule(float(settings.config.pod_max_backoff_seconds)),
            progress=progress,
        )

    async def play(self) -> RunReport:
        """Play to the end.

        Raises:
            BadInputError: the API refuses an object.
            ComponentFailedError: the components cannot work together.
        """
        following = asyncio.create_task(self._follower.run())
        playing = asyncio.create_task(self._play_through())
        starting = asyncio.create_task(self._started.wait())
        try:
            await asyncio.wait(
                {playing, starting},
                timeout=START_UP_SECONDS,
                return_when=asyncio.FIRST_COMPLETED,
            )
            if not (playing.done() or starting.done()):
                # Whoever waits for what never comes would do so for ever, in no time.
                raise ComponentFailedError(
                    f"the components did not start within {START_UP_SECONDS:.0f} virtual "
                    "seconds; --log-level warning says more"
                )
            report = await playing
            if following.done():
                following.result()
            return report
        finally:
            following.cancel()
            starting.cancel()

    async def _play_through(self) -> RunReport:
        order = load_order(self._objects)
        await self._put_in(order)
        async with self._cluster.running():
            self._started.set()
            await self._clock.sleep(WARM_UP_SECONDS)
            self._follower.start()
            await self._loader.create_all(order.submitted)
            until = 0.0 if self._loader.problems else self._options.until
            report = self._report(await self._driver.run(until=until))
        raise_if_any(self._loader.problems)
        return report

    async def _put_in(self, order: LoadOrder) -> None:
        """Create what is there from the start.

        No component runs yet: none may react to a part of it.
        """
        await bootstrap(self._cluster.app.state.backend)
        await self._loader.make_namespaces(self._objects)
        await self._loader.create_all(order.initial)
        if self._loader.problems:
            # Nothing will run; what is wrong with the rest is told all the same.
            await self._loader.create_all(order.submitted)
        raise_if_any(self._loader.problems)

    def _report(self, stopped: Stopped) -> RunReport:
        settled = stopped == "settled"
        facts = RunFacts(
            kubernetes_version=self._settings.profile.name,
            seed=self._options.seed,
            duration=self._follower.last_progress if settled else self._options.until,
            stopped=stopped,
            warnings=(*self._loader.warnings, *self._lacks()),
        )
        profiles = profiles_of(
            self._settings.profile, self._settings.config, configured=self._settings.configured
        )
        return report_of(
            self._history,
            facts,
            explain=self._driver.explain,
            scheduler_names=[profile.scheduler_name for profile in profiles],
        )

    def _lacks(self) -> Iterator[str]:
        if not self._history.nodes:
            yield "there are no nodes: give --nodes N, or a file with kind SimulatedCluster"


def _beginning(inputs: Inputs) -> float:
    """Return when virtual time begins: not before anything that a status tells of."""
    moments = (
        moment for found in inputs.objects for moment in _moments(found.object.get("status"))
    )
    return float(math.ceil(max(moments, default=FIRST_MOMENT)))


def _moments(value: Any) -> Iterator[float]:
    if isinstance(value, dict):
        for item in value.values():
            yield from _moments(item)
    elif isinstance(value, list):
        for item in value:
            yield from _moments(item)
    elif isinstance(value, str) and value.endswith("Z"):
        with contextlib.suppress(TimeError):
            yield parse_time(value)
