"""What happens to objects beside pods, nodes and groups: first the cache, then the queue.

The queue is told what some plugin of kube-scheduler registers for, and no more: a pod that
failed for a reason of no plugin is tried again whenever it hears anything.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar

from kubegang.base.clock import Clock
from kubegang.client.informer import Informer
from kubegang.scheduler.framework.events import (
    Action,
    ClusterEvent,
    ClusterObject,
    EventResource,
)
from kubegang.scheduler.queue.board import Move
from kubegang.scheduler.queue.changes import label
from kubegang.scheduler.queue.queue import SchedulingQueue

ObjT = TypeVar("ObjT", bound=ClusterObject)


class ObjectEvents(Generic[ObjT]):
    """Handlers for informers whose objects the cache keeps as they are."""

    def __init__(
        self,
        told: Mapping[EventResource, Action],
        *,
        put: Callable[[ObjT], None],
        remove: Callable[[ObjT], None],
        queue: SchedulingQueue,
        clock: Clock,
        handled: Callable[[str, tuple[Move, ...], float], None],
        changed: Callable[[], None],
    ) -> None:
        """Set up.

        Args:
            told: what the queue is told of.
            put: lets the cache know an object; called first.
            remove: lets the cache forget one.
            queue: told next, of what may let pods in.
            clock: the time.
            handled: called after each event: its name, what moved, and how long it took.
            changed: called after each event, for pods that are being bound and wait for it.
        """
        self._told = told
        self._put = put
        self._remove = remove
        self._queue = queue
        self._clock = clock
        self._handled = handled
        self._changed = changed

    def follow(self, informer: Informer[Any], resource: EventResource) -> Informer[Any]:
        """Let an informer tell of its objects, and return it."""
        informer.add_handler(
            lambda obj: self.added(resource, obj),
            lambda old, new: self.updated(resource, old, new),
            lambda obj: self.deleted(resource, obj),
        )
        return informer

    def added(self, resource: EventResource, obj: ObjT) -> None:
        """Take over a new object."""
        self._put(obj)
        self.report(ClusterEvent(resource, Action.ADD), None, obj)

    def updated(self, resource: EventResource, old: ObjT, new: ObjT) -> None:
        """Take over what changed of an object."""
        self._put(new)
        self.report(ClusterEvent(resource, Action.UPDATE_OTHER), old, new)

    def deleted(self, resource: EventResource, obj: ObjT) -> None:
        """Forget an object."""
        self._remove(obj)
        self.report(ClusterEvent(resource, Action.DELETE), obj, None)

    def report(self, event: ClusterEvent, old: ObjT | None, new: ObjT | None) -> None:
        """Tell the queue, if it is to be told of such an event."""
        now = self._clock.steady()
        if self._told[event.resource] & event.actions:
            moves = self._queue.handle(event, old, new, now=now)
            self._handled(label(event), moves, self._clock.steady() - now)
        self._changed()
