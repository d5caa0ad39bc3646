"""Tables: what ``kubectl get`` prints, rendered here because kubectl has no columns itself.

A request that accepts ``as=Table`` gets its object, list or watch event in this form. Kinds
without a printer of their own show name and age.

Pure: the current time is an argument.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from kubegang.api.autoscaling.conversion import V1, without_own_annotations
from kubegang.api.customresources.rows import custom_of
from kubegang.api.scheme import ResourceInfo
from kubegang.api.table_rules import NEWEST_TABLE_RULES, TableRules
from kubegang.apimachinery.objects import JsonObject
from kubegang.apiserver.customresources.columns import custom_printer
from kubegang.apiserver.printers import (
    apps,
    autoscaling,
    batch,
    certificates,
    coordination,
    core,
    definitions,
    discovery,
    events,
    networking,
    nodes,
    pods,
    policy,
    rbac,
    resource,
    runtimeclasses,
    scale,
    scheduling,
    services,
    storage,
    volumes,
)
from kubegang.apiserver.printers.cells import age, name, text
from kubegang.apiserver.printers.columns import AGE, CREATED_AT, NAME, Printer

IncludeObject = Literal["None", "Metadata", "Object"]
"""How much of each object a row carries: the query's ``includeObject``."""

_DEFAULT = Printer((NAME, AGE), lambda obj, now: [name(obj), age(obj, now)])

# Kinds to which upstream gives no columns at all show when they were created.
_PLAIN = Printer(
    (NAME, CREATED_AT), lambda obj, _: [name(obj), text(obj, "metadata", "creationTimestamp")]
)

_PRINTERS: dict[tuple[str, str], Printer] = {
    ("", "ConfigMap"): core.CONFIG_MAP,
    ("", "Endpoints"): core.ENDPOINTS,
    ("", "Event"): events.CORE_EVENT,
    ("", "LimitRange"): _PLAIN,
    ("", "Namespace"): core.NAMESPACE,
    ("", "Node"): nodes.NODE,
    ("", "PersistentVolume"): volumes.PERSISTENT_VOLUME,
    ("", "PersistentVolumeClaim"): volumes.PERSISTENT_VOLUME_CLAIM,
    ("", "Pod"): pods.POD,
    ("", "PodTemplate"): core.POD_TEMPLATE,
    ("", "ReplicationController"): core.REPLICATION_CONTROLLER,
    ("", "ResourceQuota"): core.RESOURCE_QUOTA,
    ("", "Secret"): core.SECRET,
    ("", "Service"): services.SERVICE,
    ("apiextensions.k8s.io", "CustomResourceDefinition"): definitions.DEFINITION,
    ("apps", "ControllerRevision"): apps.CONTROLLER_REVISION,
    ("apps", "DaemonSet"): apps.DAEMON_SET,
    ("apps", "Deployment"): apps.DEPLOYMENT,
    ("apps", "ReplicaSet"): apps.REPLICA_SET,
    ("apps", "StatefulSet"): apps.STATEFUL_SET,
    ("autoscaling", "HorizontalPodAutoscaler"): autoscaling.AUTOSCALER,
    ("autoscaling", "Scale"): scale.SCALE,
    ("batch", "CronJob"): batch.CRON_JOB,
    ("batch", "Job"): batch.JOB,
    ("certificates.k8s.io", "CertificateSigningRequest"): certificates.SIGNING_REQUEST,
    ("coordination.k8s.io", "Lease"): coordination.LEASE,
    ("discovery.k8s.io", "EndpointSlice"): discovery.ENDPOINT_SLICE,
    ("events.k8s.io", "Event"): events.EVENT,
    ("networking.k8s.io", "Ingress"): networking.INGRESS,
    ("networking.k8s.io", "IngressClass"): networking.INGRESS_CLASS,
    ("networking.k8s.io", "NetworkPolicy"): networking.NETWORK_POLICY,
    ("node.k8s.io", "RuntimeClass"): runtimeclasses.RUNTIME_CLASS,
    ("policy", "PodDisruptionBudget"): policy.POD_DISRUPTION_BUDGET,
    ("rbac.authorization.k8s.io", "ClusterRole"): _PLAIN,
    ("rbac.authorization.k8s.io", "ClusterRoleBinding"): rbac.BINDING,
    ("rbac.authorization.k8s.io", "Role"): _PLAIN,
    ("rbac.authorization.k8s.io", "RoleBinding"): rbac.BINDING,
    ("resource.k8s.io", "DeviceTaintRule"): resource.DEVICE_TAINT_RULE,
    ("resource.k8s.io", "ResourceClaim"): resource.RESOURCE_CLAIM,
    ("resource.k8s.io", "ResourceSlice"): resource.RESOURCE_SLICE,
    ("scheduling.k8s.io", "CompositePodGroup"): scheduling.COMPOSITE_POD_GROUP,
    ("scheduling.k8s.io", "PodGroup"): scheduling.POD_GROUP,
    ("scheduling.k8s.io", "PriorityClass"): scheduling.PRIORITY_CLASS,
    ("storage.k8s.io", "CSIDriver"): storage.CSI_DRIVER,
    ("storage.k8s.io", "CSINode"): storage.CSI_NODE,
    ("storage.k8s.io", "CSIStorageCapacity"): _PLAIN,
    ("storage.k8s.io", "StorageClass"): storage.STORAGE_CLASS,
    ("storage.k8s.io", "VolumeAttachment"): storage.VOLUME_ATTACHMENT,
    ("storage.k8s.io", "VolumeAttributesClass"): storage.VOLUME_ATTRIBUTES_CLASS,
}


