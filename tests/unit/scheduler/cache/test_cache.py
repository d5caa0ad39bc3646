"""The cache counts what is bound or assumed, on the right node, whatever happens in between."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kubegang.scheduler.cache.cache import Cache
from kubegang.scheduler.cache.states import PodState
from kubegang.scheduler.framework.errors import InvariantError
from kubegang.scheduler.framework.pods import NodeName, PodGroupKey, PodUid
from tests.unit.scheduler.queue.stage import (
    make_group_info,
    make_node_info,
    make_pod_info,
    newer,
)

N1, N2 = NodeName("n1"), NodeName("n2")
KEY = PodGroupKey("ns", "g")


@pytest.fixture
def cache() -> Iterator[Cache]:
    built = Cache()
    built.set_node(make_node_info("n1"))
    built.set_node(make_node_info("n2"))
    yield built
    built.validate()


def _requested(cache: Cache, node: NodeName) -> int:
    nodes = cache.snapshot().nodes
    row = nodes.row(node)
    assert row is not None
    return int(nodes.requested("cpu")[row])


def test_a_pending_pod_counts_nowhere(cache: Cache) -> None:
    cache.set_pod(make_pod_info("p"))
    assert (_requested(cache, N1), cache.counted_pods) == (0, 0)


def test_an_assumed_pod_counts_until_it_is_forgotten(cache: Cache) -> None:
    pod = make_pod_info("p")
    cache.set_pod(pod)
    cache.assume(pod.uid, N1)
    assert (_requested(cache, N1), cache.is_assumed(pod.uid)) == (1000, True)
    assert cache.forget(pod.uid) == pod
    assert (_requested(cache, N1), cache.is_assumed(pod.uid)) == (0, False)


def test_the_binding_confirms_the_assumption_without_touching_the_row(cache: Cache) -> None:
    pod = make_pod_info("p")
    cache.set_pod(pod)
    cache.assume(pod.uid, N1)
    before = cache.snapshot().nodes.changes
    cache.set_pod(newer(pod, node_name=N1))
    assert cache.snapshot().nodes.changes == before
    assert (_requested(cache, N1), cache.assumed_count, cache.counted_pods) == (1000, 0, 1)


def test_a_pod_bound_elsewhere_counts_there(cache: Cache) -> None:
    pod = make_pod_info("p")
    cache.set_pod(pod)
    cache.assume(pod.uid, N1)
    cache.set_pod(newer(pod, node_name=N2))
    assert (_requested(cache, N1), _requested(cache, N2)) == (0, 1000)
    assert cache.forget(pod.uid) is None


def test_an_update_of_an_assumed_pod_keeps_the_assumption(cache: Cache) -> None:
    pod = make_pod_info("p")
    cache.set_pod(pod)
    cache.assume(pod.uid, N1)
    changed = newer(pod, labels={"a": "b"})
    cache.set_pod(changed)
    assert cache.is_assumed(pod.uid)
    assert cache.forget(pod.uid) == changed


def test_a_deleted_assumed_pod_frees_its_node(cache: Cache) -> None:
    pod = make_pod_info("p")
    cache.set_pod(pod)
    cache.assume(pod.uid, N1)
    known = cache.remove_pod(pod.uid)
    assert known is not None
    assert (known.node, known.state) == (N1, PodState.ASSUMED)
    assert (_requested(cache, N1), cache.forget(pod.uid)) == (0, None)


def test_a_pod_is_not_assumed_twice(cache: Cache) -> None:
    pod = make_pod_info("p")
    cache.set_pod(pod)
    cache.assume(pod.uid, N1)
    with pytest.raises(InvariantError, match="assumed on n1"):
        cache.assume(pod.uid, N2)


def test_pods_of_a_node_that_comes_back_count_again(cache: Cache) -> None:
    cache.set_pod(make_pod_info("p", node_name=N1))
    cache.remove_node(N1)
    assert cache.node(N1) is None
    cache.set_node(make_node_info("n1"))
    assert _requested(cache, N1) == 1000


def test_members_are_counted_by_how_far_they_are(cache: Cache) -> None:
    cache.set_pod_group(make_group_info("g", 3))
    waiting, assumed = make_pod_info("a", "g"), make_pod_info("b", "g")
    cache.set_pod(waiting)
    cache.set_pod(assumed)
    cache.set_pod(make_pod_info("c", "g", node_name=N1))
    cache.assume(assumed.uid, N2)
    assert cache.groups.members.counts(KEY) == (3, 1, 1)
    assert [pod.name for pod in cache.groups.scheduled_members(KEY)] == ["c", "b"]
    cache.forget(assumed.uid)
    cache.remove_pod(waiting.uid)
    assert cache.groups.members.counts(KEY) == (2, 0, 1)


def test_members_count_without_their_groups_object(cache: Cache) -> None:
    cache.set_pod(make_pod_info("a", "g"))
    assert (cache.groups.known_members(KEY), cache.groups.pod_group(KEY)) == (1, None)


def test_a_pod_that_loses_its_node_is_a_broken_promise(cache: Cache) -> None:
    pod = make_pod_info("p", node_name=N1)
    cache.set_pod(pod)
    with pytest.raises(InvariantError, match="now has no node"):
        cache.set_pod(newer(pod, node_name=""))


# --- preemption -------------------------------------------------------------------------------


def _promised(cache: Cache, node: NodeName = N1) -> list[str]:
    return [pod.name for pod in cache.snapshot().nominations.on(node)]


def test_a_promise_counts_before_the_api_shows_it(cache: Cache) -> None:
    pod = make_pod_info("p")
    cache.set_pod(pod)
    cache.nominate(pod.uid, N1)
    assert _promised(cache) == ["p"]
    # An event that was under way when the promise was made does not take it back.
    cache.set_pod(newer(pod, labels={"a": "b"}))
    assert _promised(cache) == ["p"]


def test_the_api_has_the_last_word_about_promises(cache: Cache) -> None:
    pod = newer(make_pod_info("p"), nominated_node_name=N1)
    cache.set_pod(pod)
    assert _promised(cache) == ["p"]
    moved = newer(pod, nominated_node_name=N2)
    cache.set_pod(moved)
    assert (_promised(cache), _promised(cache, N2)) == ([], ["p"])
    cache.set_pod(newer(moved, nominated_node_name=NodeName("")))
    assert _promised(cache, N2) == []


def test_who_gets_a_node_or_goes_needs_no_promise(cache: Cache) -> None:
    for name in ("assumed", "bound", "gone"):
        pod = make_pod_info(name, nominated_node_name=N1)
        cache.set_pod(pod)
        if name == "assumed":
            cache.assume(pod.uid, N2)
        elif name == "bound":
            cache.set_pod(newer(pod, node_name=N2, nominated_node_name=NodeName("")))
        else:
            cache.remove_pod(pod.uid)
    assert _promised(cache) == []


def test_a_promise_to_a_pod_that_is_not_pending_is_ignored(cache: Cache) -> None:
    pod = make_pod_info("p", node_name=N2)
    cache.set_pod(pod)
    cache.nominate(pod.uid, N1)
    assert _promised(cache) == []


def test_a_pod_that_starts_or_is_preempted_does_not_touch_its_row(cache: Cache) -> None:
    pod = make_pod_info("p", node_name=N1)
    cache.set_pod(pod)
    cache.set_pod(make_pod_info("q", node_name=N1))
    before = cache.snapshot().nodes.changes
    cache.set_pod(newer(pod, started=5.0, preempted=True))
    assert cache.snapshot().nodes.changes == before
    first = next(iter(cache.snapshot().pods()))
    assert (first.name, first.started, first.preempted) == ("p", 5.0, True)


def test_who_is_preempting_is_known_until_all_victims_are_told(cache: Cache) -> None:
    cache.groups.begin_preemption(KEY)
    assert (cache.groups.is_preempting(KEY), cache.groups.is_preempting(PodUid("uid-p"))) == (
        True,
        False,
    )
    cache.groups.end_preemption(KEY)
    assert not cache.groups.is_preempting(KEY)
    cache.groups.end_preemption(KEY)
