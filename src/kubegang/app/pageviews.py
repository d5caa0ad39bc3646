"""What the page shows of a cluster that is watched: overview, story and explanations."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from typing import Final

import msgspec

from kubegang.apimachinery.objects import JsonObject
from kubegang.app.clusterlive import LiveCluster, read_live
from kubegang.app.clustersource import Rules, SourceOptions
from kubegang.app.supposed import AddedNodes, Suppositions
from kubegang.app.watching import WatchedCluster
from kubegang.app.whatif import what_if_in
from kubegang.base.clock import Clock
from kubegang.client.api import ApiClient
from kubegang.client.interface import Resource, Transport
from kubegang.tools.explaining.explain import explain
from kubegang.tools.explaining.report import ExplainReport, Subject
from kubegang.tools.explaining.targets import NotThereError
from kubegang.tools.overview.overview import overview_of
from kubegang.tools.overview.report import Overview
from kubegang.tools.overview.story import Story
from kubegang.tools.rehearsal.stage import Stage
from kubegang.tools.timeline import TimelineEntry
from kubegang.tools.whatif.report import WhatIfReport
from kubegang.web.views import NoSuchObjectError, Supposition

SHORTEST_PAUSE_SECONDS: Final = 0.25
"""Between two looks; people do not see more, and a busy cluster changes all the time."""

PAUSE_PER_SECOND: Final = 3.0
"""A look that took long is followed by a pause that is so many times as long."""


USER_AGENT: Final = "kubegang-page"

RulesFor = Callable[[LiveCluster], Rules]


class PageView(msgspec.Struct, frozen=True, kw_only=True):
    """A cluster, and what happened in it.

    Attributes:
        version: of the local copies that it was made of.
        story: times are seconds since the epoch; the latest is the last.
    """

    version: int
    overview: Overview
    story: tuple[TimelineEntry, ...]


class ClusterViews:
    """The page's views. Nothing is computed while nobody looks."""

    def __init__(self, watched: WatchedCluster, rules: Rules, *, clock: Clock) -> None:
        """Begin with what has been read.

        Args:
            watched: the cluster; it has been read once.
            rules: by which is decided about it.
            clock: paces looks, and tells when changes came.
        """
        self._watched = watched
        self._rules = rules
        self._clock = clock
        self._stage: tuple[int, Stage] | None = None
        self._view: PageView | None = None
        self._next_look = 0.0
        self._story = Story()
        self._begin_story()
        watched.notify(self._see)

    @property
    def resources(self) -> tuple[Resource, ...]:
        """What is followed: the cluster has it, and lets us read it."""
        return self._watched.resources

    async def overview(self) -> PageView:
        """Return the cluster as it is now."""
        version, view = self._watched.version, self._view
        if view is not None and view.version == version:
            return view
        started = self._clock.steady()
        overview = overview_of(self._stage_now(), version=self._rules.version.name)
        self._story.note(overview)
        self._view = PageView(version=version, overview=overview, story=self._story.entries())
        took = self._clock.steady() - started
        self._next_look = self._clock.steady() + max(
            SHORTEST_PAUSE_SECONDS, took * PAUSE_PER_SECOND
        )
        return self._view

    async def explain(self, kind: str, namespace: str, name: str) -> ExplainReport:
        """Explain one object.

        Raises:
            NoSuchObjectError: there is none.
        """
        try:
            return explain(
                self._stage_now(),
                Subject(kind, namespace, name),
                version=self._rules.version.name,
                backoff=self._rules.backoff,
            )
        except NotThereError as error:
            raise NoSuchObjectError(str(error)) from error

    async def what_if(self, supposed: Supposition) -> WhatIfReport:
        """Play a supposition through.

        Raises:
            NoSuchObjectError: there is no such node.
        """
        source = self._watched.source(self._rules)
        known = {node.name for node in source.state.nodes}
        # Elsewhere a shape may also be a file; a page has no business with files.
        for name in (supposed.like, supposed.cordon, supposed.drain):
            if name and name not in known:
                raise NoSuchObjectError(f"there is no node {name}")
        if supposed.add and not supposed.like:
            raise NoSuchObjectError("nodes to be added need one that they are like")
        added = AddedNodes(supposed.add, supposed.add, supposed.like)
        suppositions = Suppositions(
            add_nodes=(added,) if supposed.add else (),
            cordon=(supposed.cordon,) if supposed.cordon else (),
            drain=(supposed.drain,) if supposed.drain else (),
        )
        return what_if_in(source, SourceOptions(), suppositions, read_standard_input=str)

    async def changed_since(self, version: int) -> int:
        """Wait for a change, and for the end of the pause after the last look."""
        await self._watched.changed_since(version)
        pause = self._next_look - self._clock.steady()
        if pause > 0:
            await self._clock.sleep(pause)
        return self._watched.version

    def _stage_now(self) -> Stage:
        version = self._watched.version
        if self._stage is None or self._stage[0] != version:
            self._stage = version, self._watched.source(self._rules).stage()
        return self._stage[1]

    def _begin_story(self) -> None:
        self._story = Story()
        self._story.begin(self._watched.objects())

    def _see(self, obj: JsonObject, *, deleted: bool) -> None:
        if self._story.is_long:
            self._begin_story()
        self._story.see(obj, at=self._clock.now(), deleted=deleted)


@contextlib.asynccontextmanager
async def followed(
    transport: Transport, *, rules_for: RulesFor, clock: Clock
) -> AsyncIterator[ClusterViews]:
    """Follow a cluster inside the block, which begins when it has been read.

    Args:
        transport: the way to it.
        rules_for: by whose rules is decided about it.
        clock: the time.

    Raises:
        BadInputError: a flag is wrong.
        ClusterUnreachableError: the cluster does not answer.
    """
    client = ApiClient(transport, user_agent=USER_AGENT)
    try:
        live = await read_live(client, transport, progress=lambda _text: None)
        rules = rules_for(live)
        watched = WatchedCluster(client, live, clock=clock)
        following = asyncio.create_task(watched.run())
        try:
            await watched.synced()
            yield ClusterViews(watched, rules, clock=clock)
        finally:
            following.cancel()
            await asyncio.gather(following, return_exceptions=True)
    finally:
        await client.close()
