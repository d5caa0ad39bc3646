"""Who may ask, how much at once, and what happens when the server itself fails."""

from __future__ import annotations

import asyncio

import pytest
from prometheus_client import CollectorRegistry

from kubegang.apiserver.admission.chain import UnknownPluginError
from kubegang.store.interface import Item
from kubegang.store.memory import MemoryStore
from tests.component.apiharness import CONFIG_MAPS, PODS, Api, api_test, config_map, pod, run


@pytest.mark.parametrize("path", ["/version", "/version/", "/healthz", "/livez", "/readyz/ping"])
def test_anonymous_may_read_version_and_health(path: str) -> None:
    async def scenario(api: Api) -> None:
        assert (await api.get(path, user=None)).status == 200

    run(scenario)


@api_test
async def test_anonymous_is_told_what_it_may_not_do(api: Api) -> None:
    write = await api.send("POST", CONFIG_MAPS, config_map("a"), user=None)
    path = await api.get("/apis", user=None)

    assert (write.status, write.message) == (
        403,
        'configmaps is forbidden: User "system:anonymous" cannot create resource "configmaps" '
        'in API group "" in the namespace "default"',
    )
    assert path.message == 'forbidden: User "system:anonymous" cannot get path "/apis"'


@api_test
async def test_a_token_is_right_or_wrong(api: Api) -> None:
    right = await api.get("/api", user=None, headers={"authorization": "Bearer secret"})
    wrong = await api.get("/version", user=None, headers={"authorization": "Bearer guess"})

    assert right.status == 200
    assert (wrong.status, wrong.message) == (401, "Unauthorized")


@api_test
async def test_every_answer_has_an_id_of_its_own(api: Api) -> None:
    ids = {(await api.get("/api")).headers["audit-id"] for _ in range(5)}

    assert len(ids) == 5


class _Slow(MemoryStore):
    """A store whose writes wait until they are let go."""

    def __init__(self) -> None:
        super().__init__()
        self.go = asyncio.Event()
        self.go.set()

    async def create(self, key, encode):  # type: ignore[no-untyped-def]
        await self.go.wait()
        return await super().create(key, encode)


def test_beyond_the_limit_clients_are_told_to_come_back() -> None:
    async def scenario(api: Api) -> None:
        store.go.clear()
        waiting = [
            asyncio.create_task(api.post(CONFIG_MAPS, config_map(f"c{i}"))) for i in range(3)
        ]
        await api.backend.clock.sleep(1)
        refused = await api.post(CONFIG_MAPS, config_map("late"))
        reading = await api.get(CONFIG_MAPS)
        store.go.set()
        served = [(await task).status for task in waiting]
        after = await api.post(CONFIG_MAPS, config_map("late"))
        assert (refused.status, refused.headers["retry-after"]) == (429, "1")
        assert (reading.status, served, after.status) == (200, [201, 201, 201], 201)

    store = _Slow()
    run(scenario, store=store, max_changing=3)


class _Broken(MemoryStore):
    """A store with a bug."""

    def get(self, key: str) -> Item | None:
        if key.endswith("/bug"):
            raise RuntimeError("a bug")
        return super().get(key)


def test_a_bug_is_one_500_and_the_next_request_is_served() -> None:
    async def scenario(api: Api) -> None:
        failed = await api.get(f"{CONFIG_MAPS}/bug")
        assert (failed.status, failed.object["reason"]) == (500, "InternalError")
        assert b"a bug" not in failed.body
        assert (await api.get(CONFIG_MAPS)).status == 200

    run(scenario, store=_Broken())


@api_test
async def test_a_closed_store_is_said_to_be_unavailable(api: Api) -> None:
    await api.backend.store.close()

    reply = await api.post(CONFIG_MAPS, config_map("a"))

    assert (reply.status, reply.object["reason"]) == (503, "ServiceUnavailable")


def test_readiness_names_what_is_missing() -> None:
    async def scenario(api: Api) -> None:
        failing = await api.get("/readyz", user=None)
        excluded = await api.get("/readyz?exclude=scheduler&verbose", user=None)
        alone = await api.get("/readyz/scheduler", user=None)
        assert failing.status == 500
        assert b"[-]scheduler failed: restarting" in failing.body
        assert b"[+]scheduler excluded: ok" in excluded.body
        assert alone.status == 500

    run(scenario, ready={"scheduler": lambda: "restarting"})


def test_requests_are_counted_by_verb_and_resource() -> None:
    async def scenario(api: Api) -> None:
        await api.create(PODS, pod("p"))
        await api.get(f"{PODS}/p")
        text = (await api.get("/metrics")).body.decode()
        assert (
            'apiserver_request_total{code="201",group="",resource="pods",subresource="",'
            'verb="create",version="v1"} 1.0'
        ) in text

    run(scenario, registry=CollectorRegistry())


def test_plugins_can_be_switched() -> None:
    async def scenario(api: Api) -> None:
        node = await api.create("/api/v1/nodes", {"metadata": {"name": "n"}})
        created = await api.create(PODS, pod("p"))
        assert node["spec"]["taints"][0]["key"] == "node.kubernetes.io/not-ready"
        assert "tolerations" not in created["spec"]

    run(
        scenario,
        enabled_admission_plugins=("TaintNodesByCondition",),
        disabled_admission_plugins=("DefaultTolerationSeconds",),
    )


def test_an_unknown_plugin_stops_the_start() -> None:
    async def scenario(api: Api) -> None:
        raise AssertionError("the server must not start")

    with pytest.raises(UnknownPluginError, match="unknown admission plug-in 'Priorities'; known: "):
        run(scenario, enabled_admission_plugins=("Priorities",))


@api_test
async def test_a_priority_class_gives_its_number(api: Api) -> None:
    classes = "/apis/scheduling.k8s.io/v1/priorityclasses"
    await api.create(classes, {"metadata": {"name": "high"}, "value": 1000})

    named = await api.create(PODS, pod("a", priorityClassName="high"))
    wrong = await api.post(PODS, pod("b", priorityClassName="high", priority=5))
    unknown = await api.post(PODS, pod("c", priorityClassName="none"))

    assert named["spec"]["priority"] == 1000
    assert (wrong.status, unknown.status) == (403, 403)
    assert unknown.message == 'pods "c" is forbidden: no PriorityClass with name none was found'


@api_test
async def test_only_one_class_is_the_default_and_it_is_used_at_once(api: Api) -> None:
    classes = "/apis/scheduling.k8s.io/v1/priorityclasses"
    default = {"metadata": {"name": "usual"}, "value": 7, "globalDefault": True}
    await api.create(classes, default)

    created = await api.create(PODS, pod("a"))
    second = await api.post(classes, {**default, "metadata": {"name": "other"}})
    again = await api.patch(f"{classes}/usual", {"description": "d"})

    assert created["spec"]["priorityClassName"] == "usual"
    assert created["spec"]["priority"] == 7
    assert (second.status, again.status) == (403, 200)
