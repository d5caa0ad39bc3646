"""The page's views on an API server: they follow it by watching, and write nothing."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner

from kubegang.apimachinery.objects import JsonObject
from kubegang.apiserver.bootstrap import bootstrap
from kubegang.app.clustersource import SourceOptions, rules_of_live
from kubegang.app.configuration import resolve_profile, scheduler_configuration
from kubegang.app.dashboard import bind_page
from kubegang.app.embedded import EmbeddedCluster, EmbeddedSettings
from kubegang.app.errors import BadInputError, ClusterUnreachableError
from kubegang.app.options import UpOptions
from kubegang.app.pageviews import SHORTEST_PAUSE_SECONDS, ClusterViews, followed
from kubegang.app.policy import PAGE_USER, ensure_roles
from kubegang.base.clock import VirtualClock, run_virtual
from kubegang.cli.main import commands
from kubegang.client.asgi import AsgiTransport
from kubegang.client.resources import NODES, PODS, pod_groups_in
from kubegang.store.memory import MemoryStore
from kubegang.web.views import NoSuchObjectError, Supposition
from tests.component.test_tools_on_live_clusters import GuardedApp
from tests.component.toolscenes import gang, node, pod

START = 1_795_000_000.0
GROUPS = pod_groups_in("v1beta1")
NOWHERE = """\
apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "https://127.0.0.1:1"}}]
users: [{name: u, user: {}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
current-context: x
"""


class Scene:
    """An API server with roles, the page's views on it as the page's user, and an admin."""

    def __init__(self) -> None:
        options = UpOptions()
        self.profile = resolve_profile(options)
        settings = EmbeddedSettings(
            profile=self.profile,
            config=scheduler_configuration("", self.profile),
            options=options,
            components=("apiserver",),
        )
        self.clock = VirtualClock(START)
        self.cluster = EmbeddedCluster(
            settings, store=MemoryStore(), clock=self.clock, rng=random.Random(1)
        )
        self.server = GuardedApp(self.cluster.app)
        self.admin = self.cluster.client

    async def add(self, *objects: JsonObject) -> None:
        resources = {"Node": NODES, "Pod": PODS, "PodGroup": GROUPS}
        for obj in objects:
            namespace = "" if obj["kind"] == "Node" else "default"
            await self.admin.create(resources[obj["kind"]], obj, namespace)

    @asynccontextmanager
    async def views(self) -> AsyncIterator[ClusterViews]:
        transport = AsgiTransport(self.server, user=PAGE_USER, groups=("system:authenticated",))
        async with followed(
            transport,
            rules_for=lambda live: rules_of_live(SourceOptions(), live),
            clock=self.clock,
        ) as views:
            yield views


def play(story: Callable[[Scene, ClusterViews], Awaitable[None]], *objects: JsonObject) -> Scene:
    """Play on a cluster with some objects."""
    scenes: list[Scene] = []

    async def in_virtual_time() -> None:
        scene = Scene()
        scenes.append(scene)
        await bootstrap(scene.cluster.app.state.backend)
        await ensure_roles(scene.cluster.app, scene.profile)
        await scene.add(*objects)
        async with scene.views() as views:
            await story(scene, views)

    run_virtual(in_virtual_time())
    return scenes[0]


GANG = (gang("g", 2), pod("p0", group="g", cpu="2"), pod("p1", group="g", cpu="2"))


def test_a_gang_is_seen_waiting_and_then_fitting_once_a_node_is_added() -> None:
    seen: list[tuple[str, int]] = []

    async def story(scene: Scene, views: ClusterViews) -> None:
        version = -1
        for step in ((), GANG, (node("n1", cpu="4"),)):
            await scene.add(*step)
            while (
                not step or seen[-1][0] != {"PodGroup": "waits", "Node": "starts"}[step[0]["kind"]]
            ):
                version = await views.changed_since(version)
                view = await views.overview()
                states = {one.state for one in view.overview.gangs}
                word = "starts" if "would-start" in states else "waits" if states else "nothing"
                seen.append((word, len(view.overview.domains)))
                if not step:
                    break

    scene = play(story)

    assert list(dict.fromkeys(word for word, _ in seen)) == ["nothing", "waits", "starts"]
    assert seen[-1] == ("starts", 1)
    assert scene.server.writes == []


def test_an_object_is_explained_in_full() -> None:
    async def story(_scene: Scene, views: ClusterViews) -> None:
        (found,) = (await views.explain("PodGroup", "default", "g")).parts
        assert found.state == "unschedulable"
        assert any(change.kind == "add-nodes" for change in found.changes)
        with pytest.raises(NoSuchObjectError, match="there is no PodGroup default/h"):
            await views.explain("PodGroup", "default", "h")

    scene = play(story, node("n1", cpu="2"), *GANG)

    assert scene.server.writes == []


def test_a_supposition_is_played_through_and_nothing_is_done() -> None:
    async def story(_scene: Scene, views: ClusterViews) -> None:
        (plan,) = (await views.what_if(Supposition(add=1, like="n1"))).plans
        assert sorted(one.pod for one in plan.binds) == ["default/p0", "default/p1"]
        assert plan.pending == ()

    scene = play(story, node("n1", cpu="2"), *GANG)

    assert scene.server.writes == []


@pytest.mark.parametrize(
    "supposed",
    [
        Supposition(add=1, like="n2"),
        Supposition(add=1, like="/etc/hostname"),
        Supposition(add=1),
        Supposition(cordon="n2"),
        Supposition(drain="n2"),
    ],
)
def test_only_nodes_that_there_are_can_be_supposed(supposed: Supposition) -> None:
    async def story(_scene: Scene, views: ClusterViews) -> None:
        with pytest.raises(NoSuchObjectError):
            await views.what_if(supposed)

    play(story, node("n1", cpu="2"))


def test_the_story_begins_with_what_is_there_and_goes_on_with_what_changes() -> None:
    told: list[str] = []

    async def story(scene: Scene, views: ClusterViews) -> None:
        version = (await views.overview()).version
        await scene.admin.delete(PODS, "alone", "default")
        await views.changed_since(version)
        told.extend(entry.message for entry in (await views.overview()).story)

    play(story, pod("alone", cpu="1"))

    assert told[0] == "submitted"
    assert told[1].startswith("waits: ")
    assert told[2] == "deleted"


def test_nothing_is_computed_twice_for_one_version() -> None:
    async def story(_scene: Scene, views: ClusterViews) -> None:
        assert await views.overview() is await views.overview()

    play(story, *GANG)


def test_looks_have_a_pause_between_them() -> None:
    async def story(scene: Scene, views: ClusterViews) -> None:
        version = (await views.overview()).version
        before = scene.clock.now()
        await scene.add(node("n1", cpu="1"))
        await views.changed_since(version)
        assert scene.clock.now() - before >= SHORTEST_PAUSE_SECONDS

    play(story)


@pytest.mark.parametrize("listen", ["0.0.0.0:0", "[::]:0"])
def test_other_machines_cannot_reach_the_page(listen: str) -> None:
    with pytest.raises(BadInputError, match="loopback only"):
        bind_page(listen)


def test_the_page_listens_on_loopback() -> None:
    with bind_page("localhost:0") as listener:
        assert listener.getsockname()[0] == "127.0.0.1"


@pytest.mark.parametrize("command", ["dashboard", "top"])
def test_a_cluster_that_does_not_answer_is_told(command: str, tmp_path: Path) -> None:
    kubeconfig = tmp_path / "kubeconfig"
    kubeconfig.write_text(NOWHERE)

    done = CliRunner().invoke(commands, [command, f"--kubeconfig={kubeconfig}"])

    assert isinstance(done.exception, ClusterUnreachableError)


def test_an_address_that_others_reach_is_refused_before_anything_is_read(tmp_path: Path) -> None:
    done = CliRunner().invoke(commands, ["dashboard", "--listen=0.0.0.0:0"])

    assert isinstance(done.exception, BadInputError)
