"""News of pods, told to those whose pods they are."""

from __future__ import annotations

from collections.abc import Callable

from kubegang.apimachinery.objects import JsonObject
from kubegang.client.informer import Informer
from kubegang.controllers.job.expectations import Expectations
from kubegang.controllers.owners import controller_of
from kubegang.controllers.workloads.availability import is_going
from kubegang.controllers.workloads.claiming import Claims
from kubegang.controllers.workloads.objects import Key, labels_of, uid_of


class PodNews:
    """Follows pods for the owners of one kind."""

    def __init__(
        self,
        pods: Informer[JsonObject],
        *,
        claims: Claims,
        expectations: Expectations,
        enqueue: Callable[[Key], None],
    ) -> None:
        self._claims = claims
        self._expectations = expectations
        self._enqueue = enqueue
        pods.add_handler(on_add=self._added, on_update=self._updated, on_delete=self._gone)

    def _added(self, pod: JsonObject) -> None:
        controller = controller_of(pod)
        if controller is not None:
            self._expectations.saw_created(controller["uid"], uid_of(pod))
        self._changed(pod)

    def _updated(self, old: JsonObject, new: JsonObject) -> None:
        lost = controller_of(old) != controller_of(new)
        if lost:
            # Whoever had it before misses it now.
            self._tell_owners(old)
        if lost or controller_of(new) is not None or labels_of(old) != labels_of(new):
            self._changed(new)

    def _changed(self, pod: JsonObject) -> None:
        controller = controller_of(pod)
        if controller is not None and is_going(pod):
            self._expectations.saw_deleted(controller["uid"], uid_of(pod))
        self._tell_owners(pod)

    def _gone(self, pod: JsonObject) -> None:
        controller = controller_of(pod)
        if controller is None:
            return
        self._expectations.saw_deleted(controller["uid"], uid_of(pod))
        self._tell_owners(pod)

    def _tell_owners(self, pod: JsonObject) -> None:
        for key in self._claims.owners_of(pod):
            self._enqueue(key)
