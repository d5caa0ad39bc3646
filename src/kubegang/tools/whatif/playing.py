"""A plan: the scheduler rehearses on the supposed cluster until nothing changes. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import msgspec

from kubegang.scheduler.framework.pods import PodGroupKey, PodInfo, PodUid
from kubegang.scheduler.framework.rng import Rng
from kubegang.scheduler.queue.backoff import BackoffPolicy
from kubegang.scheduler.queue.entries import EntityKey
from kubegang.tools.cluster.state import ClusterState
from kubegang.tools.explaining.holders import unit_of
from kubegang.tools.rehearsal.deciders import Deciders
from kubegang.tools.rehearsal.filling import fill_cache
from kubegang.tools.rehearsal.happenings import Bound, Evicted
from kubegang.tools.rehearsal.rehearsal import Rehearsal
from kubegang.tools.whatif.report import (
    Plan,
    PlannedBind,
    PlannedEviction,
    PlannedMove,
    StillPending,
)
from kubegang.tools.whatif.suppositions import Drained, Proposed, replacement


class Played(msgspec.Struct, frozen=True, kw_only=True):
    """How a rehearsal ended."""

    state: ClusterState
    rehearsal: Rehearsal

    @property
    def started(self) -> frozenset[PodUid]:
        """The pods that got a node."""
        return frozenset(one.pod.uid for one in self.rehearsal.bound)

    @property
    def evicted(self) -> frozenset[PodUid]:
        """The pods that had to go."""
        return frozenset(one.pod.uid for one in self.rehearsal.evicted)

    @property
    def left(self) -> dict[EntityKey, tuple[PodInfo, ...]]:
        """The pods that wait at the end, by what is decided about together."""
        queue = self.rehearsal.queue.contents
        found: dict[EntityKey, list[PodInfo]] = {}
        for entry in queue.entries():
            for queued in entry.pods():
                key = entry.key if entry.is_group else queued.pod.pod_group or entry.key
                found.setdefault(key, []).append(queued.pod)
        for group in queue.incomplete_groups():
            found.setdefault(group, []).extend(queue.pods_of(group))
        return {key: tuple(pods) for key, pods in found.items()}


def play(
    state: ClusterState,
    deciders: Deciders,
    *,
    chance: Callable[[], Rng],
    backoff: BackoffPolicy,
) -> Played:
    """Let the scheduler work on a cluster until nothing changes any more."""
    cache, waiting = fill_cache(state, deciders.main, scheduler_names=deciders.names)
    rehearsal = Rehearsal(
        cache,
        deciders,
        now=state.taken,
        rng=chance(),
        backoff=backoff,
        replacement=partial(replacement, state),
    )
    rehearsal.enqueue(waiting)
    rehearsal.run()
    return Played(state=state, rehearsal=rehearsal)


def plan_of(
    played: Played,
    without: Played,
    *,
    version: str,
    drained: Drained,
    moves: Sequence[Proposed] = (),
    refused: tuple[str, ...] = (),
    notes: tuple[str, ...] = (),
) -> Plan:
    """Return what would happen, beside what happens anyway.

    Args:
        played: with what is supposed.
        without: the same cluster as it is.
        version: the release.
        drained: the pods that go with their nodes.
        moves: where running pods would have to run instead.
        refused: what could not be submitted.
        notes: what else to know.
    """
    rehearsal = played.rehearsal
    started, evicted = without.started, without.evicted
    binds = [_bind(played.state, one, anyway=one.pod.uid in started) for one in rehearsal.bound]
    evictions = [
        *_drains(played.state, drained),
        *(_eviction(played, one, anyway=one.pod.uid in evicted) for one in rehearsal.evicted),
    ]
    return Plan(
        kubernetes_version=version,
        binds=tuple(binds),
        evictions=tuple(evictions),
        pending=tuple(_pending(played, started)),
        moves=tuple(_move(played.state, one) for one in moves),
        refused=refused,
        settled=rehearsal.settled,
        notes=notes,
    )


def _bind(state: ClusterState, one: Bound, *, anyway: bool) -> PlannedBind:
    return PlannedBind(
        pod=one.pod.key,
        unit=_unit(state, one.pod),
        node=one.node,
        at=round(one.at, 3),
        anyway=anyway,
    )


def _move(state: ClusterState, one: Proposed) -> PlannedMove:
    return PlannedMove(
        pod=one.pod.key,
        unit=_unit(state, one.pod),
        origin=one.origin,
        node=one.pod.node_name,
        beneficiary=_unit(state, one.beneficiary),
    )


def _drains(state: ClusterState, drained: Drained) -> Iterator[PlannedEviction]:
    for pod in drained.gone:
        yield PlannedEviction(
            pod=pod.key,
            unit=_unit(state, pod),
            node=pod.node_name,
            reason="drained",
            returns=pod.uid in drained.returning,
        )


def _eviction(played: Played, one: Evicted, *, anyway: bool) -> PlannedEviction:
    return PlannedEviction(
        pod=one.pod.key,
        unit=_unit(played.state, one.pod),
        node=one.node,
        reason="preempted",
        preemptor=_preemptor(played.state, one.preemptor),
        at=round(one.at, 3),
        returns=replacement(played.state, one.pod) is not None,
        anyway=anyway,
    )


def _preemptor(state: ClusterState, key: EntityKey) -> str:
    if isinstance(key, PodGroupKey):
        return f"{key.kind} {key}"
    return next((f"Pod {pod.key}" for pod in state.pods if pod.uid == key), f"pod {key}")


def _unit(state: ClusterState, pod: PodInfo) -> str:
    # What a controller makes anew has no entry of its own.
    known = msgspec.structs.replace(pod, uid=PodUid(pod.uid.removesuffix("/again")))
    return str(unit_of(state, known))


def _pending(played: Played, started: frozenset[PodUid]) -> Iterator[StillPending]:
    cache = played.rehearsal.cache
    for key, pods in played.left.items():
        group = cache.groups.pod_group(key) if isinstance(key, PodGroupKey) else None
        message, upstream = _why(played, key, pods)
        yield StillPending(
            unit=_unit(played.state, pods[0]),
            group=str(key) if isinstance(key, PodGroupKey) else "",
            pods=len(pods),
            needed=0 if group is None else group.quorum,
            scheduled=len(cache.groups.scheduled_members(key))
            if isinstance(key, PodGroupKey)
            else 0,
            message=message,
            upstream_message=upstream,
            started_without=any(pod.uid in started for pod in pods),
        )


def _why(played: Played, key: EntityKey, pods: tuple[PodInfo, ...]) -> tuple[str, str]:
    decisions = played.rehearsal.decisions
    keys = (key, *(pod.uid for pod in pods), *(pod.pod_group for pod in pods if pod.pod_group))
    refused = [
        decisions[k].diagnosis
        for k in keys
        if k in decisions and decisions[k].status not in ("scheduled", "waiting-on-permit")
    ]
    held = played.rehearsal.queue.contents.explain(key, now=played.rehearsal.now)
    if not refused and held is not None:
        return held.message, held.upstream_message
    if not refused:
        return "waits", ""
    return refused[0].message, refused[0].upstream_message
