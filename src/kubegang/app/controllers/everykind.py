"""The controllers that look after objects of every kind, put together."""

from __future__ import annotations

from kubegang.api.scheme import ResourceInfo
from kubegang.apimachinery.objects import JsonObject
from kubegang.app.controllers.parts import UNOWNED_KINDS, Builders, Parts, Run, resource_of
from kubegang.client.informer import Informer
from kubegang.client.resources import (
    CUSTOMRESOURCEDEFINITIONS,
    NAMESPACES,
    PERSISTENTVOLUMECLAIMS,
    PODS,
    SERVICES,
)
from kubegang.controllers.customkinds import CustomKinds
from kubegang.controllers.garbagecollector.controller import GarbageCollector
from kubegang.controllers.namespace.controller import NamespaceController
from kubegang.controllers.resourcequota.controller import RESOURCEQUOTAS, QuotaCounter

NAMESPACE = "namespace-controller"
QUOTA = "resourcequota-controller"
GARBAGE = "garbage-collector-controller"

# Quotas look into these; of others it is enough to know that they are there.
_COUNTED_WHOLE = (PODS, SERVICES, PERSISTENTVOLUMECLAIMS, RESOURCEQUOTAS)


def _namespace(parts: Parts) -> Run:
    controller = NamespaceController(
        parts.client,
        [resource_of(row) for row in parts.stored() if row.namespaced],
        namespaces=parts.informers.of(NAMESPACES),
        queue=parts.queue(),
        clock=parts.clock,
    )
    parts.followers.append(controller)
    return controller.run


def _quota(parts: Parts) -> Run:
    counted = {row.group_resource: _counted(parts, row) for row in _owned(parts) if row.namespaced}
    return QuotaCounter(
        parts.client,
        quotas=parts.informers.of(RESOURCEQUOTAS),
        counted=counted,
        queue=parts.queue(),
        clock=parts.clock,
    ).run


def _counted(parts: Parts, row: ResourceInfo) -> Informer[JsonObject]:
    resource = resource_of(row)
    if resource in _COUNTED_WHOLE:
        return parts.informers.of(resource)
    return parts.informers.of_metadata(resource)


def _garbage(parts: Parts) -> Run:
    if parts.serves(CUSTOMRESOURCEDEFINITIONS):
        # Who tells of custom kinds reads them whole, and is built after everybody.
        parts.informers.of(CUSTOMRESOURCEDEFINITIONS)
    resources = [resource_of(row) for row in _owned(parts)]
    every = [resource_of(row) for row in parts.scheme.resources() if "get" in row.verbs]
    controller = GarbageCollector(
        parts.client,
        {resource: parts.informers.of_metadata(resource) for resource in resources},
        kinds={(resource.api_version, resource.kind): resource for resource in every},
        recorder=parts.recorder(GARBAGE),
        queue=parts.queue(),
    )
    parts.followers.append(controller)
    return controller.run


def _owned(parts: Parts) -> list[ResourceInfo]:
    return [row for row in parts.stored() if row.kind not in UNOWNED_KINDS]


def custom_kinds(parts: Parts) -> Run | None:
    """Return what tells those that look after every kind of custom ones."""
    if not parts.followers or not parts.serves(CUSTOMRESOURCEDEFINITIONS):
        return None
    return CustomKinds(
        parts.informers.of(CUSTOMRESOURCEDEFINITIONS),
        make_informer=parts.informers.apart,
        followers=parts.followers,
    ).run


EVERY_KIND_BUILDERS: Builders = {NAMESPACE: _namespace, QUOTA: _quota, GARBAGE: _garbage}
"""Built last, in this order: of kinds that nobody else reads only the metadata is kept."""
