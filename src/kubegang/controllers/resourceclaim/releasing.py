"""Takes claims back: reservations of whoever is gone, then the devices, then the claim.

Devices are freed when the last reservation goes, and with them the finalizer that the
scheduler put on. A claim that was made for a pod goes as soon as the pod is done, since the
pod's object may stay for long.
"""

from __future__ import annotations

import contextlib
from typing import Final

from kubegang.api.controller_rules import ClaimRules
from kubegang.apimachinery.errors import NotFoundError
from kubegang.apimachinery.objects import JsonObject
from kubegang.client.informer import Informer
from kubegang.client.interface import Client, Resource
from kubegang.client.resources import PODS, RESOURCECLAIMS
from kubegang.client.workers import TryAgainError
from kubegang.controllers.remembered import Remembered
from kubegang.controllers.resourceclaim.references import (
    FINALIZER,
    is_allocated,
    is_deleted,
    is_done,
    is_group_entry,
    is_held,
    is_pod_entry,
    owning_pod,
    reservations,
)

REMEMBERED: Final = 500


class Releaser:
    """Releases claims; entries of kinds that it does not know are kept for ever."""

    def __init__(
        self,
        client: Client,
        *,
        claims: Informer[JsonObject],
        pods: Informer[JsonObject],
        groups: Informer[JsonObject] | None,
        group_resource: Resource,
        rules: ClaimRules,
    ) -> None:
        """Set up; ``groups`` is ``None`` where reservations of groups are unknown."""
        self._rules = rules
        self._client = client
        self._claims = claims
        self._pods = pods
        self._groups = groups
        self._group_resource = group_resource
        self._gone: Remembered[str] = Remembered(REMEMBERED)
        self._unfinished: Remembered[str] = Remembered(REMEMBERED)

    def saw_go(self, obj: JsonObject) -> None:
        """Remember that a pod or a group is gone: nobody needs to be asked then."""
        self._gone.add(obj["metadata"]["uid"])

    def saw_at_start(self, claim: JsonObject) -> None:
        """Take in a claim that was there before: it may be half freed.

        The real controller leaves the finalizer on such a claim until it is deleted.
        """
        if is_held(claim) and not is_allocated(claim):
            self._unfinished.add(claim["metadata"]["uid"])

    async def reconcile(self, namespace: str, name: str) -> None:
        """Release what nobody needs of a claim."""
        claim = self._claims.get(namespace, name)
        if claim is None:
            return
        before = reservations(claim)
        if not self._rules.releases_beside_unknown and not all(map(self._is_known, before)):
            raise TryAgainError("unsupported ReservedFor entry")
        kept = [entry for entry in before if await self._is_needed(namespace, entry)]
        if len(kept) < len(before):
            await self._take_back(claim, kept)
        elif not kept and is_held(claim) and (is_deleted(claim) or self._is_half_freed(claim)):
            await self._let_go(claim)
        if not kept:
            await self._delete_if_done(claim)

    def _is_known(self, entry: JsonObject) -> bool:
        return is_pod_entry(entry) or (self._groups is not None and is_group_entry(entry))

    async def _is_needed(self, namespace: str, entry: JsonObject) -> bool:
        if is_pod_entry(entry):
            found = await self._find(self._pods, PODS, namespace, entry)
            return found is not None and not is_done(found)
        if self._groups is not None and is_group_entry(entry):
            # A group's entry stays as long as the group, whatever its pods do.
            resource = self._group_resource
            return await self._find(self._groups, resource, namespace, entry) is not None
        return True

    async def _find(
        self, known: Informer[JsonObject], resource: Resource, namespace: str, entry: JsonObject
    ) -> JsonObject | None:
        """Return whom an entry is for, ``None`` if it is gone or another one of that name.

        One that is neither here nor was seen to go may be new, so the server is asked.
        """
        if entry["uid"] in self._gone:
            return None
        found = known.get(namespace, entry["name"])
        if found is None:
            try:
                found = await self._client.get(resource, entry["name"], namespace)
            except NotFoundError:
                return None
        return found if found["metadata"]["uid"] == entry["uid"] else None

    def _is_half_freed(self, claim: JsonObject) -> bool:
        # Only those: the scheduler too puts the finalizer on before it allocates.
        return claim["metadata"]["uid"] in self._unfinished and not is_allocated(claim)

    async def _take_back(self, claim: JsonObject, kept: list[JsonObject]) -> None:
        # Not a patch: if anything has changed in between, this has to fail.
        status = {key: value for key, value in claim["status"].items() if key != "reservedFor"}
        if kept:
            status["reservedFor"] = kept
        elif is_held(claim):
            status.pop("allocation", None)
            self._unfinished.add(claim["metadata"]["uid"])
        changed = await self._client.update(
            RESOURCECLAIMS, {**claim, "status": status}, subresource="status"
        )
        if is_held(changed) and not is_allocated(changed):
            await self._take_finalizer_off(changed)

    async def _let_go(self, claim: JsonObject) -> None:
        if is_allocated(claim):
            status = {key: value for key, value in claim["status"].items() if key != "allocation"}
            claim = await self._client.update(
                RESOURCECLAIMS, {**claim, "status": status}, subresource="status"
            )
        await self._take_finalizer_off(claim)

    async def _take_finalizer_off(self, claim: JsonObject) -> None:
        metadata = claim["metadata"]
        kept = [entry for entry in metadata["finalizers"] if entry != FINALIZER]
        changed = {**claim, "metadata": {**metadata, "finalizers": kept}}
        with contextlib.suppress(NotFoundError):
            await self._client.update(RESOURCECLAIMS, changed)
        self._unfinished.discard(metadata["uid"])

    async def _delete_if_done(self, claim: JsonObject) -> None:
        owner = owning_pod(claim)
        metadata = claim["metadata"]
        pod = self._pods.get(metadata["namespace"], owner["name"]) if owner is not None else None
        # A pod that is not known may be new; if it is gone, the garbage collector comes.
        if owner is None or pod is None:
            return
        if pod["metadata"]["uid"] == owner["uid"] and not is_done(pod):
            return
        try:
            await self._client.delete(RESOURCECLAIMS, metadata["name"], metadata["namespace"])
        except NotFoundError:
            return
