"""Makes the claims of PodGroups: one per group, before and independent of its pods."""

from __future__ import annotations

from kubegang.apimachinery.objects import JsonObject
from kubegang.client.informer import Informer
from kubegang.client.interface import Client, Resource
from kubegang.client.workers import TryAgainError
from kubegang.controllers.events import EventRecorder
from kubegang.controllers.owners import is_controlled_by
from kubegang.controllers.resourceclaim.made import MadeClaims
from kubegang.controllers.resourceclaim.making import (
    CREATION_FAILED,
    FAILURES,
    ClaimMaker,
    write_names,
)
from kubegang.controllers.resourceclaim.references import entries, is_deleted, name_of


class GroupClaims:
    """What a PodGroup needs, and doing it."""

    def __init__(
        self,
        client: Client,
        resource: Resource,
        *,
        groups: Informer[JsonObject],
        claims: Informer[JsonObject],
        made: MadeClaims,
        maker: ClaimMaker,
        recorder: EventRecorder,
    ) -> None:
        """Set up; ``resource`` says in which API version groups are written."""
        self._client = client
        self._resource = resource
        self._groups = groups
        self._claims = claims
        self._made = made
        self._maker = maker
        self._recorder = recorder

    def need_work(self, group: JsonObject) -> bool:
        """Return whether a claim of a group is to be made."""
        if is_deleted(group):
            return False
        return any(self._needs_work(group, entry) for entry in entries(group))

    def _needs_work(self, group: JsonObject, entry: JsonObject) -> bool:
        named = name_of(group, entry)
        if named is None:
            return True
        if named.name is None or entry.get("resourceClaimTemplateName") is None:
            return False
        return self._claims.get(group["metadata"]["namespace"], named.name) is None

    async def reconcile(self, namespace: str, name: str) -> None:
        """Make the claims that a group lacks."""
        group = self._groups.get(namespace, name)
        if group is None or is_deleted(group):
            return
        names: dict[str, str] = {}
        for entry in entries(group):
            claim_name = await self._made_or_told(group, entry)
            if claim_name is not None:
                names[entry["name"]] = claim_name
        if names:
            await write_names(self._client, self._resource, group, names=names)

    async def _made_or_told(self, group: JsonObject, entry: JsonObject) -> str | None:
        try:
            return await self._make(group, entry)
        except FAILURES as error:
            message = f"PodGroupResourceClaim {entry['name']}: {error}"
            self._recorder.record(group, type_="Warning", reason=CREATION_FAILED, message=message)
            raise TryAgainError(message) from error

    async def _make(self, group: JsonObject, entry: JsonObject) -> str | None:
        if entry.get("resourceClaimTemplateName") is None or await self._is_made(group, entry):
            return None
        made = await self._maker.make(group, entry)
        return str(made["metadata"]["name"])

    async def _is_made(self, group: JsonObject, entry: JsonObject) -> bool:
        named = name_of(group, entry)
        if named is None:
            return False
        if named.name is None:
            return True
        claim = await self._made.get(group["metadata"]["namespace"], named.name)
        return claim is not None and is_controlled_by(claim, group["metadata"]["uid"])
