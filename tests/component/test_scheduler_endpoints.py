"""Health, configuration and metrics of our scheduler: as kube-scheduler 1.37.2 has them."""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from prometheus_client import CollectorRegistry, Counter

from kubegang.apimachinery.objects import JsonObject
from kubegang.app.access import Access
from kubegang.app.endpoints import Endpoints
from kubegang.app.profiles.table import profile_named
from kubegang.app.shownmetrics import ShownMetrics, register_component
from kubegang.base.clock import VirtualClock, run_virtual
from kubegang.client.api import ApiClient
from kubegang.client.interface import Request, Response, UnreachableError
from tests.unit.apiserver.asgi import Reply, call

VERSION = profile_named("1.37")


class Reviewing:
    """An API server that reviews: the token ``good`` is admin's, who may do anything."""

    def __init__(self) -> None:
        self.reviews: list[JsonObject] = []
        self.gone = False

    async def send(self, request: Request) -> Response:
        if self.gone:
            raise UnreachableError("connection refused")
        review = json.loads(request.body)
        self.reviews.append(review)
        if review["kind"] == "TokenReview":
            good = review["spec"]["token"] == "good"
            status: JsonObject = {"authenticated": good}
            if good:
                status["user"] = {"username": "admin", "groups": ["g"]}
        else:
            status = {"allowed": review["spec"]["user"] == "admin"}
        return Response(201, {}, json.dumps({**review, "status": status}).encode())

    def stream(self, request: Request) -> Any:
        raise NotImplementedError

    async def close(self) -> None:
        return None


class Served:
    """The endpoints, with switches for what they check."""

    def __init__(self) -> None:
        self.server = Reviewing()
        self.clock = VirtualClock(0)
        self.synced = ""
        self.leader = ""
        self.registry = CollectorRegistry()
        register_component(self.registry, VERSION, None)
        self.app = Endpoints(
            access=Access(
                ApiClient(self.server, user_agent="test"),
                clock=self.clock,
                open_paths=("/healthz", "/livez", "/readyz", "/open/*"),
            ),
            metrics=ShownMetrics(self.registry, VERSION),
            configuration={"parallelism": 16},
            leading={"leaderElection": lambda: self.leader},
            ready={"shutdown": lambda: "", "sched-handler-sync": lambda: self.synced},
        )

    async def get(self, path: str, *, token: str = "", method: str = "GET") -> Reply:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return await call(self.app, method, path, headers=headers)


Story = Callable[[Served], Coroutine[Any, Any, None]]


def serving(story: Story) -> Callable[[], None]:
    def test() -> None:
        run_virtual(story(Served()))

    test.__name__, test.__doc__ = story.__name__, story.__doc__
    return test


@serving
async def test_the_checks_are_upstreams(served: Served) -> None:
    ready = await served.get("/readyz?verbose")
    assert ready.body.decode() == (
        "[+]leaderElection ok\n[+]shutdown ok\n[+]sched-handler-sync ok\nreadyz check passed\n"
    )
    alive = await served.get("/livez?verbose")
    assert alive.body.decode() == "[+]ping ok\nlivez check passed\n"
    health = await served.get("/healthz?verbose")
    assert health.body.decode() == "[+]leaderElection ok\nhealthz check passed\n"
    assert (await served.get("/healthz")).body == b"ok"


@serving
async def test_who_has_not_seen_the_cluster_is_alive_but_not_ready(served: Served) -> None:
    served.synced = "handlers are not fully synchronized"
    ready = await served.get("/readyz")
    assert ready.status == 500
    assert "[-]sched-handler-sync failed: handlers are not fully" in ready.body.decode()
    assert (await served.get("/livez")).status == 200
    assert (await served.get("/healthz")).status == 200


@serving
async def test_a_leader_that_cannot_renew_is_not_healthy(served: Served) -> None:
    served.leader = "failed election to renew leadership on lease kubegang-scheduler"
    assert (await served.get("/healthz")).status == 500
    assert (await served.get("/livez")).status == 200


@serving
async def test_others_than_the_open_paths_need_the_right(served: Served) -> None:
    refused = await served.get("/configz")
    assert refused.status == 403
    assert refused.json()["message"] == (
        'forbidden: User "system:anonymous" cannot get path "/configz"'
    )
    assert (await served.get("/configz", token="bad")).status == 401
    shown = await served.get("/configz", token="good")
    assert shown.json() == {"componentconfig": {"parallelism": 16}}
    assert served.server.reviews[-1]["spec"] == {
        "nonResourceAttributes": {"path": "/configz", "verb": "get"},
        "user": "admin",
        "groups": ["g"],
    }
    assert (await served.get("/open/anything")).status == 404
    assert (await served.get("/nope", token="good")).status == 404


@serving
async def test_reviews_are_remembered_for_a_while(served: Served) -> None:
    for _ in range(3):
        await served.get("/configz", token="good")
    assert len(served.server.reviews) == 2
    await served.clock.sleep(11)
    await served.get("/configz", token="good")
    assert len(served.server.reviews) == 4


@serving
async def test_nothing_is_shown_while_nobody_can_be_asked(served: Served) -> None:
    served.server.gone = True
    assert (await served.get("/configz", token="good")).status == 401
    assert (await served.get("/configz")).status == 403
    assert (await served.get("/healthz")).status == 200


@serving
async def test_metrics_are_in_the_text_format_of_prometheus(served: Served) -> None:
    Counter("scheduler_things", "Things.", ("of",), registry=served.registry)
    counted = Counter("scheduler_others", "Others.", ("of",), registry=served.registry)
    counted.labels("a").inc()
    shown = await served.get("/metrics", token="good")
    text = shown.body.decode()
    assert shown.headers["content-type"].startswith("text/plain; version=0.0.4")
    assert '\nscheduler_others_total{of="a"} 1.0\n' in text
    assert "_created" not in text
    assert "scheduler_things" not in text, "nothing has been counted yet"
    assert 'kubernetes_feature_enabled{name="GenericWorkload",stage="BETA"} 1.0' in text


@pytest.mark.parametrize(("version", "shown"), [("1.35", False), ("1.36", False), ("1.37", True)])
def test_families_of_later_releases_are_not_shown(version: str, *, shown: bool) -> None:
    registry = CollectorRegistry()
    Counter("scheduler_generated_placements", "Placements.", registry=registry).inc()
    text = ShownMetrics(registry, profile_named(version)).text().decode()
    assert ("scheduler_generated_placements_total" in text) == shown
