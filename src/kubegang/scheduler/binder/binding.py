"""Binding: the act that makes a decision true, and its undo.

A refused binding is taken back: the pod counts on no node any more and is queued again.
Where the answer got lost, the API is asked what became of the pod until it says so;
meanwhile the pod goes on counting on its node, so that nothing is given away twice.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import msgspec

from kubegang.apimachinery.errors import ApiError, ConflictError, NotFoundError
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.clock import Clock
from kubegang.base.logging import logger
from kubegang.client.interface import Client, UnreachableError
from kubegang.client.resources import PODS
from kubegang.scheduler.binder.dispatch import Dispatcher, Lane
from kubegang.scheduler.cache.cache import Cache
from kubegang.scheduler.cache.states import PodState
from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.entities import QueuedPodInfo
from kubegang.scheduler.framework.pods import NodeName
from kubegang.scheduler.runtime.framework import Framework

FIRST_DELAY_SECONDS: Final = 1.0
LONGEST_DELAY_SECONDS: Final = 30.0

_log = logger(__name__)


class Binding(msgspec.Struct, frozen=True):
    """A pod to be bound.

    Attributes:
        queued: its queue record, needed if it has to be queued again.
        started: when the attempt began, for metrics.
        framework: the plugins of its profile.
        state: the notes of its attempt.
    """

    queued: QueuedPodInfo
    node: NodeName
    started: float
    framework: Framework
    state: CycleState


class BindingFailed(msgspec.Struct, frozen=True):
    """A binding that did not happen.

    Attributes:
        error: why, as the API says it.
        is_pending: whether the pod still waits for a node, as far as is known.
    """

    binding: Binding
    error: str
    is_pending: bool


class PodBinder:
    """Binds pods through the dispatcher and reports how each ended."""

    def __init__(
        self,
        client: Client,
        dispatcher: Dispatcher,
        *,
        cache: Cache,
        clock: Clock,
        bound: Callable[[Binding], None],
        failed: Callable[[BindingFailed], None],
    ) -> None:
        """Set up.

        Args:
            client: where to bind.
            dispatcher: makes the calls.
            cache: asked whether the informer knows more than a lost answer.
            clock: pauses between questions after a lost answer.
            bound: called for each success.
            failed: called for each failure.
        """
        self._client = client
        self._dispatcher = dispatcher
        self._cache = cache
        self._clock = clock
        self._bound = bound
        self._failed = failed

    def start(self, binding: Binding) -> None:
        """Bind an assumed pod as soon as a call may be made."""

        async def bind() -> None:
            await self._bind(binding)

        self._dispatcher.submit(binding.queued.pod.uid, bind, lane=Lane.BIND)

    async def _bind(self, binding: Binding) -> None:
        pod = binding.queued.pod
        try:
            await self._client.create(
                PODS, binding_object(binding), pod.namespace, subresource="binding", name=pod.name
            )
        except ConflictError as error:
            # Also the answer to a binding that was made although its answer got lost.
            await self._settle(binding, error)
        except ApiError as error:
            if error.code >= 500:
                await self._settle(binding, error)
            else:
                is_pending = not isinstance(error, NotFoundError)
                self._failed(BindingFailed(binding, str(error), is_pending))
        except UnreachableError as error:
            await self._settle(binding, error)
        else:
            self._bound(binding)

    async def _settle(self, binding: Binding, error: Exception) -> None:
        """Find out where the pod is, and end the binding accordingly."""
        pod, delay = binding.queued.pod, FIRST_DELAY_SECONDS
        node = self._known_node(binding)
        while node is None:
            try:
                node = await self._read_node(binding)
            except NotFoundError:
                self._failed(BindingFailed(binding, str(error), is_pending=False))
                return
            except (ApiError, UnreachableError) as unanswered:
                _log.warning("pod state unknown", pod=pod.key, error=str(unanswered))
                await self._clock.sleep(delay)
                delay = min(2 * delay, LONGEST_DELAY_SECONDS)
                node = self._known_node(binding)
        if node == binding.node:
            self._bound(binding)
        else:
            self._failed(BindingFailed(binding, str(error), is_pending=not node))

    def _known_node(self, binding: Binding) -> str | None:
        """Return the node that the informer has shown meanwhile, or ``None``."""
        known = self._cache.pod(binding.queued.pod.uid)
        return known.node if known is not None and known.state is PodState.BOUND else None

    async def _read_node(self, binding: Binding) -> str:
        """Return the pod's node by the API, empty if it has none.

        Raises:
            NotFoundError: the pod is gone, or is another one of the same name.
        """
        pod = binding.queued.pod
        found = await self._client.get(PODS, pod.name, pod.namespace)
        if found["metadata"]["uid"] != pod.uid:
            raise NotFoundError(f'pods "{pod.name}" was replaced by another pod of that name')
        node: str = found["spec"].get("nodeName") or ""
        return node


def binding_object(binding: Binding) -> JsonObject:
    """Return the body of POST pods/binding."""
    pod = binding.queued.pod
    return {
        "apiVersion": "v1",
        "kind": "Binding",
        "metadata": {"name": pod.name, "namespace": pod.namespace, "uid": pod.uid},
        "target": {"kind": "Node", "name": binding.node},
    }
