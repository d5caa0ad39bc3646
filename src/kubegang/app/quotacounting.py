"""The controller of quotas, put together: what it counts, and how much it needs to know of it."""

from __future__ import annotations

from collections.abc import Iterable

from kubegang.api.scheme import ResourceInfo
from kubegang.apimachinery.objects import JsonObject
from kubegang.app.informers import SharedInformers
from kubegang.base.clock import Clock
from kubegang.client.informer import Informer
from kubegang.client.interface import Client, Resource
from kubegang.client.resources import PERSISTENTVOLUMECLAIMS, PODS, SERVICES
from kubegang.client.workqueue import WorkQueue
from kubegang.controllers.resourcequota.controller import RESOURCEQUOTAS, Key, QuotaCounter

# Quotas look into these; of others it is enough to know that they are there.
_WHOLE = (PODS, SERVICES, PERSISTENTVOLUMECLAIMS, RESOURCEQUOTAS)


def quota_counter(
    client: Client,
    rows: Iterable[ResourceInfo],
    *,
    informers: SharedInformers,
    queue: WorkQueue[Key],
    clock: Clock,
) -> QuotaCounter:
    """Return the controller over every namespaced resource among the rows."""
    counted = {
        row.group_resource: _informer(
            informers, Resource(row.group, row.version, row.plural, row.kind)
        )
        for row in rows
        if row.namespaced
    }
    return QuotaCounter(
        client,
        quotas=informers.of(RESOURCEQUOTAS),
        counted=counted,
        queue=queue,
        clock=clock,
    )


def _informer(informers: SharedInformers, resource: Resource) -> Informer[JsonObject]:
    if resource in _WHOLE:
        return informers.of(resource)
    return informers.of_metadata(resource)
