"""How large each ReplicaSet of a Deployment should be: rolling out, recreating, scaling. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from kubegang.apimachinery.objects import JsonObject
from kubegang.controllers.deployment.annotations import DESIRED, MAXIMUM, replicas_annotation
from kubegang.controllers.deployment.replicasets import Sets, active, asked, reported
from kubegang.controllers.deployment.strategy import (
    is_rolling,
    max_surge,
    max_unavailable,
    plain_surge,
)
from kubegang.controllers.workloads.objects import age_order, counted, replicas_of

Sizes = list[tuple[JsonObject, int]]
"""ReplicaSets with the sizes they should get, in the order in which to write them."""


def new_size(deployment: JsonObject, *, current: int, total: int) -> int:
    """Return the size of the new ReplicaSet at this point of a rollout.

    Args:
        deployment: the Deployment.
        current: the size of the new ReplicaSet now.
        total: how many pods all its ReplicaSets ask for now.
    """
    replicas = replicas_of(deployment)
    if not is_rolling(deployment) or current > replicas:
        return replicas
    room = replicas + plain_surge(deployment) - total
    return current + max(0, min(room, replicas - current))


def smaller_old(deployment: JsonObject, sets: Sets, new: JsonObject) -> Sizes:
    """Return the smaller sizes of old ReplicaSets that a rolling update allows now.

    Pods that do not work go first, as that costs nothing; then as many as there are available
    pods beyond the minimum. So a ReplicaSet may be there twice.
    """
    old = sorted(active(sets.old), key=age_order)
    minimum = replicas_of(deployment) - max_unavailable(deployment)
    unready = replicas_of(new) - counted(new, "availableReplicas")
    room = asked([*old, new]) - minimum - unready
    if not old or room <= 0:
        return []
    sizes = [replicas_of(entry) for entry in old]
    spare = [
        size - counted(entry, "availableReplicas") for entry, size in zip(old, sizes, strict=True)
    ]
    found = _taken(old, sizes, spare, limit=room)
    left = reported([*old, new], "availableReplicas") - minimum
    return found + _taken(old, sizes, list(sizes), limit=left)


def _taken(old: list[JsonObject], sizes: list[int], spare: list[int], *, limit: int) -> Sizes:
    """Take pods from ReplicaSets, the first ones first; ``sizes`` gets what is left of them."""
    found = []
    for place, entry in enumerate(old):
        taken = max(0, min(limit, spare[place]))
        if taken:
            limit -= taken
            sizes[place] -= taken
            found.append((entry, sizes[place]))
    return found


def scaled(deployment: JsonObject, sets: Sets) -> tuple[Sizes, bool]:
    """Return the sizes after the Deployment itself was scaled, or while it is paused.

    With several ReplicaSets at work each takes its share, so that scaling neither speeds up
    nor undoes a rollout. The flag says whether sizes are to be noted on ReplicaSets that keep
    theirs.
    """
    replicas = replicas_of(deployment)
    running = active(sets.all())
    if len(running) < 2:
        only = running[0] if running else _latest(sets)
        return ([(only, replicas)] if only is not None else []), False
    if _is_saturated(deployment, sets.new):
        return [(entry, 0) for entry in active(sets.old)], False
    if not is_rolling(deployment):
        return [], False
    return _proportional(deployment, running), True


def is_scaling(deployment: JsonObject, sets: Sets) -> bool:
    """Return whether the Deployment has another size than its ReplicaSets were scaled for."""
    noted = (replicas_annotation(entry, DESIRED) for entry in active(sets.all()))
    return any(size is not None and size != replicas_of(deployment) for size in noted)


def _proportional(deployment: JsonObject, running: list[JsonObject]) -> Sizes:
    replicas = replicas_of(deployment)
    allowed = replicas + max_surge(deployment) if replicas else 0
    to_add = allowed - asked(running)
    # Of the same size, new ones grow first and old ones shrink first.
    ordered = sorted(running, key=age_order, reverse=to_add > 0)
    ordered.sort(key=replicas_of, reverse=True)
    added, sizes = 0, []
    for entry in ordered:
        share = _share(deployment, entry, to_add - added) if to_add != added else 0
        sizes.append(replicas_of(entry) + share)
        added += share
    sizes[0] = max(0, sizes[0] + to_add - added)
    return list(zip(ordered, sizes, strict=True))


def _share(deployment: JsonObject, replica_set: JsonObject, left: int) -> int:
    """Return a ReplicaSet's part of what is to be added, or taken if ``left`` is negative."""
    fraction = _fraction(deployment, replica_set)
    return min(fraction, left) if left > 0 else max(fraction, left)


def _fraction(deployment: JsonObject, replica_set: JsonObject) -> int:
    size, replicas = replicas_of(replica_set), replicas_of(deployment)
    if not replicas:
        return -size
    before = replicas_annotation(replica_set, MAXIMUM) or counted(deployment, "replicas")
    if not before:
        return 0
    # Rounded half away from zero: all numbers here are positive.
    new_size_ = (2 * size * (replicas + max_surge(deployment)) + before) // (2 * before)
    return new_size_ - size


def _is_saturated(deployment: JsonObject, new: JsonObject | None) -> bool:
    replicas = replicas_of(deployment)
    return (
        new is not None
        and replicas_of(new) == replicas
        and replicas_annotation(new, DESIRED) == replicas
        and counted(new, "availableReplicas") == replicas
    )


def _latest(sets: Sets) -> JsonObject | None:
    if sets.new is not None:
        return sets.new
    return max(sets.old, key=age_order, default=None)


def without_pods(old: Iterable[JsonObject]) -> Sizes:
    """Return old ReplicaSets with nothing left of them, as Recreate starts."""
    return [(entry, 0) for entry in active(old)]
