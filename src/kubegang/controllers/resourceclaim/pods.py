"""Gives a pod its claims: made from templates, or those of its PodGroup.

A pod that somebody else than the scheduler put onto a node also gets its claims reserved.

A pod that is done is looked at as any other (measured on 1.37.2, 1.36.3 and 1.35.4): claims that
it lacks are made, those that nobody uses are reserved for it, and ``releasing`` takes both back.
So what it lists is free in the end. What would have no end is not done: a claim that was taken
back is not made again, and one that others use is not reserved. (The real controller makes the
former again while its memory says so, and writes the latter 400 times a second.)
"""

from __future__ import annotations

from typing import Final

from kubegang.apimachinery.errors import not_found
from kubegang.apimachinery.objects import GroupResource, JsonObject
from kubegang.base.logging import logger
from kubegang.client.informer import Informer
from kubegang.client.interface import Client
from kubegang.client.resources import PODS, RESOURCECLAIMS
from kubegang.client.workers import TryAgainError
from kubegang.controllers.events import EventRecorder
from kubegang.controllers.resourceclaim.made import MadeClaims
from kubegang.controllers.resourceclaim.making import (
    CREATION_FAILED,
    FAILURES,
    ClaimMaker,
    write_names,
)
from kubegang.controllers.resourceclaim.references import (
    ClaimName,
    consumer_of,
    entries,
    group_name,
    is_allocated,
    is_deleted,
    is_done,
    is_held,
    is_made_for,
    is_of_group,
    is_reserved_for,
    name_of,
    reservations,
)
from kubegang.controllers.resourceclaim.settings import ClaimSettings

_GROUP: Final = GroupResource("scheduling.k8s.io", "podgroup")

_log = logger(__name__)


class HopelessError(Exception):
    """Trying again changes nothing; its message says why."""


