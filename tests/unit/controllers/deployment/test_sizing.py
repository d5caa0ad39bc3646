"""How large ReplicaSets get: rollouts, scaling, shares."""

from __future__ import annotations

from typing import Any

from kubegang.apimachinery.objects import JsonObject
from kubegang.controllers.deployment.annotations import DESIRED, MAXIMUM
from kubegang.controllers.deployment.replicasets import Sets
from kubegang.controllers.deployment.sizing import is_scaling, new_size, scaled, smaller_old
from kubegang.controllers.deployment.strategy import max_surge, max_unavailable


def deployment(replicas: int, *, surge: Any = "25%", unavailable: Any = "25%") -> JsonObject:
    rolling = {"maxSurge": surge, "maxUnavailable": unavailable}
    strategy = {"type": "RollingUpdate", "rollingUpdate": rolling}
    return {"metadata": {"name": "d"}, "spec": {"replicas": replicas, "strategy": strategy}}


def replica_set(
    name: str, replicas: int, *, available: int | None = None, desired: int = 0, most: int = 0
) -> JsonObject:
    """Return a ReplicaSet; the later its name in the alphabet, the younger it is."""
    return {
        "metadata": {
            "name": name,
            "uid": name,
            "creationTimestamp": "2026-01-01T00:00:00Z",
            "annotations": {DESIRED: str(desired), MAXIMUM: str(most)},
        },
        "spec": {"replicas": replicas},
        "status": {"availableReplicas": replicas if available is None else available},
    }


def named(sizes: list[tuple[JsonObject, int]]) -> list[tuple[str, int]]:
    return [(entry["metadata"]["name"], size) for entry, size in sizes]


def test_surge_is_rounded_up_and_unavailability_down() -> None:
    assert (max_surge(deployment(10)), max_unavailable(deployment(10))) == (3, 2)


def test_one_pod_may_go_if_both_shares_come_to_nothing() -> None:
    tiny = deployment(2, surge="0%", unavailable="1%")

    assert (max_surge(tiny), max_unavailable(tiny)) == (0, 1)


def test_the_new_set_grows_as_far_as_the_surge_allows() -> None:
    assert new_size(deployment(10), current=0, total=10) == 3
    assert new_size(deployment(10), current=3, total=13) == 3
    assert new_size(deployment(10), current=9, total=11) == 10
    assert new_size(deployment(10), current=12, total=12) == 10


def test_broken_pods_of_old_sets_go_before_working_ones() -> None:
    old = (replica_set("a", 4, available=1), replica_set("b", 4))
    new = replica_set("z", 3, available=3)

    sizes = smaller_old(deployment(8), Sets(new, old), new)

    assert named(sizes) == [("a", 1), ("a", 0), ("b", 3)]


def test_old_sets_stay_while_new_pods_do_not_work() -> None:
    old, new = (replica_set("a", 8),), replica_set("z", 5, available=0)

    assert smaller_old(deployment(10), Sets(new, old), new) == []


def test_the_only_set_at_work_gets_the_new_size() -> None:
    sizes, notes = scaled(deployment(5), Sets(replica_set("z", 0), (replica_set("a", 3),)))

    assert (named(sizes), notes) == ([("a", 5)], False)


def test_without_any_at_work_the_new_set_gets_it() -> None:
    sizes, _ = scaled(deployment(5), Sets(replica_set("z", 0), (replica_set("a", 0),)))

    assert named(sizes) == [("z", 5)]


def test_several_at_work_share_what_is_added() -> None:
    old = (replica_set("a", 8, desired=10, most=13),)
    new = replica_set("z", 5, available=0, desired=10, most=13)

    sizes, notes = scaled(deployment(15, surge=3, unavailable=2), Sets(new, old))

    assert (named(sizes), notes) == ([("a", 11), ("z", 7)], True)


def test_the_largest_takes_what_is_left_over() -> None:
    old = (replica_set("a", 3, desired=5, most=5), replica_set("b", 1, desired=5, most=5))
    new = replica_set("z", 1, available=0, desired=5, most=5)

    sizes, _ = scaled(deployment(7, surge=0, unavailable=1), Sets(new, old))

    assert dict(named(sizes)) == {"a": 5, "b": 1, "z": 1}


def test_scaling_to_nothing_empties_all() -> None:
    old, new = (replica_set("a", 3),), replica_set("z", 2, available=0)

    sizes, _ = scaled(deployment(0), Sets(new, old))

    assert dict(named(sizes)) == {"a": 0, "z": 0}


def test_another_size_than_noted_is_a_scaling() -> None:
    sets = Sets(replica_set("z", 3, desired=3), ())

    assert is_scaling(deployment(4), sets)
    assert not is_scaling(deployment(3), sets)
