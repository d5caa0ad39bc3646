"""Plugins of others: found by their entry points, asked at every point, held to their promises."""

from __future__ import annotations

import random
import sys
import tomllib
from collections.abc import Iterable
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from prometheus_client import CollectorRegistry

from kubegang.api.config.loading import load_scheduler_configuration
from kubegang.api.config.plugins import configured_profiles
from kubegang.app.errors import BadInputError
from kubegang.app.profiles.table import profile_named
from kubegang.app.scheduler import plugin_arguments
from kubegang.app.thirdparty import plugins_for
from kubegang.client.resources import NODES, PODS
from kubegang.scheduler.framework.binding import PermitResult, PreBindPlan
from kubegang.scheduler.framework.interface import PluginContext
from kubegang.scheduler.framework.status import SUCCESS, Status
from kubegang.scheduler.scheduler import Scheduler, SchedulerSettings
from tests.component.schedulerharness import FAST, NS, Cluster, pod, scheduler_test

EXAMPLE = Path(__file__).parents[2] / "examples/plugins/team-nodes"
VERSION = profile_named("1.37")


def configuration(name: str, *, args: str = "{}") -> str:
    return f"""\
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: default-scheduler
- schedulerName: odd
  plugins: {{multiPoint: {{enabled: [{{name: {name}, weight: 5}}]}}}}
  pluginConfig: [{{name: {name}, args: {args}}}]
"""


def scheduler(cluster: Cluster, text: str, points: Iterable[EntryPoint]) -> Scheduler:
    config = load_scheduler_configuration(text, "scheduler.yaml", VERSION)
    cluster.registry = CollectorRegistry()
    return Scheduler(
        cluster.client,
        configured_profiles(config, VERSION.schedulers),
        clock=cluster.clock,
        rng=random.Random(0),
        registry=cluster.registry,
        settings=SchedulerSettings(
            backoff=FAST,
            plugin_args=plugin_arguments(config),
            plugins=plugins_for(config, find=lambda: points),
        ),
    )


def point(name: str, value: str) -> EntryPoint:
    return EntryPoint(name, value, "kubegang.plugins")


def example_point() -> EntryPoint:
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text())["project"]
    ((name, value),) = project["entry-points"]["kubegang.plugins"].items()
    return point(name, value)


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(EXAMPLE))


async def label(cluster: Cluster, node: str, **labels: str) -> None:
    patch = {"metadata": {"labels": labels}}
    await cluster.user.patch(NODES, node, patch=patch, patch_type="merge")


async def add_odd_pod(cluster: Cluster, name: str, **labels: str) -> None:
    made = pod(name, schedulerName="odd")
    made["metadata"]["labels"] = labels
    await cluster.user.create(PODS, made, NS)


@pytest.mark.usefixtures("example")
def test_the_example_keeps_teams_apart() -> None:
    @scheduler_test
    async def story(cluster: Cluster) -> None:
        await cluster.add_nodes("n1", "n2", cpu=4)
        await label(cluster, "n1", team="red")
        await cluster.start(scheduler(cluster, configuration("TeamNodes"), [example_point()]))
        await add_odd_pod(cluster, "ours", team="red")
        await add_odd_pod(cluster, "theirs", team="blue")
        await cluster.wait_for(["ours", "theirs"], at_most=5)
        assert await cluster.placements() == {"ours": "n1", "theirs": "n2"}
        annotations = (await cluster.pod("ours"))["metadata"]["annotations"]
        assert annotations == {"example.com/node-of-team": "red"}

    story()


@pytest.mark.usefixtures("example")
def test_the_example_says_why_a_node_is_refused() -> None:
    @scheduler_test
    async def story(cluster: Cluster) -> None:
        await cluster.add_nodes("n1")
        await label(cluster, "n1", team="red")
        await cluster.start(scheduler(cluster, configuration("TeamNodes"), [example_point()]))
        await cluster.add_pods("theirs", schedulerName="odd")
        await cluster.wait(3)
        message = (await cluster.condition("theirs"))["message"]
        assert message.startswith("0/1 nodes are available: 1 node belongs to team red.")
        await label(cluster, "n1", team="")
        await cluster.wait_for(["theirs"], at_most=5)

    story()


