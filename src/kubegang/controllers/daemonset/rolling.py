"""Which pods of a former template go, and where new ones are made beside them. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from kubegang.apimachinery.objects import JsonObject
from kubegang.controllers.daemonset.fitting import fit_of
from kubegang.controllers.daemonset.pods import (
    ByNode,
    Pair,
    is_pod_available,
    pair_of,
    surge,
    unavailable,
)
from kubegang.controllers.workloads.objects import name_of


class Renewal(msgspec.Struct, frozen=True):
    """Pods that go, and nodes that get a pod beside the one that they have."""

    pods: tuple[JsonObject, ...] = ()
    nodes: tuple[str, ...] = ()


def renewal(
    daemon_set: JsonObject,
    nodes: Sequence[JsonObject],
    present: ByNode,
    *,
    revision: str,
    now: float,
) -> Renewal:
    """Return the next step of a rolling update.

    Args:
        daemon_set: the set.
        nodes: all nodes.
        present: its pods by node.
        revision: the label of pods of the present template.
        now: seconds since the epoch.
    """
    fitting = {name_of(node) for node in nodes if fit_of(daemon_set, node).runs}
    everywhere = {**{name: [] for name in sorted(fitting)}, **present}
    pairs = {node: pair_of(daemon_set, pods, revision) for node, pods in everywhere.items()}
    most = surge(daemon_set, len(fitting))
    if most:
        return _beside(daemon_set, pairs, fitting=fitting, most=most, now=now)
    return _instead(daemon_set, pairs, most=unavailable(daemon_set, len(fitting)), now=now)


def _instead(
    daemon_set: JsonObject, pairs: Mapping[str, Pair | None], *, most: int, now: float
) -> Renewal:
    """Delete old pods, as many as may be unavailable; those that do not work go anyway."""
    missing, broken, works = 0, [], []
    for pair in pairs.values():
        if pair is None or (pair.old is None) == (pair.new is None):
            # Too many, both, or none: placing sees to this node.
            missing += 1
        elif pair.new is not None:
            missing += not is_pod_available(daemon_set, pair.new, now)
        elif pair.old is not None and is_pod_available(daemon_set, pair.old, now):
            works.append(pair.old)
        elif pair.old is not None:
            broken.append(pair.old)
            missing += 1
    return Renewal(pods=(*broken, *works[: max(0, most - missing)]))


def _beside(
    daemon_set: JsonObject,
    pairs: Mapping[str, Pair | None],
    *,
    fitting: set[str],
    most: int,
    now: float,
) -> Renewal:
    """Make new pods beside old ones, and delete old ones that are replaced."""
    gone: list[JsonObject] = []
    leaving: list[JsonObject] = []
    needed: list[str] = []
    candidates: list[str] = []
    surging = available = 0
    for node, pair in pairs.items():
        if pair is None:
            surging += 1
            continue
        counted = pair.old if pair.old is not None else pair.new
        works = counted is not None and is_pod_available(daemon_set, counted, now)
        available += works
        if pair.old is None:
            continue
        if pair.new is not None:
            if is_pod_available(daemon_set, pair.new, now):
                gone.append(pair.old)
            else:
                surging += 1
        elif node not in fitting:
            (leaving if works else gone).append(pair.old)
        else:
            (candidates if works else needed).append(node)
    # Where a pod may not stay, it goes only when others are there instead.
    spare = max(0, available - len(fitting))
    room = max(0, most - surging)
    return Renewal(pods=(*gone, *leaving[:spare]), nodes=(*needed, *candidates[:room]))
