"""One informer per resource, shared by all controllers of a process."""

from __future__ import annotations

import random
from typing import Any

import msgspec

from kubegang.apimachinery.objects import JsonObject
from kubegang.base.clock import Clock
from kubegang.client.informer import Informer
from kubegang.client.interface import Client, Resource


class _Partial(msgspec.Struct):
    """An object of which only the metadata is decoded."""

    metadata: dict[str, Any]


_decode_partial = msgspec.json.Decoder(_Partial).decode


class SharedInformers:
    """Makes informers on first use; whoever runs the process runs them all."""

    def __init__(self, client: Client, *, clock: Clock, rng: random.Random) -> None:
        self._client = client
        self._clock = clock
        self._rng = rng
        self._informers: dict[tuple[str, str], Informer[JsonObject]] = {}
        self._partial: set[tuple[str, str]] = set()

    def of(self, resource: Resource) -> Informer[JsonObject]:
        """Return the resource's informer; versions of one resource share it.

        Raises:
            RuntimeError: there is one already that keeps only the metadata.
        """
        key = (resource.group, resource.plural)
        if key in self._partial:
            raise RuntimeError(f"{resource.plural} are wanted whole after only their metadata")
        if key not in self._informers:
            self._informers[key] = Informer(
                self._client, resource, clock=self._clock, rng=self._rng
            )
        return self._informers[key]

    def of_metadata(self, resource: Resource) -> Informer[JsonObject]:
        """Return an informer of which only the metadata is needed.

        If nobody asked for the whole objects before, nothing else is kept in memory; so ask
        for these last.
        """
        key = (resource.group, resource.plural)
        if key not in self._informers:
            self._partial.add(key)
            self._informers[key] = Informer(
                self._client,
                resource,
                clock=self._clock,
                rng=self._rng,
                decode_bytes=_metadata_only,
            )
        return self._informers[key]

    def apart(self, resource: Resource) -> Informer[JsonObject]:
        """Return an informer of metadata that nobody shares; whoever asked runs it."""
        return Informer(
            self._client,
            resource,
            clock=self._clock,
            rng=self._rng,
            decode_bytes=_metadata_only,
        )

    def all(self) -> list[Informer[JsonObject]]:
        """Return every informer made so far."""
        return list(self._informers.values())


def _metadata_only(body: bytes) -> JsonObject:
    return {"metadata": _decode_partial(body).metadata}
