"""One look at one StatefulSet: which of its pods to make, to wait for, to delete.

    1. each ordinal has a pod that works, in their order      _raise
    2. pods beyond the last ordinal go, the last one first    _condemn
    3. pods of the revision before go, as the strategy says   _renew

With ``podManagementPolicy: OrderedReady`` each step waits for the one before; with
``Parallel`` only pods that are not there yet are waited for.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from kubegang.apimachinery.objects import JsonObject
from kubegang.controllers.revisions.data import restored, revision_of_pod
from kubegang.controllers.statefulset.identity import (
    has_identity,
    has_storage,
    new_pod,
    ordinal_of,
    ordinals,
)
from kubegang.controllers.statefulset.podcontrol import StatefulPods
from kubegang.controllers.statefulset.status import is_running_and_ready, is_unavailable
from kubegang.controllers.workloads.amounts import amount_of
from kubegang.controllers.workloads.availability import (
    has_ended,
    is_available,
    is_going,
    min_ready_seconds,
    phase,
)
from kubegang.controllers.workloads.objects import name_of, replicas_of

LARGEST_BATCH = 500

Step = Callable[[JsonObject], Awaitable[bool]]
"""Works on one pod; returns whether nothing more can be done now if pods take turns."""


class Update:
    """A set, its revisions and its pods.

    Attributes:
        deleted: how many pods of the revision before were deleted to be made anew.
    """

    def __init__(
        self,
        stateful_set: JsonObject,
        found: Sequence[JsonObject],
        *,
        current: JsonObject,
        update: JsonObject,
        actions: StatefulPods,
        allows_several: bool,
        now: float,
    ) -> None:
        """Begin.

        Args:
            stateful_set: the set.
            found: its pods.
            current: the revision that it comes from.
            update: the revision that it goes to.
            actions: the API.
            allows_several: whether ``rollingUpdate.maxUnavailable`` counts (the gate
                MaxUnavailableStatefulSet).
            now: seconds since the epoch.
        """
        self.deleted = 0
        self._set = stateful_set
        self._update_set = restored(stateful_set, update)
        self._update = name_of(update)
        self._actions = actions
        self._allows_several = allows_several
        self._now = now
        self._in_turn = stateful_set["spec"].get("podManagementPolicy") != "Parallel"
        by_ordinal = {ordinal_of(pod): pod for pod in found}
        current_set, wanted = restored(stateful_set, current), ordinals(stateful_set)
        self._replicas = [
            by_ordinal.get(ordinal)
            or new_pod(
                current_set,
                self._update_set,
                current=name_of(current),
                update=self._update,
                ordinal=ordinal,
            )
            for ordinal in wanted
        ]
        beyond = [pod for pod in found if ordinal_of(pod) >= 0 and ordinal_of(pod) not in wanted]
        self._condemned = sorted(beyond, key=ordinal_of, reverse=True)
        ordered = [*self._replicas, *reversed(self._condemned)]
        self._first_unavailable = next((pod for pod in ordered if self._is_unavailable(pod)), None)

    @property
    def pods(self) -> list[JsonObject]:
        """All pods, those that are only planned as well."""
        return [*self._replicas, *self._condemned]

    async def run(self) -> None:
        """Do what can be done now.

        Raises:
            ApiError: something was refused.
        """
        if is_going(self._set):
            return
        for pods, step in (
            (self._replicas, self._raise),
            (self._condemned, self._fix_claims),
            (self._condemned, self._condemn),
        ):
            if await self._work(pods, step):
                return
        if self._set["spec"]["updateStrategy"]["type"] != "RollingUpdate":
            return
        if self._allows_several:
            await self._renew_several()
        else:
            await self._renew_one()

    async def _work(self, pods: Sequence[JsonObject], step: Step) -> bool:
        """Work on pods one by one, or on all; return whether that is all for now."""
        if self._in_turn:
            for pod in pods:
                if await step(pod):
                    return True
            return False
        begun, size = 0, 1
        while begun < len(pods):
            batch = pods[begun : begun + size]
            results = await asyncio.gather(*map(step, batch), return_exceptions=True)
            for result in results:
                if isinstance(result, BaseException):
                    raise result
            begun += len(batch)
            size = min(2 * size, LARGEST_BATCH)
        return False

    async def _raise(self, pod: JsonObject) -> bool:
        """Bring one replica a step further; return whether the next ones have to wait."""
        if has_ended(pod):
            if not is_going(pod):
                await self._actions.delete(self._set, pod)
            return True
        if not phase(pod):
            if self._actions.is_blocked(self._set, pod):
                return True
            await self._actions.create(self._set, pod)
            return True
        if phase(pod) == "Pending":
            await self._actions.create_claims(self._set, pod)
            await self._actions.own_claims(self._set, pod)
        if self._in_turn and not self._is_done(pod):
            return True
        is_whole = has_identity(self._set, pod) and has_storage(self._set, pod)
        if not is_whole or not self._actions.owns_claims(self._update_set, pod):
            await self._actions.correct(self._update_set, pod)
        return False

    def _is_done(self, pod: JsonObject) -> bool:
        return not is_going(pod) and is_running_and_ready(pod) and self._is_available(pod)

    async def _fix_claims(self, pod: JsonObject) -> bool:
        if not self._actions.owns_claims(self._update_set, pod):
            await self._actions.own_claims(self._update_set, pod)
        return False

    async def _condemn(self, pod: JsonObject) -> bool:
        if is_going(pod):
            return True
        works = is_running_and_ready(pod) and self._is_available(pod)
        if not works and self._in_turn and pod is not self._first_unavailable:
            return True
        await self._actions.delete(self._set, pod)
        return True

    # Renewing

    async def _renew_one(self) -> None:
        """Delete the last pod of the revision before, once those after it are available."""
        for pod in reversed(self._replicas[self._partition() :]):
            if self._is_old(pod) and not is_going(pod):
                await self._renew(pod)
                return
            if self._is_unavailable(pod):
                return

    async def _renew_several(self) -> None:
        """Delete pods of the revision before, as many as may be unavailable."""
        unavailable = sum(1 for pod in self._replicas if self._is_unavailable(pod))
        room = self._most_unavailable() - unavailable
        old = [
            pod
            for pod in reversed(self._replicas[self._partition() :])
            if self._is_old(pod) and not is_going(pod)
        ]
        if self._in_turn:
            chosen = old[: max(0, room)]
        else:
            # Those that do not work anyway cost nothing.
            broken = [pod for pod in old if not self._is_available(pod)]
            works = [pod for pod in old if self._is_available(pod)]
            chosen = broken + works[: max(0, room)]
        for pod in chosen:
            await self._renew(pod)

    async def _renew(self, pod: JsonObject) -> None:
        await self._actions.delete(self._set, pod)
        self.deleted += 1

    def _is_old(self, pod: JsonObject) -> bool:
        return revision_of_pod(pod) != self._update

    def _partition(self) -> int:
        return int(self._rolling().get("partition") or 0)

    def _most_unavailable(self) -> int:
        asked = self._rolling().get("maxUnavailable", 1)
        return max(1, amount_of(asked, replicas_of(self._set), round_up=False))

    def _rolling(self) -> JsonObject:
        rolling: JsonObject = self._set["spec"]["updateStrategy"].get("rollingUpdate") or {}
        return rolling

    def _is_available(self, pod: JsonObject) -> bool:
        seconds = min_ready_seconds(self._set)
        return is_available(pod, min_ready_seconds=seconds, now=self._now)

    def _is_unavailable(self, pod: JsonObject) -> bool:
        return is_unavailable(self._set, pod, self._now)
