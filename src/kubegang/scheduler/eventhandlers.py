"""What the scheduler makes of each informer event: first the cache, then the queue.

The cache is told first, since the queue asks it how many pods a group has. A pod belongs to
this scheduler while it has no node and names one of its profiles; pods with a node count
whoever bound them. Finished pods do not exist here.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Protocol

import msgspec

from kubegang.base.clock import Clock
from kubegang.scheduler.cache.cache import Cache
from kubegang.scheduler.framework.events import ClusterEvent, ClusterObject
from kubegang.scheduler.framework.nodes import NodeInfo
from kubegang.scheduler.framework.pods import NodeName, PodGroupInfo, PodInfo, PodUid
from kubegang.scheduler.queue.board import Move
from kubegang.scheduler.queue.changes import (
    ASSIGNED_POD_ADD,
    ASSIGNED_POD_DELETE,
    COMPOSITE_ADD,
    COMPOSITE_DELETE,
    NODE_ADD,
    NODE_DELETE,
    POD_GROUP_ADD,
    POD_GROUP_DELETE,
    UNSCHEDULED_POD_ADD,
    UNSCHEDULED_POD_DELETE,
    UNSCHEDULED_POD_UPDATE,
    label,
    node_changes,
    pod_changes,
    pod_group_changes,
)
from kubegang.scheduler.queue.queue import SchedulingQueue

Handled = Callable[[str, tuple[Move, ...], float], None]
"""Called after each event: its name, what moved in the queue, and how long it took."""


class PodEvents(Protocol):
    """Whoever is told about pods."""

    def pod_added(self, pod: PodInfo) -> None:
        """See a new pod."""
        ...

    def pod_updated(self, old: PodInfo, new: PodInfo) -> None:
        """See a newer form of a pod."""
        ...

    def pod_deleted(self, pod: PodInfo) -> None:
        """See that a pod is gone."""
        ...


class BindingWatch(Protocol):
    """Whoever brings pods to their nodes, and must know when there is no point in it."""

    def pod_gone(self, uid: PodUid) -> None:
        """Learn that a pod was deleted, is being deleted, or was bound by somebody else."""
        ...

    def node_gone(self, node: NodeName) -> None:
        """Learn that a node was deleted."""
        ...


class EventHandlers:
    """Handlers for the informers of pods, nodes and pod groups."""

    def __init__(
        self,
        cache: Cache,
        queue: SchedulingQueue,
        *,
        scheduler_names: Collection[str],
        clock: Clock,
        handled: Handled,
        binding: BindingWatch,
    ) -> None:
        self._cache = cache
        self._queue = queue
        self._names = frozenset(scheduler_names)
        self._clock = clock
        self._handled = handled
        self._binding = binding

    # --- pods ----------------------------------------------------------------------------

    def pod_added(self, pod: PodInfo) -> None:
        """Count a pod that has a node, or queue it if it is ours to schedule."""
        if pod.finished:
            return
        now = self._clock.steady()
        if pod.node_name:
            self._cache.set_pod(pod)
            self._report(ASSIGNED_POD_ADD, None, pod, now=now)
        elif pod.scheduler_name in self._names:
            self._cache.set_pod(pod)
            moves = self._queue.add_pod(pod, now=now)
            self._report(UNSCHEDULED_POD_ADD, None, pod, now=now, moves=moves)

    def pod_updated(self, old: PodInfo, new: PodInfo) -> None:
        """Follow a pod: bound, changed, finished, or replaced by one of the same name."""
        if old.uid != new.uid:
            self.pod_deleted(old)
            self.pod_added(new)
        elif new.finished:
            self.pod_deleted(new)
        elif old.node_name:
            self._assigned_pod_updated(old, new)
        elif new.node_name:
            self._pod_bound(new)
        elif old.resource_version != new.resource_version:
            self._unscheduled_pod_updated(old, new)

    def pod_deleted(self, pod: PodInfo) -> None:
        """Stop counting a pod, or take it out of the queue."""
        now = self._clock.steady()
        moves: tuple[Move, ...] = ()
        queued = pod.scheduler_name in self._names
        goes_first = queued and self._queue.goes_before_it_is_uncounted(pod)
        if goes_first:
            moves = self._queue.delete_pod(pod, now=now)
        known = self._cache.remove_pod(pod.uid)
        self._binding.pod_gone(pod.uid)
        if queued and not goes_first:
            moves = self._queue.delete_pod(pod, now=now)
        # A pod that was promised a node frees that promise.
        if known is not None and known.node:
            pod = msgspec.structs.replace(pod, node_name=known.node)
        if pod.node_name:
            self._report(ASSIGNED_POD_DELETE, pod, None, now=now, moves=moves)
        elif pod.nominated_node_name:
            self._report_freed_promise(pod, now=now, moves=moves)
        else:
            self._handled(UNSCHEDULED_POD_DELETE, moves, self._clock.steady() - now)

    def _assigned_pod_updated(self, old: PodInfo, new: PodInfo) -> None:
        now = self._clock.steady()
        self._cache.set_pod(new)
        self._report(ClusterEvent("AssignedPod", pod_changes(old, new)), old, new, now=now)

    def _pod_bound(self, pod: PodInfo) -> None:
        now = self._clock.steady()
        self._cache.set_pod(pod)
        moves: tuple[Move, ...] = ()
        if pod.scheduler_name in self._names:
            self._binding.pod_gone(pod.uid)
            # Usually it left the queue when it was assumed; but somebody else may bind it.
            moves = self._queue.delete_pod(pod, now=now)
        self._report(ASSIGNED_POD_ADD, None, pod, now=now, moves=moves)

    def _unscheduled_pod_updated(self, old: PodInfo, new: PodInfo) -> None:
        if new.scheduler_name not in self._names:
            return
        now = self._clock.steady()
        if not self._cache.is_assumed(new.uid):
            self._cache.set_pod(new)
            moves = self._queue.update_pod(new, now=now)
            self._handled(UNSCHEDULED_POD_UPDATE, moves, self._clock.steady() - now)
            if old.nominated_node_name and old.nominated_node_name != new.nominated_node_name:
                self._report_freed_promise(old, now=now)
        elif new.terminating and not old.terminating:
            # Its binding will fail or come to nothing; others need not wait for that.
            known = self._cache.remove_pod(new.uid)
            self._binding.pod_gone(new.uid)
            moves = self._queue.delete_pod(new, now=now)
            freed = msgspec.structs.replace(new, node_name=known.node) if known else new
            self._report(ASSIGNED_POD_DELETE, freed, None, now=now, moves=moves)
        else:
            self._cache.set_pod(new)

    # --- nodes ---------------------------------------------------------------------------

    def node_added(self, node: NodeInfo) -> None:
        """Count a new node's room."""
        now = self._clock.steady()
        self._cache.set_node(node)
        self._report(NODE_ADD, None, node, now=now)

    def node_updated(self, old: NodeInfo, new: NodeInfo) -> None:
        """Take over what changed of a node; heartbeats change nothing."""
        if old.same_for_scheduling(new):
            return
        now = self._clock.steady()
        self._cache.set_node(new)
        changes = node_changes(old, new)
        if changes:
            self._report(ClusterEvent("Node", changes), old, new, now=now)

    def node_deleted(self, node: NodeInfo) -> None:
        """Stop counting a node."""
        now = self._clock.steady()
        self._cache.remove_node(node.name)
        self._binding.node_gone(node.name)
        self._report(NODE_DELETE, node, None, now=now)

    # --- pod groups, composite ones too --------------------------------------------------

    def pod_group_added(self, group: PodGroupInfo) -> None:
        """Let the members go on that waited for their group's object."""
        now = self._clock.steady()
        self._cache.set_pod_group(group)
        moves = self._queue.add_pod_group(group, now=now)
        event = COMPOSITE_ADD if group.is_composite else POD_GROUP_ADD
        self._report(event, None, group, now=now, moves=moves)

    def pod_group_updated(self, old: PodGroupInfo, new: PodGroupInfo) -> None:
        """Take over a group's object; a smaller minimum may let its members go on."""
        if old.uid != new.uid:
            self.pod_group_deleted(old)
            self.pod_group_added(new)
            return
        if old.resource_version == new.resource_version:
            return
        now = self._clock.steady()
        self._cache.set_pod_group(new)
        self._queue.update_pod_group(new)
        event = ClusterEvent(new.key.kind, pod_group_changes(old, new))
        self._report(event, old, new, now=now)

    def pod_group_deleted(self, group: PodGroupInfo) -> None:
        """Let the waiting members wait for the object to come back."""
        now = self._clock.steady()
        self._cache.remove_pod_group(group.key)
        moves = self._queue.delete_pod_group(group.key, now=now)
        event = COMPOSITE_DELETE if group.is_composite else POD_GROUP_DELETE
        self._report(event, group, None, now=now, moves=moves)

    # --- Workloads whose entries are groups (1.35) ---------------------------------------

    def workload_known(self, namespace: str, name: str) -> None:
        """Note that a Workload exists; its groups are told like any others."""
        self._cache.groups.set_workload(namespace, name)

    def workload_forgotten(self, namespace: str, name: str) -> None:
        """Note that a Workload does not exist any more."""
        self._cache.groups.remove_workload(namespace, name)

    # --- steps ---------------------------------------------------------------------------

    def _report_freed_promise(
        self, pod: PodInfo, *, now: float, moves: tuple[Move, ...] = ()
    ) -> None:
        """Tell the queue that a node is promised to a pod no more.

        Stronger pods took no notice of the promise, so they are not helped; equal ones are
        (measured on 1.37.2).
        """
        self._report(ASSIGNED_POD_DELETE, pod, None, now=now, moves=moves, strongest=pod.priority)

    def _report(
        self,
        event: ClusterEvent,
        old: ClusterObject | None,
        new: ClusterObject | None,
        *,
        now: float,
        moves: tuple[Move, ...] = (),
        strongest: int | None = None,
    ) -> None:
        """Tell the queue what happened, and whoever listens what followed."""
        moves += self._queue.handle(event, old, new, now=now, strongest=strongest)
        self._handled(label(event), moves, self._clock.steady() - now)