class Odd:
    """A plugin that fails at one extension point, as long as it is told to."""

    NAME: ClassVar[str] = "Odd"
    failing: ClassVar[str] = ""
    answers: ClassVar[Any] = None

    def __init__(self, context: PluginContext) -> None:
        pass

    def _at(self, name: str, fine: Any) -> Any:
        if self.failing != name:
            return fine
        if self.answers is None:
            raise KeyError(name)
        return self.answers

    def pre_enqueue(self, pod: Any, groups: Any) -> Status:
        return self._at("pre_enqueue", SUCCESS)  # type: ignore[no-any-return]

    def filter_node(self, state: Any, pod: Any, *, cluster: Any, row: int) -> Status:
        return self._at("filter_node", SUCCESS)  # type: ignore[no-any-return]

    def score(self, state: Any, pod: Any, *, cluster: Any, rows: Any) -> Any:
        return self._at("score", np.zeros(len(rows), dtype=np.int64))

    def reserve(self, state: Any, pod: Any, *, node: Any, cluster: Any) -> Status:
        return self._at("reserve", SUCCESS)  # type: ignore[no-any-return]

    def unreserve(self, state: Any, pod: Any, *, node: Any, cluster: Any) -> None:
        self._at("unreserve", None)

    def permit(self, state: Any, pod: Any, **more: Any) -> PermitResult:
        return self._at("permit", PermitResult(SUCCESS))  # type: ignore[no-any-return]

    def pre_bind(self, state: Any, pod: Any, *, node: Any, cluster: Any) -> PreBindPlan:
        return self._at("pre_bind", PreBindPlan())  # type: ignore[no-any-return]

    def post_bind(self, pod: Any, node: Any) -> None:
        self._at("post_bind", None)


ODD = point("Odd", f"{__name__}:Odd")


@pytest.mark.parametrize(
    ("failing", "answers", "told"),
    [
        ("filter_node", None, "failed at filter_node: KeyError: 'filter_node'"),
        ("filter_node", True, "failed at filter_node: needed Status, not True"),
        ("score", None, "failed at score: KeyError: 'score'"),
        ("score", np.zeros(7, dtype=np.int64), "needed 2 integers, not an array of shape (7,)"),
        ("score", [1, 2], "failed at score: needed an array of integers, not [1, 2]"),
        ("reserve", None, "failed at reserve: KeyError: 'reserve'"),
        ("permit", None, "failed at permit: KeyError: 'permit'"),
        ("pre_bind", None, "failed at pre_bind: KeyError: 'pre_bind'"),
    ],
)
def test_a_plugin_that_fails_ends_the_attempt_only(
    failing: str, answers: Any, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Odd, "failing", failing)
    monkeypatch.setattr(Odd, "answers", answers)

    @scheduler_test
    async def story(cluster: Cluster) -> None:
        await cluster.add_nodes("n1", "n2", cpu=4)
        await cluster.start(scheduler(cluster, configuration("Odd"), [ODD]))
        await cluster.add_pods("odd", schedulerName="odd")
        await cluster.add_pods("even")
        await cluster.wait_for(["even"], at_most=5)
        condition = await cluster.condition("odd")
        assert condition["reason"] == "SchedulerError"
        assert told in condition["message"]
        # Once the plugin is mended, the pod is tried again by itself.
        monkeypatch.setattr(Odd, "failing", "")
        await cluster.wait_for(["odd"], at_most=20)

    story()


@pytest.mark.parametrize("failing", ["unreserve", "post_bind"])
def test_a_plugin_that_fails_where_nothing_hangs_on_it_is_passed_over(
    failing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Odd, "failing", failing)

    @scheduler_test
    async def story(cluster: Cluster) -> None:
        await cluster.add_nodes("n1", cpu=4)
        await cluster.start(scheduler(cluster, configuration("Odd"), [ODD]))
        await cluster.add_pods("odd", schedulerName="odd")
        await cluster.wait_for(["odd"], at_most=5)

    story()


def test_a_plugin_that_fails_before_the_queue_holds_its_pods() -> None:
    @scheduler_test
    async def story(cluster: Cluster) -> None:
        Odd.failing = "pre_enqueue"
        try:
            await cluster.add_nodes("n1", cpu=4)
            await cluster.start(scheduler(cluster, configuration("Odd"), [ODD]))
            await cluster.add_pods("odd", schedulerName="odd")
            await cluster.add_pods("even")
            await cluster.wait_for(["even"], at_most=5)
            assert await cluster.placements() == {"even": "n1"}
        finally:
            Odd.failing = ""

    story()


def load(points: Iterable[EntryPoint], name: str = "Odd") -> None:
    config = load_scheduler_configuration(configuration(name), "scheduler.yaml", VERSION)
    plugins_for(config, find=lambda: points)


@pytest.mark.parametrize(
    ("points", "told"),
    [
        ([point("Odd", "no_such_module:Odd")], "cannot be loaded: ModuleNotFoundError"),
        ([point("Odd", f"{__name__}:EXAMPLE")], "is neither a class nor a function"),
        ([ODD, ODD], "is there too"),
        ([point("Odd", "collections:OrderedDict")], ""),
    ],
)
def test_an_entry_point_that_cannot_be_used_is_told_at_once(
    points: list[EntryPoint], told: str
) -> None:
    if not told:
        load(points)
        return
    with pytest.raises(BadInputError) as caught:
        load(points)
    assert told in str(caught.value)


def test_a_plugin_cannot_take_the_name_of_a_built_in_one() -> None:
    with pytest.raises(BadInputError, match="a built-in plugin has this name"):
        load([point("NodeName", f"{__name__}:Odd")], name="NodeName")


def test_what_nobody_names_is_not_loaded() -> None:
    load([point("Broken", "no_such_module:Broken")], name="NodeName")
    assert "no_such_module" not in sys.modules
