"""Evicting preemption victims: say why on the pod, tell in an event, delete."""

from __future__ import annotations

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
from kubegang.scheduler.framework.pods import PodInfo

_log = logger(__name__)


class Evictor:
    """Evicts pods through the dispatcher; a failure is logged, the next attempt tries again."""

    def __init__(
        self, client: Client, dispatcher: Dispatcher, *, events: EventRecorder, clock: Clock
    ) -> None:
        self._client = client
        self._dispatcher = dispatcher
        self._events = events
        self._clock = clock

    def evict(self, pod: PodInfo, *, message: str, condition_message: str, controller: str) -> None:
        """Make a pod go.

        Args:
            pod: the victim.
            message: the event's text.
            condition_message: the text of the condition DisruptionTarget.
            controller: the scheduler's name.
        """

        async def act() -> None:
            if await self._mark_and_delete(pod, condition_message):
                self._events.record(
                    pod_reference(pod),
                    type="Normal",
                    reason="Preempted",
                    action="Preempting",
                    note=message,
                    controller=controller,
                )

        self._dispatcher.submit(pod.uid, act, lane=Lane.BIND)

    async def _mark_and_delete(self, pod: PodInfo, condition_message: str) -> bool:
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
        try:
            await self._client.patch(
                PODS,
                pod.name,
                pod.namespace,
                patch=patch,
                patch_type="strategic",
                subresource="status",
            )
            await self._client.delete(PODS, pod.name, pod.namespace, precondition_uid=pod.uid)
        except NotFoundError:
            return False
        except (ApiError, UnreachableError) as error:
            _log.warning("pod not evicted", pod=pod.key, error=str(error))
            return False
        return True
