"""Watching through the API: what a stream begins with, what it tells, and how it ends."""

from __future__ import annotations

import asyncio
from typing import Any

from kubegang.store.memory import MemoryStore
from tests.component.apiharness import (
    CONFIG_MAPS,
    PODS,
    Api,
    Stream,
    api_test,
    binding,
    config_map,
    pod,
    run,
)

_WATCH_LIST = (
    "watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"
)
_TABLE = {"accept": "application/json;as=Table;g=meta.k8s.io;v=v1"}


def _shown(event: dict[str, Any]) -> tuple[str, str]:
    return event["type"], event["object"]["metadata"].get("name", "")


async def _revision(api: Api) -> str:
    return str(api.backend.store.revision)


@api_test
async def test_changes_come_in_order(api: Api) -> None:
    stream = api.watch(f"{CONFIG_MAPS}?watch=1&resourceVersion={await _revision(api)}")
    await api.create(CONFIG_MAPS, config_map("a"))
    await api.patch(f"{CONFIG_MAPS}/a", {"data": {"x": "1"}})
    await api.delete(f"{CONFIG_MAPS}/a")

    events = [await stream.next_event() for _ in range(3)]

    assert [event["type"] for event in events] == ["ADDED", "MODIFIED", "DELETED"]
    versions = [int(event["object"]["metadata"]["resourceVersion"]) for event in events]
    assert versions == sorted(set(versions))
    assert events[2]["object"]["data"] == {"x": "1"}


@api_test
async def test_without_a_version_the_present_state_comes_first(api: Api) -> None:
    await api.create(CONFIG_MAPS, config_map("b"))
    await api.create(CONFIG_MAPS, config_map("a"))

    stream = api.watch(f"{CONFIG_MAPS}?watch=true&timeoutSeconds=5")

    assert [_shown(event) for event in await stream.rest()] == [("ADDED", "a"), ("ADDED", "b")]


@api_test
async def test_the_end_of_the_initial_events_is_marked(api: Api) -> None:
    await api.create(CONFIG_MAPS, config_map("a"))

    stream = api.watch(f"{CONFIG_MAPS}?{_WATCH_LIST}")
    first, mark = await stream.next_event(), await stream.next_event()
    await api.create(CONFIG_MAPS, config_map("b"))
    live = await stream.next_event()

    assert _shown(first) == ("ADDED", "a")
    assert mark["type"] == "BOOKMARK"
    assert mark["object"]["metadata"]["annotations"] == {"k8s.io/initial-events-end": "true"}
    assert _shown(live) == ("ADDED", "b")


@api_test
async def test_an_empty_list_is_marked_too(api: Api) -> None:
    stream = api.watch(f"{CONFIG_MAPS}?{_WATCH_LIST}")

    assert (await stream.next_event())["type"] == "BOOKMARK"


@api_test
async def test_objects_enter_and_leave_a_selector(api: Api) -> None:
    revision = await _revision(api)
    query = f"watch=1&labelSelector=k%3D1&resourceVersion={revision}&timeoutSeconds=5"
    stream = api.watch(f"{CONFIG_MAPS}?{query}")
    await api.create(CONFIG_MAPS, config_map("a", labels={"k": "0"}))
    await api.patch(f"{CONFIG_MAPS}/a", {"metadata": {"labels": {"k": "1"}}})
    left = await api.patch(f"{CONFIG_MAPS}/a", {"metadata": {"labels": {"k": "2"}}})
    await api.delete(f"{CONFIG_MAPS}/a")

    events = await stream.rest()

    assert [_shown(event) for event in events] == [("ADDED", "a"), ("DELETED", "a")]
    gone = events[1]["object"]["metadata"]
    assert gone["labels"] == {"k": "1"}
    assert gone["resourceVersion"] == left.object["metadata"]["resourceVersion"]


@api_test
async def test_a_node_sees_its_pods_when_they_are_bound(api: Api) -> None:
    revision = await _revision(api)
    query = f"watch=1&fieldSelector=spec.nodeName%3Dn1&resourceVersion={revision}"
    stream = api.watch(f"/api/v1/pods?{query}")
    await api.create(PODS, pod("p"))
    await api.post(f"{PODS}/p/binding", binding("p", "n1"))

    event = await stream.next_event()

    assert event["type"] == "ADDED"
    assert event["object"]["spec"]["nodeName"] == "n1"


@api_test
async def test_an_unbound_pod_is_marked_before_it_is_gone(api: Api) -> None:
    await api.create(PODS, pod("p"))
    stream = api.watch(f"{PODS}?watch=1&resourceVersion={await _revision(api)}")

    await api.delete(f"{PODS}/p")

    types = [(await stream.next_event())["type"] for _ in range(2)]
    assert types == ["MODIFIED", "DELETED"]


@api_test
async def test_a_watch_ends_in_time_with_a_proper_end(api: Api) -> None:
    began = api.backend.clock.now()
    stream = api.watch(f"{CONFIG_MAPS}?watch=1&timeoutSeconds=7")

    assert await stream.rest() == []
    assert stream.over
    assert api.backend.clock.now() == began + 7


@api_test
async def test_a_watch_without_a_time_limit_lasts_half_an_hour_or_more(api: Api) -> None:
    began = api.backend.clock.now()
    stream = api.watch(f"{CONFIG_MAPS}?watch=1&resourceVersion={await _revision(api)}")

    await stream.rest()

    assert 1800 <= api.backend.clock.now() - began <= 3600


