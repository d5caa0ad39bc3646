"""What is written into the status of pods and pod groups: conditions and nominations.

Only changes are written, as strategic merge patches. What was written last is remembered,
since the informer shows it a moment later; a newer patch for the same object takes the
older one's wish along if that was not sent yet.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from typing import Final, NamedTuple

import msgspec

from kubegang.apimachinery.errors import ApiError, NotFoundError
from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.times import format_time
from kubegang.base.clock import Clock
from kubegang.base.logging import logger
from kubegang.client.interface import Client, Resource, UnreachableError
from kubegang.client.resources import PODGROUPS, PODS
from kubegang.scheduler.binder.dispatch import Dispatcher, Lane
from kubegang.scheduler.framework.pods import PodGroupInfo, PodInfo, PodUid

REMEMBERED: Final = 20_000
"""Objects whose last written status is remembered; a forgotten one costs a second write."""

_log = logger(__name__)


class Condition(NamedTuple):
    """What a condition says, apart from its type and times."""

    status: str
    reason: str
    message: str


class _PodWish(msgspec.Struct, frozen=True):
    """What is to be written into a pod's status; ``None`` leaves it alone."""

    pod: PodInfo
    condition: Condition | None = None
    nominated: str | None = None


class _Written(msgspec.Struct, frozen=True):
    """What was written last, and (pods) of which kind it was."""

    condition: Condition | None = None
    nominated: str | None = None


class StatusWriter:
    """Writes statuses through the dispatcher; failures are logged and end there.

    A failed write needs no retry of its own: the object is attempted again, and its status
    with it.
    """

    def __init__(
        self,
        client: Client,
        dispatcher: Dispatcher,
        *,
        clock: Clock,
        group_condition: str,
        pod_groups: Resource = PODGROUPS,
    ) -> None:
        """Set up.

        Args:
            client: where to write.
            dispatcher: makes the calls.
            clock: the times in conditions.
            group_condition: the type of the scheduling condition on pod groups.
            pod_groups: in which API version they are written.
        """
        self._client = client
        self._dispatcher = dispatcher
        self._clock = clock
        self._group_condition = group_condition
        self._pod_groups = pod_groups
        self._wishes: dict[PodUid, _PodWish] = {}
        self._written: OrderedDict[str, _Written] = OrderedDict()

    def set_pod_condition(self, pod: PodInfo, condition: Condition) -> None:
        """Write PodScheduled, unless it says so already."""
        self._wish(_PodWish(pod, condition=condition))

    def nominate(self, pod: PodInfo, node: str) -> None:
        """Write nominatedNodeName; empty clears it."""
        self._wish(_PodWish(pod, nominated=node))

    def discard(self, uid: PodUid) -> None:
        """Forget what is to be written about a pod: it is about to be bound."""
        self._wishes.pop(uid, None)

    def set_group_condition(self, group: PodGroupInfo, condition: Condition) -> None:
        """Write the group's scheduling condition; once True, it never becomes False again.

        Where groups have no objects (1.35) nothing is written.
        """
        if not self._group_condition:
            return
        written = self._written.get(group.uid)
        known = written.condition if written else _condition(group.initially_scheduled)
        was_scheduled = known is not None and known.status == "True"
        if known == condition or (was_scheduled and condition.status != "True"):
            return
        entry: JsonObject = {"type": self._group_condition, **condition._asdict()}
        if known is None or known.status != condition.status:
            entry["lastTransitionTime"] = format_time(self._clock.now())
        self._remember(group.uid, _Written(condition=condition))

        async def write() -> None:
            await self._write_group(group, entry)

        self._dispatcher.submit(group.uid, write, lane=Lane.STATUS)

    def _wish(self, wish: _PodWish) -> None:
        uid = wish.pod.uid
        older = self._wishes.get(uid)
        if older is not None:
            wish = _PodWish(
                wish.pod,
                condition=wish.condition or older.condition,
                nominated=older.nominated if wish.nominated is None else wish.nominated,
            )
        if not self._pod_status(wish):
            self._wishes.pop(uid, None)
            return
        self._wishes[uid] = wish
        self._dispatcher.submit(uid, self._pod_writer(uid), lane=Lane.STATUS)

    def _pod_writer(self, uid: PodUid) -> Callable[[], Awaitable[None]]:
        async def write() -> None:
            wish = self._wishes.pop(uid, None)
            status = self._pod_status(wish) if wish else None
            if wish and status:
                await self._write_pod(wish, status)

        return write

    def _pod_status(self, wish: _PodWish) -> JsonObject:
        """Return what differs from what the pod's status says now."""
        pod, written = wish.pod, self._written.get(wish.pod.uid)
        known = written.condition if written and written.condition else _condition(pod.condition)
        nominated = (
            written.nominated
            if written and written.nominated is not None
            else pod.nominated_node_name
        )
        status: JsonObject = {}
        if wish.nominated is not None and wish.nominated != nominated:
            status["nominatedNodeName"] = wish.nominated or None
        if wish.condition is not None and wish.condition != known:
            entry: JsonObject = {
                "type": "PodScheduled",
                "observedGeneration": pod.generation,
                "lastProbeTime": None,
                **wish.condition._asdict(),
            }
            if known is None or known.status != wish.condition.status:
                entry["lastTransitionTime"] = format_time(self._clock.now())
            status["conditions"] = [entry]
        return status

    async def _write_pod(self, wish: _PodWish, status: JsonObject) -> None:
        pod = wish.pod
        # The uid keeps the patch from another pod of the same name.
        patch = {"metadata": {"uid": pod.uid}, "status": status}
        if not await self._patch(PODS, pod.name, pod.namespace, patch=patch):
            return
        older = self._written.get(pod.uid, _Written())
        self._remember(
            pod.uid,
            _Written(
                condition=wish.condition or older.condition,
                nominated=older.nominated if wish.nominated is None else wish.nominated,
            ),
        )

    async def _write_group(self, group: PodGroupInfo, entry: JsonObject) -> None:
        key = group.key
        patch = {"status": {"conditions": [entry]}}
        if not await self._patch(self._pod_groups, key.name, key.namespace, patch=patch):
            self._written.pop(group.uid, None)

    async def _patch(
        self, resource: Resource, name: str, namespace: str, *, patch: JsonObject
    ) -> bool:
        try:
            await self._client.patch(
                resource, name, namespace, patch=patch, patch_type="strategic", subresource="status"
            )
        except NotFoundError:
            return False
        except (ApiError, UnreachableError) as error:
            _log.warning(
                "status not written",
                kind=resource.kind,
                object=f"{namespace}/{name}",
                error=str(error),
            )
            return False
        return True

    def _remember(self, key: Hashable, written: _Written) -> None:
        self._written[str(key)] = written
        self._written.move_to_end(str(key))
        if len(self._written) > REMEMBERED:
            self._written.popitem(last=False)


def _condition(seen: tuple[str, str, str] | None) -> Condition | None:
    return Condition(*seen) if seen is not None else None