def _printer(info: ResourceInfo, rules: TableRules) -> Printer:
    if custom := custom_of(info):
        return custom_printer(custom)
    if info.kind == "CustomResourceDefinition" and not rules.definitions_have_columns:
        return _PLAIN
    if info.kind == "IngressClass" and not rules.default_ingress_class:
        return networking.INGRESS_CLASS_UNMARKED
    return _PRINTERS.get((info.group, info.kind), _DEFAULT)


def column_definitions(
    info: ResourceInfo, rules: TableRules = NEWEST_TABLE_RULES
) -> list[JsonObject]:
    """Return the columns of a kind as a table declares them."""
    return [column.definition() for column in _printer(info, rules).columns]


def render_table(
    info: ResourceInfo,
    objects: Sequence[JsonObject],
    *,
    list_meta: JsonObject,
    include_object: IncludeObject,
    now: float,
    rules: TableRules = NEWEST_TABLE_RULES,
    version: str = "v1",
    listed: bool = True,
    with_columns: bool = True,
) -> JsonObject:
    """Return objects of one kind as a table.

    Args:
        info: the resource in the version asked for; the objects are in that version.
        objects: the rows, in their order.
        list_meta: the list's metadata; a single object's table has its resourceVersion.
        include_object: how much of each object goes into its row.
        now: the current time, for ages.
        rules: what the release does otherwise about tables.
        version: the version of ``meta.k8s.io`` asked for.
        listed: whether the objects are all of a list, so that names may be marked by it.
        with_columns: whether to declare the columns. A watch does so in its first event only;
            later ones have ``null`` there (measured on 1.37.2).
    """
    printer = _printer(info, rules)
    rows = [_row(printer, obj, now) for obj in objects]
    marks = _marks(printer, objects, rules=rules, listed=listed)
    for row, obj in zip(rows, objects, strict=True):
        row["cells"][0] = marks.get(name(obj), row["cells"][0])
        row["object"] = _row_object(obj, include_object, version=version)
    return {
        "kind": "Table",
        "apiVersion": f"meta.k8s.io/{version}",
        "metadata": list_meta,
        "columnDefinitions": column_definitions(info, rules) if with_columns else None,
        "rows": rows,
    }


def _marks(
    printer: Printer, objects: Sequence[JsonObject], *, rules: TableRules, listed: bool
) -> Mapping[str, str]:
    """Return the names that are shown differently."""
    if rules.one_default_class:
        return printer.marks(objects) if listed else {}
    return {of: shown for obj in objects for of, shown in printer.marks([obj]).items()}


def _row(printer: Printer, obj: JsonObject, now: float) -> JsonObject:
    row: JsonObject = {"cells": printer.cells(obj, now)}
    if conditions := printer.conditions(obj):
        row["conditions"] = conditions
    return row


def _row_object(
    obj: JsonObject, include_object: IncludeObject, *, version: str
) -> JsonObject | None:
    if include_object == "Object":
        return obj
    return partial_object(obj, version=version) if include_object == "Metadata" else None


def partial_object(obj: JsonObject, *, version: str = "v1") -> JsonObject:
    """Return the PartialObjectMetadata of an object, without what a version added to it."""
    metadata = obj.get("metadata") or {}
    if (obj.get("apiVersion"), obj.get("kind")) == (V1, "HorizontalPodAutoscaler"):
        metadata = without_own_annotations(metadata)
    return {
        "kind": "PartialObjectMetadata",
        "apiVersion": f"meta.k8s.io/{version}",
        "metadata": metadata,
    }