@api_test
async def test_quiet_watches_get_bookmarks_of_what_happened_elsewhere(api: Api) -> None:
    query = f"watch=1&allowWatchBookmarks=true&resourceVersion={await _revision(api)}"
    stream = api.watch(f"{PODS}?{query}&timeoutSeconds=300")
    await api.backend.clock.sleep(1)
    await api.create(CONFIG_MAPS, config_map("a"))

    bookmarks = [await stream.next_event() for _ in range(2)]

    assert {event["type"] for event in bookmarks} == {"BOOKMARK"}
    assert bookmarks[1]["object"]["metadata"]["resourceVersion"] == await _revision(api)


@api_test
async def test_a_client_that_hangs_up_is_forgotten(api: Api) -> None:
    stream = api.watch(f"{CONFIG_MAPS}?watch=1&resourceVersion={await _revision(api)}")
    await api.backend.clock.sleep(1)
    assert len(api.backend.watches) == 1

    stream.hang_up()
    await stream.rest()

    assert not api.backend.watches


@api_test
async def test_stopping_the_server_ends_all_watches(api: Api) -> None:
    streams: list[Stream] = [api.watch(f"{CONFIG_MAPS}?watch=1") for _ in range(5)]
    await api.backend.clock.sleep(1)
    before = api.backend.clock.now()

    api.backend.end_watches()
    for stream in streams:
        await stream.rest()

    assert api.backend.clock.now() == before


@api_test
async def test_history_that_is_gone_gives_an_error_event(api: Api) -> None:
    old = await _revision(api)
    await api.create(CONFIG_MAPS, config_map("a"))
    await api.create(CONFIG_MAPS, config_map("b"))
    await api.backend.store.compact(api.backend.store.revision)

    stream = api.watch(f"{CONFIG_MAPS}?watch=1&resourceVersion={old}")
    events = await stream.rest()

    assert stream.status == 200
    assert [event["type"] for event in events] == ["ERROR"]
    assert (events[0]["object"]["code"], events[0]["object"]["reason"]) == (410, "Expired")


def test_a_watcher_that_reads_too_slowly_is_cut() -> None:
    async def scenario(api: Api) -> None:
        stream = api.watch(f"{CONFIG_MAPS}?watch=1&resourceVersion={await _revision(api)}")
        await api.backend.clock.sleep(1)
        store = api.backend.store
        # All in one turn of the loop, so that the watcher cannot read in between.
        await asyncio.gather(
            *(store.create(f"/core/configmaps/default/c{i}", _config_map_bytes) for i in range(50))
        )
        events = await stream.rest()
        assert events[-1]["object"]["code"] == 410

    run(scenario, store=MemoryStore(max_unread=3))


def _config_map_bytes(revision: int) -> bytes:
    return b'{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"c"}}'


@api_test
async def test_as_tables_only_the_first_event_declares_the_columns(api: Api) -> None:
    await api.create(CONFIG_MAPS, config_map("a"))
    await api.create(CONFIG_MAPS, config_map("b"))

    stream = api.watch(f"{CONFIG_MAPS}?{_WATCH_LIST}&timeoutSeconds=1", headers=_TABLE)
    first, second, mark = await stream.rest()

    assert first["object"]["columnDefinitions"][0]["name"] == "Name"
    assert second["object"]["columnDefinitions"] is None
    assert mark["object"]["rows"][0]["object"]["metadata"]["annotations"]


@api_test
async def test_many_watchers_share_what_was_prepared_for_the_first(api: Api) -> None:
    revision = await _revision(api)
    query = f"watch=1&labelSelector=k&resourceVersion={revision}&timeoutSeconds=5"
    streams = [api.watch(f"{CONFIG_MAPS}?{query}") for _ in range(20)]
    await api.backend.clock.sleep(1)

    await api.create(CONFIG_MAPS, config_map("a", labels={"k": "1"}))

    for stream in streams:
        assert [_shown(event) for event in await stream.rest()] == [("ADDED", "a")]


@api_test
async def test_one_object_can_be_watched_by_its_name(api: Api) -> None:
    query = f"watch=1&fieldSelector=metadata.name%3Da&resourceVersion={await _revision(api)}"
    stream = api.watch(f"{CONFIG_MAPS}?{query}&timeoutSeconds=5")
    for name in ("ab", "a", "b"):
        await api.create(CONFIG_MAPS, config_map(name))

    assert [_shown(event) for event in await stream.rest()] == [("ADDED", "a")]


@api_test
async def test_a_watch_from_the_future_waits_for_it(api: Api) -> None:
    future = api.backend.store.revision + 2
    stream = api.watch(f"{CONFIG_MAPS}?watch=1&resourceVersion={future}&timeoutSeconds=5")
    for name in ("a", "b", "c"):
        await api.create(CONFIG_MAPS, config_map(name))

    assert [_shown(event) for event in await stream.rest()] == [("ADDED", "c")]


@api_test
async def test_a_watch_whose_time_was_up_before_it_began_says_so(api: Api) -> None:
    stream = api.watch(f"{CONFIG_MAPS}?watch=1&timeoutSeconds=-1")

    events = await stream.rest()

    assert [event["type"] for event in events] == ["ERROR"]
    assert events[0]["object"]["message"] == "context deadline exceeded"
    assert events[0]["object"]["code"] == 500


@api_test
async def test_a_watch_whose_time_is_up_before_it_begins_ends_at_once(api: Api) -> None:
    """Measured on 1.37.2 and 1.35.4: only who does not say where to begin is told why."""
    path = "/api/v1/namespaces/default/configmaps?watch=1&timeoutSeconds=-1"
    assert await api.watch(f"{path}&resourceVersion=1").rest() == []
    (told,) = await api.watch(path).rest()
    assert told["object"]["message"] == "context deadline exceeded"
