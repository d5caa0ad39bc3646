"""Claims that were made: those that the informer has, and those that it will have soon.

A claim that was created is remembered until its news arrive. Otherwise a second attempt, after
its name could not be written into the owner's status, would make another one.

The real controller remembers longer, by chance: so it makes a claim that a user deleted again
or does not (both measured on 1.37.2 and 1.36.3). Here it is always made again.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Final

from kubegang.apimachinery.errors import NotFoundError
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.clock import Clock
from kubegang.client.informer import Informer
from kubegang.client.interface import Client
from kubegang.client.resources import RESOURCECLAIMS
from kubegang.controllers.resourceclaim.references import BY_OWNER, index_by_owner
from kubegang.controllers.resourceclaim.templates import ENTRY_ANNOTATION

REMEMBERED: Final = 1000
REMEMBERED_SECONDS: Final = 3600.0
"""A claim that is deleted again while the watch is broken has no news, ever."""


class MadeClaims:
    """All claims, findable by whom they were made for."""

    def __init__(self, client: Client, claims: Informer[JsonObject], *, clock: Clock) -> None:
        self._client = client
        self._claims = claims
        self._clock = clock
        self._new: OrderedDict[tuple[str, str], tuple[float, JsonObject]] = OrderedDict()
        claims.index(BY_OWNER, index_by_owner)
        claims.add_handler(self._seen, None, self._seen)

    async def create(self, claim: JsonObject, namespace: str) -> JsonObject:
        """Create a claim and remember it."""
        made = await self._client.create(RESOURCECLAIMS, claim, namespace)
        key = _key(made)
        if self._claims.get(*key) is None:
            self._new[key] = (self._clock.steady(), made)
            if len(self._new) > REMEMBERED:
                self._new.popitem(last=False)
        return made

    def find(self, owner: JsonObject, entry_name: str) -> JsonObject | None:
        """Return the claim that was made for an entry of a pod or a PodGroup."""
        metadata = owner["metadata"]
        owner_key = f"{metadata['namespace']}/{metadata['uid']}"
        found = self._claims.by_index(BY_OWNER, owner_key)
        found += [claim for claim in self._remembered() if owner_key in index_by_owner(claim)]
        for claim in found:
            annotations = claim["metadata"].get("annotations") or {}
            if annotations.get(ENTRY_ANNOTATION) == entry_name:
                return claim
        return None

    async def get(self, namespace: str, name: str) -> JsonObject | None:
        """Return a claim; one that is not known here may be known to the server."""
        known = self._claims.get(namespace, name)
        if known is not None:
            return known
        for claim in self._remembered():
            if _key(claim) == (namespace, name):
                return claim
        try:
            return await self._client.get(RESOURCECLAIMS, name, namespace)
        except NotFoundError:
            return None

    def _remembered(self) -> list[JsonObject]:
        oldest = self._clock.steady() - REMEMBERED_SECONDS
        return [claim for made_at, claim in self._new.values() if made_at > oldest]

    def _seen(self, claim: JsonObject) -> None:
        self._new.pop(_key(claim), None)


def _key(claim: JsonObject) -> tuple[str, str]:
    return claim["metadata"]["namespace"], claim["metadata"]["name"]
