"""Evicting preemption victims: say why on the pod, tell in an event, delete.

The victims of one preemption are told side by side, while other entities are decided about.
Whoever preempts them is held until all have been told, or one could not be; see the plugin
DefaultPreemption.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from kubegang.apimachinery.errors import ApiError, NotFoundError
from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.times import format_time
from kubegang.base.clock import Clock
from kubegang.base.logging import logger
from kubegang.client.interface import Client, UnreachableError
from kubegang.client.resources import PODS
from kubegang.scheduler.binder.dispatch import Dispatcher, Lane
from kubegang.scheduler.binder.events import EventRecorder
from kubegang.scheduler.binder.references import pod_reference
from kubegang.scheduler.cycle.decision import EvictPod
from kubegang.scheduler.framework.pods import PodInfo, PodUid
from kubegang.scheduler.queue.entries import EntityKey

_log = logger(__name__)


class Preemption(msgspec.Struct, kw_only=True):
    """The victims of one decision, being told to go.

    Attributes:
        preemptor: the pod or group for which they go.
        controller: the scheduler's name.
        related: what the events refer to beside the victim, if anything.
        started: when it began.
        left: how many have not been told yet.
        failed: one could not be told; the others are left alone then.
    """

    preemptor: EntityKey
    controller: str
    related: JsonObject | None
    started: float
    left: int
    failed: bool = False


class Evictor:
    """Evicts pods through the dispatcher, and says when all of a preemption have been told."""

    def __init__(
        self,
        client: Client,
        dispatcher: Dispatcher,
        *,
        events: EventRecorder,
        clock: Clock,
        ended: Callable[[Preemption], None],
        give_up: Callable[[PodUid], bool],
        has_node: Callable[[PodUid], bool],
    ) -> None:
        """Set up.

        Args:
            client: where to evict.
            dispatcher: makes the calls.
            events: writes events.
            clock: for times.
            ended: called when all victims of a preemption have been told.
            give_up: takes a pod's node away if it is not bound yet, and returns whether it
                could; such a pod need not be deleted.
            has_node: whether a pod still has a node; it need not go a second time if it lost
                that to another preemptor.
        """
        self._client = client
        self._dispatcher = dispatcher
        self._events = events
        self._clock = clock
        self._ended = ended
        self._give_up = give_up
        self._has_node = has_node

    def preempt(
        self,
        preemptor: EntityKey,
        evictions: Sequence[EvictPod],
        *,
        controller: str,
        related: JsonObject | None = None,
    ) -> None:
        """Make pods go.

        Args:
            preemptor: for which pod or group.
            evictions: the victims, and what is to be said.
            controller: the scheduler's name.
            related: what the events refer to beside the victim.
        """
        preemption = Preemption(
            preemptor=preemptor,
            controller=controller,
            related=related,
            started=self._clock.steady(),
            left=len(evictions),
        )
        for eviction in evictions:
            self._submit(preemption, eviction)

    def _submit(self, preemption: Preemption, eviction: EvictPod) -> None:
        async def act() -> None:
            if not preemption.failed:
                await self._evict(preemption, eviction)
            preemption.left -= 1
            if not preemption.left:
                self._ended(preemption)

        # Not the pod's own key: a binding of it that still waits must not be dropped for this.
        # Nor one for all preemptors: each is held until its own call was made.
        key = ("evict", preemption.preemptor, eviction.pod.uid)
        self._dispatcher.submit(key, act, lane=Lane.BIND)

    async def _evict(self, preemption: Preemption, eviction: EvictPod) -> None:
        pod = eviction.pod
        if not self._has_node(pod.uid):
            return
        try:
            if not self._give_up(pod.uid):
                await self._mark_and_delete(pod, eviction.condition_message)
        except NotFoundError:
            return
        except (ApiError, UnreachableError) as error:
            _log.warning("pod not evicted", pod=pod.key, error=str(error))
            preemption.failed = True
            return
        self._events.record(
            pod_reference(pod),
            type="Normal",
            reason="Preempted",
            action="Preempting",
            note=eviction.message,
            controller=preemption.controller,
            related=preemption.related,
            repeats=False,
        )

    async def _mark_and_delete(self, pod: PodInfo, condition_message: str) -> None:
        condition: JsonObject = {
            "type": "DisruptionTarget",
            "status": "True",
            "reason": "PreemptionByScheduler",
            "message": condition_message,
            "observedGeneration": pod.generation,
            "lastProbeTime": None,
            "lastTransitionTime": format_time(self._clock.now()),
        }
        patch = {"metadata": {"uid": pod.uid}, "status": {"conditions": [condition]}}
        await self._client.patch(
            PODS, pod.name, pod.namespace, patch=patch, patch_type="strategic", subresource="status"
        )
        await self._client.delete(PODS, pod.name, pod.namespace, precondition_uid=pod.uid)
