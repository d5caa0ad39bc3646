"""Takes finalizers off claims that no pod uses, and off volumes that are not bound.

Bound claims also say in a condition whether any pod names them (1.37, KEP-5541).

The API server puts finalizers on. A pod counts once it has a node, even when it has ended; its
ephemeral volumes, whose claims go with it, only until then (measured on 1.37.2).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from kubegang.apimachinery.errors import NotFoundError
from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.times import format_time
from kubegang.base.clock import Clock
from kubegang.client.informer import Informer
from kubegang.client.interface import Client
from kubegang.client.resources import PERSISTENTVOLUMECLAIMS, PERSISTENTVOLUMES
from kubegang.client.workers import work
from kubegang.client.workqueue import WorkQueue
from kubegang.controllers.changing import update_with
from kubegang.controllers.finalizers import is_held, take_off
from kubegang.controllers.podclaims import BY_CLAIM, claim_name, index_by_claim, is_made_for

CLAIM_FINALIZER: Final = "kubernetes.io/pvc-protection"
VOLUME_FINALIZER: Final = "kubernetes.io/pv-protection"
WORKERS: Final = 2

_USED: Final = ("False", "PodUsingPVC", "A pod is currently referencing this PVC")
_UNUSED: Final = ("True", "NoPodsUsingPVC", "No pods are currently referencing this PVC")

Key = tuple[str, str]


class ClaimProtection:
    """Reconciles terminating claims, keyed by namespace and name."""

    def __init__(
        self,
        client: Client,
        *,
        claims: Informer[JsonObject],
        pods: Informer[JsonObject],
        queue: WorkQueue[Key],
        clock: Clock,
        marks_unused: bool,
    ) -> None:
        """Set up.

        Args:
            client: where to write.
            claims: all claims.
            pods: all pods.
            queue: the claims to look at.
            clock: the time.
            marks_unused: the gate PersistentVolumeClaimUnusedSinceTime.
        """
        self._client = client
        self._claims = claims
        self._pods = pods
        self._queue = queue
        self._clock = clock
        self._marks_unused = marks_unused
        pods.index(BY_CLAIM, index_by_claim)
        claims.add_handler(self._claim_changed, lambda _, new: self._claim_changed(new))
        pods.add_handler(
            self._pod_changed, lambda _, new: self._pod_changed(new), self._pod_changed
        )

    async def run(self) -> None:
        """Reconcile until cancelled."""
        await self._pods.synced.wait()
        await self._claims.synced.wait()
        await work(
            self._queue, self._reconcile, workers=WORKERS, failed="claim not released, retrying"
        )

    def _claim_changed(self, claim: JsonObject) -> None:
        if is_held(claim, CLAIM_FINALIZER) or self._may_mark(claim):
            self._queue.add((claim["metadata"]["namespace"], claim["metadata"]["name"]))

    def _pod_changed(self, pod: JsonObject) -> None:
        for key in index_by_claim(pod):
            namespace, _, name = key.partition("/")
            self._queue.add((namespace, name))

    async def _reconcile(self, key: Key) -> None:
        claim = self._claims.get(*key)
        if claim is None:
            return
        users = self._pods.by_index(BY_CLAIM, "/".join(key))
        if self._may_mark(claim):
            await self._mark(claim, users)
        elif is_held(claim, CLAIM_FINALIZER) and not is_used(claim, users):
            await take_off(self._client, PERSISTENTVOLUMECLAIMS, claim, finalizer=CLAIM_FINALIZER)

    def _may_mark(self, claim: JsonObject) -> bool:
        terminating = claim["metadata"].get("deletionTimestamp") is not None
        phase = (claim.get("status") or {}).get("phase")
        return self._marks_unused and not terminating and phase == "Bound"

    async def _mark(self, claim: JsonObject, pods: Iterable[JsonObject]) -> None:
        """Say whether any pod names the claim that has not ended."""
        status, reason, message = _USED if any(_names(pod, claim) for pod in pods) else _UNUSED
        before = [dict(c) for c in (claim.get("status") or {}).get("conditions") or ()]
        if any(c["type"] == "Unused" and c["status"] == status for c in before):
            return
        condition = {
            "type": "Unused",
            "status": status,
            "lastTransitionTime": format_time(self._clock.now()),
            "reason": reason,
            "message": message,
        }
        others = [entry for entry in before if entry["type"] != "Unused"]
        try:
            await update_with(
                self._client,
                PERSISTENTVOLUMECLAIMS,
                claim,
                change={"status": {"conditions": [*others, condition]}},
                subresource="status",
            )
        except NotFoundError:
            return


class VolumeProtection:
    """Reconciles terminating volumes, keyed by name."""

    def __init__(
        self, client: Client, *, volumes: Informer[JsonObject], queue: WorkQueue[str]
    ) -> None:
        self._client = client
        self._volumes = volumes
        self._queue = queue
        volumes.add_handler(self._changed, lambda _, new: self._changed(new))

    async def run(self) -> None:
        """Reconcile until cancelled."""
        await self._volumes.synced.wait()
        await work(
            self._queue, self._reconcile, workers=WORKERS, failed="volume not released, retrying"
        )

    def _changed(self, volume: JsonObject) -> None:
        if is_held(volume, VOLUME_FINALIZER):
            self._queue.add(volume["metadata"]["name"])

    async def _reconcile(self, name: str) -> None:
        volume = self._volumes.get("", name)
        if volume is None or not is_held(volume, VOLUME_FINALIZER):
            return
        if (volume.get("status") or {}).get("phase") != "Bound":
            await take_off(self._client, PERSISTENTVOLUMES, volume, finalizer=VOLUME_FINALIZER)


def is_used(claim: JsonObject, pods: Iterable[JsonObject]) -> bool:
    """Return whether any of the pods that name a claim has it on its node."""
    return any(_uses(pod, claim) for pod in pods)


def _uses(pod: JsonObject, claim: JsonObject) -> bool:
    if not pod["spec"].get("nodeName"):
        return False
    name = claim["metadata"]["name"]
    named = [v for v in pod["spec"].get("volumes") or () if claim_name(pod, v) == name]
    if any(volume.get("ephemeral") is None for volume in named):
        return True
    return bool(named) and not _is_shut_down(pod) and is_made_for(claim, pod)


def _names(pod: JsonObject, claim: JsonObject) -> bool:
    """Return whether a pod that has not ended names a claim, with or without a node."""
    if (pod.get("status") or {}).get("phase") in ("Succeeded", "Failed"):
        return False
    name = claim["metadata"]["name"]
    named = [v for v in pod["spec"].get("volumes") or () if claim_name(pod, v) == name]
    if any(volume.get("ephemeral") is None for volume in named):
        return True
    return bool(named) and is_made_for(claim, pod)


def _is_shut_down(pod: JsonObject) -> bool:
    """Return whether a pod is gone but for its object: nothing of it runs on its node."""
    grace = pod["metadata"].get("deletionGracePeriodSeconds")
    return pod["metadata"].get("deletionTimestamp") is not None and grace == 0