class PodClaims:
    """What a pod needs, and doing it."""

    def __init__(
        self,
        client: Client,
        *,
        pods: Informer[JsonObject],
        groups: Informer[JsonObject] | None,
        claims: Informer[JsonObject],
        made: MadeClaims,
        maker: ClaimMaker,
        recorder: EventRecorder,
        settings: ClaimSettings,
    ) -> None:
        self._client = client
        self._pods = pods
        self._groups = groups
        self._claims = claims
        self._made = made
        self._maker = maker
        self._recorder = recorder
        self._settings = settings

    # What is to be done

    def need_work(self, pod: JsonObject) -> bool:
        """Return whether a claim of a pod is to be made or reserved."""
        if is_deleted(pod):
            return False
        for entry in entries(pod):
            verdict = self._needs_work(pod, entry)
            if verdict:
                return True
            if verdict is None and not self._settings.rules.looks_at_every_claim:
                return False
        return False

    def _needs_work(self, pod: JsonObject, entry: JsonObject) -> bool | None:
        """Return whether an entry is work for us, ``None`` if it is somebody else's."""
        named = name_of(pod, entry)
        if named is None:
            return True
        if named.name is None:
            return None
        claim = self._claims.get(pod["metadata"]["namespace"], named.name)
        if claim is None:
            return None if is_done(pod) else self._is_ours_to_make(pod, entry)
        if not self._is_acceptable(pod, named, claim):
            return None
        return bool(pod["spec"].get("nodeName")) and self._is_to_reserve(pod, claim)

    def _is_ours_to_make(self, pod: JsonObject, entry: JsonObject) -> bool | None:
        if entry.get("resourceClaimTemplateName") is None:
            return None
        try:
            return None if is_of_group(self._group_of(pod), entry) else True
        except (TryAgainError, HopelessError):
            return True

    def _is_acceptable(self, pod: JsonObject, named: ClaimName, claim: JsonObject) -> bool:
        return not named.made or is_made_for(pod, claim, or_group=self._settings.group_claims)

    def _is_to_reserve(self, pod: JsonObject, claim: JsonObject) -> bool:
        reserved = is_reserved_for(pod, claim, or_group=self._settings.group_claims)
        return is_allocated(claim) and not reserved

    def _goes_on_for_ever(self, pod: JsonObject, claim: JsonObject) -> bool:
        """Return whether a reservation is taken back, and nothing but it changes by that."""
        return is_done(pod) and not (is_held(claim) and not reservations(claim))

    def _group_of(self, pod: JsonObject) -> JsonObject | None:
        """Return the group whose claims may be the pod's.

        Raises:
            HopelessError: the controller knows no groups.
            TryAgainError: the group is not there.
        """
        name = group_name(pod)
        settings = self._settings
        if not name or not (settings.group_claims or settings.rules.group_matters_without_claims):
            return None
        if self._groups is None or not settings.groups:
            raise HopelessError(
                f"Pod is a member of PodGroup {name} but GenericWorkload feature is disabled"
            )
        group = self._groups.get(pod["metadata"]["namespace"], name)
        if group is None:
            raise TryAgainError(f"the pod's group is not there: {not_found(_GROUP, name)}")
        return group

    # Doing it

    async def reconcile(self, namespace: str, name: str) -> None:
        """Make what a pod lacks, and reserve what it has."""
        pod = self._pods.get(namespace, name)
        if pod is None or is_deleted(pod):
            return
        try:
            group = self._group_of(pod)
        except HopelessError as error:
            _log.warning("a pod's claims are not made", pod=f"{namespace}/{name}", why=str(error))
            return
        names: dict[str, str] = {}
        for entry in entries(pod):
            claim_name = await self._made_or_told(pod, group, entry)
            if claim_name is not None:
                names[entry["name"]] = claim_name
        if names:
            await write_names(self._client, PODS, pod, names=names)
        if pod["spec"].get("nodeName"):
            await self._reserve_all(pod, group)

    async def _made_or_told(
        self, pod: JsonObject, group: JsonObject | None, entry: JsonObject
    ) -> str | None:
        """Return the name to record for an entry, ``None`` if there is none or none is new."""
        try:
            return await self._make(pod, group, entry)
        except FAILURES as error:
            message = f"PodResourceClaim {entry['name']}: {error}"
            self._recorder.record(pod, type_="Warning", reason=CREATION_FAILED, message=message)
            raise TryAgainError(message) from error

    async def _make(
        self, pod: JsonObject, group: JsonObject | None, entry: JsonObject
    ) -> str | None:
        if entry.get("resourceClaimTemplateName") is None or await self._is_made(pod, entry):
            return None
        if not is_of_group(group, entry):
            return _name(await self._maker.make(pod, entry))
        if not self._settings.group_claims:
            raise TryAgainError(
                f"claim {entry['name']} is a PodGroup claim but the DRAWorkloadResourceClaims "
                "feature is disabled"
            )
        # Made for the group, by its own reconciling; until then the pod waits.
        found = self._made.find(group, entry["name"]) if group is not None else None
        return _name(found) if found is not None else None

    async def _is_made(self, pod: JsonObject, entry: JsonObject) -> bool:
        named = name_of(pod, entry)
        if named is None:
            return False
        if named.name is None or is_done(pod):
            return True
        claim = await self._made.get(pod["metadata"]["namespace"], named.name)
        # One that was deleted by accident is made again.
        return claim is not None and self._is_acceptable(pod, named, claim)

    async def _reserve_all(self, pod: JsonObject, group: JsonObject | None) -> None:
        for entry in entries(pod):
            named = name_of(pod, entry)
            if named is None or named.name is None:
                continue
            claim = self._claims.get(pod["metadata"]["namespace"], named.name)
            if claim is None:
                return
            if not self._is_acceptable(pod, named, claim):
                raise TryAgainError(
                    f"claim {named.name} was not made for pod {pod['metadata']['name']}"
                )
            if not self._is_to_reserve(pod, claim):
                continue
            if group is not None and is_of_group(group, entry):
                if self._settings.group_claims:
                    await self._reserve(claim, group)
            elif not self._goes_on_for_ever(pod, claim):
                await self._reserve(claim, pod)

    async def _reserve(self, claim: JsonObject, consumer: JsonObject) -> None:
        listed = [*reservations(claim), consumer_of(consumer)]
        changed = {**claim, "status": {**claim["status"], "reservedFor": listed}}
        await self._client.update(RESOURCECLAIMS, changed, subresource="status")


def _name(claim: JsonObject) -> str:
    return str(claim["metadata"]["name"])
