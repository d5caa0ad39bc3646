"""One filled cache on which many suppositions are tried, each taken back afterwards.

Filling a cache with thousands of nodes takes longer than deciding about one group on it, so
the search for a change that helps works on one. Pure.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence

import msgspec

from kubegang.scheduler.cycle.decision import BindPod, Decision
from kubegang.scheduler.cycle.findings import Findings
from kubegang.scheduler.framework.pods import PodGroupInfo, PodGroupKey, PodInfo, PodUid
from kubegang.scheduler.framework.rng import Rng
from kubegang.scheduler.queue.entries import EntityKey
from kubegang.scheduler.queue.explaining import Waiting
from kubegang.scheduler.snapshot.snapshot import Snapshot
from kubegang.tools.cluster.edits import Edit, RemoveNode, RemovePod, SetGroup, SetNode, SetPod
from kubegang.tools.cluster.state import ClusterState
from kubegang.tools.rehearsal.deciders import Deciders
from kubegang.tools.rehearsal.filling import fill_cache
from kubegang.tools.rehearsal.rehearsal import Rehearsal


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What would become of an entity now.

    Attributes:
        decisions: one for a group or a pod; for members that are decided about one by one,
            theirs in turn.
        waiting: why nothing was decided: it is held outside the queue.
        bound: the pods that would be bound.
    """

    decisions: tuple[Decision, ...] = ()
    waiting: Waiting | None = None
    bound: frozenset[PodUid] = frozenset()

    @property
    def last(self) -> Decision | None:
        """The decision that tells most: the first that found no room, else the last."""
        refused = [d for d in self.decisions if d.status in ("unschedulable", "error")]
        return next(iter(refused or self.decisions[-1:]), None)


class Stage:
    """A cluster in which things can be supposed.

    Attributes:
        pods: those that wait for one of the schedulers, by uid; suppositions change them.
    """

    def __init__(
        self, state: ClusterState, deciders: Deciders, *, chance: Callable[[], Rng]
    ) -> None:
        """Fill the cache.

        Args:
            state: the cluster.
            deciders: what decides.
            chance: gives each attempt the same source of chance, so that only what is
                supposed makes a difference.
        """
        self.state = state
        self.deciders = deciders
        self._chance = chance
        self.cache, waiting = fill_cache(state, deciders.main, scheduler_names=deciders.names)
        self.pods: dict[PodUid, PodInfo] = {pod.uid: pod for pod in waiting}
        self._order = {pod.uid: position for position, pod in enumerate(waiting)}

    @property
    def snapshot(self) -> Snapshot:
        """The cluster as it is supposed to be."""
        return self.cache.snapshot()

    # --- asking --------------------------------------------------------------------------

    def members(self, key: EntityKey) -> list[PodInfo]:
        """Return the waiting pods of a pod or of a group, in the order of their creation."""
        if not isinstance(key, PodGroupKey):
            return [self.pods[key]] if key in self.pods else []
        leaves = {key, *self.cache.groups.leaf_groups(key)}
        found = [pod for pod in self.pods.values() if pod.pod_group in leaves]
        # Suppositions take pods out and put them back; that must not make them the youngest.
        return sorted(found, key=lambda pod: self._order[pod.uid])

    def root(self, key: PodGroupKey) -> PodGroupKey:
        """Return the top of a group's tree, as far as it is known."""
        root = self.cache.groups.root_of(key)
        return key if root is None else root.key

    def outcome(
        self, key: EntityKey, *, makes_room: bool = False, findings: Findings | None = None
    ) -> Outcome:
        """Return what the scheduler would decide about an entity now.

        Args:
            key: a pod, or the root of a group's tree.
            makes_room: whether it may evict others.
            findings: takes what it sees on its way.
        """
        rehearsal = Rehearsal(
            self.cache,
            self.deciders,
            now=self.state.taken,
            rng=self._chance(),
            makes_room=makes_room,
        )
        rehearsal.enqueue(self.members(key))
        if self._one_by_one(key):
            return _members_in_turn(rehearsal, key, findings)
        decision = rehearsal.attempt_next(findings)
        if decision is None:
            return Outcome(waiting=rehearsal.queue.contents.explain(key, now=self.state.taken))
        return Outcome(decisions=(decision,), bound=_bound_by(decision))

    def _one_by_one(self, key: EntityKey) -> bool:
        members = self.members(key)
        if not isinstance(key, PodGroupKey) or not members:
            return False
        profile = self.deciders.profile(members[0].scheduler_name)
        return profile.group_cycle == "member-by-member"

    # --- supposing -----------------------------------------------------------------------

    @contextlib.contextmanager
    def supposing(self, edits: Sequence[Edit]) -> Iterator[None]:
        """Let the cluster be otherwise inside the block."""
        undo: list[Edit] = []
        try:
            for edit in edits:
                undo.append(self._opposite(edit))
                self._apply(edit)
            yield
        finally:
            for edit in reversed(undo):
                self._apply(edit)

    def _opposite(self, edit: Edit) -> Edit:
        match edit:
            case SetNode(node):
                old = self.cache.node(node.name)
                return RemoveNode(node.name) if old is None else SetNode(old)
            case RemoveNode(name):
                known = self.cache.node(name)
                return RemoveNode(name) if known is None else SetNode(known)
            case SetPod(pod):
                return self._pod_as_it_is(pod.uid)
            case RemovePod(uid):
                return self._pod_as_it_is(uid)
            case SetGroup(group):
                was = self.cache.groups.pod_group(group.key)
                return SetGroup(_gone(group) if was is None else was)

    def _pod_as_it_is(self, uid: PodUid) -> Edit:
        known = self.cache.pod(uid)
        return RemovePod(uid) if known is None else SetPod(known.pod)

    def _apply(self, edit: Edit) -> None:
        match edit:
            case SetNode(node):
                self.cache.set_node(node)
            case RemoveNode(name):
                self.cache.remove_node(name)
            case SetPod(pod):
                self._set_pod(pod)
            case RemovePod(uid):
                self.cache.remove_pod(uid)
                self.pods.pop(uid, None)
            case SetGroup(group):
                if group.terminating and not group.uid:
                    self.cache.remove_pod_group(group.key)
                else:
                    self.cache.set_pod_group(group)

    def _set_pod(self, pod: PodInfo) -> None:
        known = self.cache.pod(pod.uid)
        if known is not None and (known.node or known.pod.pod_group != pod.pod_group):
            self.cache.remove_pod(pod.uid)
        self.cache.set_pod(pod)
        if not pod.node_name:
            self.pods[pod.uid] = pod
            self._order.setdefault(pod.uid, len(self._order))


def _gone(group: PodGroupInfo) -> PodGroupInfo:
    """Return the mark of a group that did not exist."""
    return msgspec.structs.replace(group, uid="", terminating=True)


def _bound_by(decision: Decision) -> frozenset[PodUid]:
    return frozenset(i.pod.uid for i in decision.instructions if isinstance(i, BindPod))


def _members_in_turn(rehearsal: Rehearsal, key: EntityKey, findings: Findings | None) -> Outcome:
    """Let members be tried one by one, each beside those before it, and take it all back."""
    decisions = rehearsal.attempt_all(findings)
    bound = frozenset(one.pod.uid for one in rehearsal.bound)
    waiting = None if decisions else rehearsal.queue.contents.explain(key, now=rehearsal.now)
    rehearsal.undo()
    return Outcome(decisions=decisions, waiting=waiting, bound=bound)
