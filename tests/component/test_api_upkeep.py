"""What the server does by itself: first objects, Events of two groups, forgetting."""

from __future__ import annotations

import asyncio

from kubegang.apiserver.bootstrap import bootstrap
from kubegang.apiserver.compaction import compact_forever
from kubegang.apiserver.expiry import expire_events_forever
from tests.component.apiharness import CONFIG_MAPS, Api, api_test, config_map

CORE_EVENTS = "/api/v1/namespaces/default/events"
NEW_EVENTS = "/apis/events.k8s.io/v1/namespaces/default/events"


@api_test
async def test_a_fresh_cluster_has_its_namespaces_classes_and_service(api: Api) -> None:
    namespaces = (await api.get("/api/v1/namespaces")).object["items"]
    classes = (await api.get("/apis/scheduling.k8s.io/v1/priorityclasses")).object["items"]
    service = (await api.get("/api/v1/namespaces/default/services/kubernetes")).object

    assert [one["metadata"]["name"] for one in namespaces] == [
        "default",
        "kube-node-lease",
        "kube-public",
        "kube-system",
    ]
    assert {one["metadata"]["name"]: one["value"] for one in classes} == {
        "system-cluster-critical": 2000000000,
        "system-node-critical": 2000001000,
    }
    assert service["spec"]["clusterIP"] == "10.0.0.1"


@api_test
async def test_the_first_objects_are_made_once(api: Api) -> None:
    before = api.backend.store.revision

    await bootstrap(api.backend)

    assert api.backend.store.revision == before


@api_test
async def test_an_event_reads_the_same_through_both_groups(api: Api) -> None:
    core = {
        "metadata": {"name": "e"},
        "involvedObject": {"kind": "Pod", "name": "p", "namespace": "default"},
        "reason": "R",
        "message": "m",
        "type": "Normal",
        "count": 2,
        "source": {"component": "c"},
        "firstTimestamp": "2026-01-01T00:00:00Z",
    }
    written = await api.create(CORE_EVENTS, core)

    new = (await api.get(f"{NEW_EVENTS}/e")).object
    back = (await api.get(f"{CORE_EVENTS}/e")).object
    listed = (await api.get(f"{NEW_EVENTS}?fieldSelector=regarding.name%3Dp")).object

    assert back == written
    assert (new["note"], new["deprecatedCount"]) == ("m", 2)
    assert new["regarding"]["name"] == "p"
    assert new["deprecatedSource"] == {"component": "c"}
    assert [one["note"] for one in listed["items"]] == ["m"]


@api_test
async def test_an_event_written_in_the_new_form_is_seen_by_old_watchers(api: Api) -> None:
    revision = api.backend.store.revision
    stream = api.watch(f"{CORE_EVENTS}?watch=1&resourceVersion={revision}")
    new = {
        "metadata": {"name": "e"},
        "regarding": {"kind": "Pod", "name": "p", "namespace": "default"},
        "reason": "R",
        "action": "A",
        "note": "n",
        "type": "Normal",
        "reportingController": "example.com/c",
        "reportingInstance": "i",
        "eventTime": "2026-01-01T00:00:00.000000Z",
    }
    await api.create(NEW_EVENTS, new)

    event = (await stream.next_event())["object"]

    assert (event["apiVersion"], event["message"]) == ("v1", "n")
    assert event["involvedObject"]["name"] == "p"


@api_test
async def test_history_is_forgotten_by_the_clock(api: Api) -> None:
    upkeep = asyncio.create_task(compact_forever(api.backend, interval_seconds=300))
    await api.create(CONFIG_MAPS, config_map("a"))
    old = api.backend.store.revision
    await api.backend.clock.sleep(301)
    await api.create(CONFIG_MAPS, config_map("b"))
    kept = api.backend.store.revision

    await api.backend.clock.sleep(600)

    assert old < api.backend.store.compacted <= kept
    assert (await api.get(f"{CONFIG_MAPS}/a")).status == 200
    upkeep.cancel()


@api_test
async def test_an_event_lives_an_hour_after_it_was_last_written(api: Api) -> None:
    upkeep = asyncio.create_task(expire_events_forever(api.backend))
    involved = {"kind": "Pod", "name": "p", "namespace": "default"}
    for name in ("once", "again"):
        await api.create(CORE_EVENTS, {"metadata": {"name": name}, "involvedObject": involved})
    await api.backend.clock.sleep(1800)
    await api.patch(f"{CORE_EVENTS}/again", {"count": 2})

    await api.backend.clock.sleep(1800 + 130)

    assert (await api.get(f"{CORE_EVENTS}/once")).status == 404
    assert (await api.get(f"{CORE_EVENTS}/again")).status == 200
    upkeep.cancel()
