"""explain, dump and what-if on a cluster's API: they read, and they never write."""

from __future__ import annotations

import json
import random
from collections.abc import Coroutine
from typing import Any, TypeVar

import pytest
from starlette.types import ASGIApp, Receive, Scope, Send

from kubegang.apimachinery.objects import JsonObject
from kubegang.apiserver.bootstrap import bootstrap
from kubegang.app.clusterlive import LiveCluster, read_live
from kubegang.app.clustersource import SourceOptions, source_of_live
from kubegang.app.configuration import resolve_profile, scheduler_configuration
from kubegang.app.embedded import EmbeddedCluster, EmbeddedSettings
from kubegang.app.errors import ClusterUnreachableError
from kubegang.app.explaining import explain_in, subject_named
from kubegang.app.options import UpOptions
from kubegang.app.supposed import Suppositions
from kubegang.base.clock import VirtualClock, run_virtual
from kubegang.client.api import ApiClient
from kubegang.client.asgi import AsgiTransport
from kubegang.client.interface import Resource
from kubegang.client.resources import NODES, PODS, pod_groups_in
from kubegang.store.memory import MemoryStore
from tests.component.toolscenes import gang, node, plan, pod

T = TypeVar("T")

START = 1_795_000_000.0


class GuardedApp:
    """An API server that answers nothing but reads, and some of them with a refusal."""

    def __init__(self, app: ASGIApp, *, forbidden: str = "") -> None:
        self._app = app
        self._forbidden = forbidden
        self.writes: list[str] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["method"] != "GET":
            self.writes.append(f"{scope['method']} {scope['path']}")
        if self._forbidden and self._forbidden in scope["path"]:
            await _refuse(send)
            return
        await self._app(scope, receive, send)


async def _refuse(send: Send) -> None:
    status = {
        "kind": "Status",
        "apiVersion": "v1",
        "status": "Failure",
        "message": "nodes is forbidden",
        "reason": "Forbidden",
        "code": 403,
    }
    headers = [(b"content-type", b"application/json")]
    await send({"type": "http.response.start", "status": 403, "headers": headers})
    await send({"type": "http.response.body", "body": json.dumps(status).encode()})


def in_cluster(
    *objects: JsonObject, forbidden: str = "", version: str = "1.37"
) -> tuple[LiveCluster, GuardedApp]:
    """Create objects in an API server, and return what reading it shows."""

    async def play() -> tuple[LiveCluster, GuardedApp]:
        options = UpOptions(kubernetes_version=version)
        profile = resolve_profile(options)
        settings = EmbeddedSettings(
            profile=profile,
            config=scheduler_configuration("", profile),
            options=options,
            components=("apiserver",),
        )
        cluster = EmbeddedCluster(
            settings, store=MemoryStore(), clock=VirtualClock(START), rng=random.Random(1)
        )
        await bootstrap(cluster.app.state.backend)
        for obj in objects:
            await cluster.client.create(_resource(obj, version), obj, _namespace(obj))
        guarded = GuardedApp(cluster.app, forbidden=forbidden)
        transport = AsgiTransport(guarded, user="reader", groups=("system:masters",))
        client = ApiClient(transport, user_agent="kubegang")
        return await read_live(client, transport, progress=lambda _text: None), guarded

    return in_virtual_time(play())


def in_virtual_time(main: Coroutine[Any, Any, T]) -> T:
    return run_virtual(main)


def _resource(obj: JsonObject, version: str) -> Resource:
    groups = pod_groups_in("v1alpha2" if version == "1.36" else "v1beta1")
    return {"Node": NODES, "Pod": PODS, "PodGroup": groups}[obj["kind"]]


def _namespace(obj: JsonObject) -> str:
    return "" if obj["kind"] == "Node" else "default"


CLUSTER = (
    node("n1", cpu="4"),
    gang("g", 3),
    *[pod(f"p{i}", group="g", cpu="2") for i in range(3)],
)


def test_a_live_group_is_explained_and_nothing_is_written() -> None:
    live, server = in_cluster(*CLUSTER)

    source = source_of_live(SourceOptions(), live, now=START)
    (found,) = explain_in(source, subject_named("podgroup/g", "default")).parts
    made = plan(source, Suppositions())

    assert found.state == "unschedulable"
    assert found.message.startswith("needs 3 pods at once in the cluster; 2 find room")
    assert [one.pods for one in made.pending] == [3]
    assert server.writes == []


def test_release_and_gates_are_those_of_the_server() -> None:
    older = (node("n1", cpu="4"), gang("g", 1, version="1.36"), pod("p", group="g", cpu="1"))

    live, _ = in_cluster(*older, version="1.36")
    source = source_of_live(SourceOptions(), live, now=START)

    assert source.rules.version.name == "1.36"
    assert explain_in(source, subject_named("pod/p", "default")).is_fine


def test_what_is_forbidden_is_told_with_the_answer() -> None:
    live, _ = in_cluster(*CLUSTER, forbidden="poddisruptionbudgets")

    report = explain_in(
        source_of_live(SourceOptions(), live, now=START), subject_named("podgroup/g", "default")
    )

    assert report.unseen == ("poddisruptionbudgets: nodes is forbidden",)
    assert report.parts[0].state == "unschedulable"


def test_a_cluster_that_lets_us_see_nothing_is_out_of_reach() -> None:
    with pytest.raises(ClusterUnreachableError, match="nodes is forbidden"):
        in_cluster(*CLUSTER, forbidden="api")
