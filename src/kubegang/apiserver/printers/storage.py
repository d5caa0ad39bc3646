"""Storage classes and what CSI drivers tell about themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kubegang.apimachinery.objects import JsonObject
from kubegang.apiserver.printers.cells import NONE, UNSET, age, member, name, objects, text
from kubegang.apiserver.printers.columns import AGE, NAME, Cell, Column, Printer


def _storage_class_cells(storage_class: JsonObject, now: float) -> list[Cell]:
    return [
        name(storage_class),
        text(storage_class, "provisioner"),
        text(storage_class, "reclaimPolicy") or "Delete",
        text(storage_class, "volumeBindingMode") or "Immediate",
        bool(member(storage_class, "allowVolumeExpansion")),
        age(storage_class, now),
    ]


_DEFAULT_ANNOTATIONS = (
    "storageclass.kubernetes.io/is-default-class",
    "storageclass.beta.kubernetes.io/is-default-class",
)


def _default_class(storage_classes: Sequence[JsonObject]) -> Mapping[str, str]:
    """Mark the class that claims get by default: the newest of those that want to be it."""
    candidates = [entry for entry in storage_classes if _wants_to_be_default(entry)]
    if not candidates:
        return {}
    newest = max(text(entry, "metadata", "creationTimestamp") for entry in candidates)
    first = min(
        name(entry)
        for entry in candidates
        if text(entry, "metadata", "creationTimestamp") == newest
    )
    return {first: f"{first} (default)"}


def _wants_to_be_default(storage_class: JsonObject) -> bool:
    annotations = member(storage_class, "metadata", "annotations") or {}
    return any(annotations.get(annotation) == "true" for annotation in _DEFAULT_ANNOTATIONS)


def _attributes_class_cells(attributes_class: JsonObject, now: float) -> list[Cell]:
    return [
        name(attributes_class),
        text(attributes_class, "driverName"),
        age(attributes_class, now),
    ]


def _attachment_cells(attachment: JsonObject, now: float) -> list[Cell]:
    return [
        name(attachment),
        text(attachment, "spec", "attacher"),
        text(attachment, "spec", "source", "persistentVolumeName"),
        text(attachment, "spec", "nodeName"),
        bool(member(attachment, "status", "attached")),
        age(attachment, now),
    ]


def _csi_node_cells(csi_node: JsonObject, now: float) -> list[Cell]:
    return [name(csi_node), len(objects(csi_node, "spec", "drivers")), age(csi_node, now)]


def _csi_driver_cells(driver: JsonObject, now: float) -> list[Cell]:
    attach = member(driver, "spec", "attachRequired")
    tokens = member(driver, "spec", "tokenRequests")
    return [
        name(driver),
        True if attach is None else bool(attach),
        bool(member(driver, "spec", "podInfoOnMount")),
        bool(member(driver, "spec", "storageCapacity")),
        UNSET if tokens is None else ",".join(text(token, "audience") for token in tokens),
        bool(member(driver, "spec", "requiresRepublish")),
        ",".join(member(driver, "spec", "volumeLifecycleModes") or []) or NONE,
        age(driver, now),
    ]


STORAGE_CLASS = Printer(
    (
        NAME,
        Column("Provisioner", "Who makes its volumes."),
        Column("ReclaimPolicy", "What happens to a volume after its claim."),
        Column("VolumeBindingMode", "When volumes are made and bound."),
        Column("AllowVolumeExpansion", "Whether claims may grow."),
        AGE,
    ),
    _storage_class_cells,
    marks=_default_class,
)

VOLUME_ATTRIBUTES_CLASS = Printer(
    (NAME, Column("DriverName", "The driver that knows its parameters."), AGE),
    _attributes_class_cells,
)

VOLUME_ATTACHMENT = Printer(
    (
        NAME,
        Column("Attacher", "The driver that attaches.", value_format="name"),
        Column("PV", "The volume."),
        Column("Node", "The node."),
        Column("Attached", "Whether it is done.", value_type="boolean"),
        AGE,
    ),
    _attachment_cells,
)

CSI_NODE = Printer(
    (NAME, Column("Drivers", "How many drivers it has.", value_type="integer"), AGE),
    _csi_node_cells,
)

CSI_DRIVER = Printer(
    (
        NAME,
        Column("AttachRequired", "Whether volumes are attached first.", value_type="boolean"),
        Column("PodInfoOnMount", "Whether it is told about the pod.", value_type="boolean"),
        Column("StorageCapacity", "Whether its capacity is counted.", value_type="boolean"),
        Column("TokenRequests", "Audiences of the tokens that it gets."),
        Column("RequiresRepublish", "Whether mounts are renewed.", value_type="boolean"),
        Column("Modes", "Volume life cycles that it knows."),
        AGE,
    ),
    _csi_driver_cells,
)
