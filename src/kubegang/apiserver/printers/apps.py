"""Deployments, replica sets, stateful sets, daemon sets and their revisions."""

from __future__ import annotations

from kubegang.apimachinery.labels import format_label_selector
from kubegang.apimachinery.objects import GroupVersion, JsonObject
from kubegang.apiserver.printers.cells import (
    NONE,
    age,
    container_names_and_images,
    joined_labels,
    member,
    name,
    number,
    objects,
    text,
)
from kubegang.apiserver.printers.columns import (
    AGE,
    CONTAINERS,
    IMAGES,
    NAME,
    SELECTOR,
    Cell,
    Column,
    Printer,
)


def _template_cells(obj: JsonObject) -> list[str]:
    return container_names_and_images(member(obj, "spec", "template", "spec"))


def _selector(obj: JsonObject) -> str:
    return format_label_selector(member(obj, "spec", "selector"))


def _ready(obj: JsonObject) -> str:
    return f"{number(obj, 'status', 'readyReplicas')}/{number(obj, 'spec', 'replicas')}"


def _deployment_cells(deployment: JsonObject, now: float) -> list[Cell]:
    return [
        name(deployment),
        _ready(deployment),
        number(deployment, "status", "updatedReplicas"),
        number(deployment, "status", "availableReplicas"),
        age(deployment, now),
        *_template_cells(deployment),
        _selector(deployment),
    ]


def _replica_set_cells(replica_set: JsonObject, now: float) -> list[Cell]:
    return [
        name(replica_set),
        number(replica_set, "spec", "replicas"),
        number(replica_set, "status", "replicas"),
        number(replica_set, "status", "readyReplicas"),
        age(replica_set, now),
        *_template_cells(replica_set),
        _selector(replica_set),
    ]


def _stateful_set_cells(stateful_set: JsonObject, now: float) -> list[Cell]:
    return [
        name(stateful_set),
        _ready(stateful_set),
        age(stateful_set, now),
        *_template_cells(stateful_set),
    ]


def _daemon_set_cells(daemon_set: JsonObject, now: float) -> list[Cell]:
    counts = (
        "desiredNumberScheduled",
        "currentNumberScheduled",
        "numberReady",
        "updatedNumberScheduled",
        "numberAvailable",
    )
    return [
        name(daemon_set),
        *(number(daemon_set, "status", count) for count in counts),
        joined_labels(member(daemon_set, "spec", "template", "spec", "nodeSelector")),
        age(daemon_set, now),
        *_template_cells(daemon_set),
        _selector(daemon_set),
    ]


def _revision_cells(revision: JsonObject, now: float) -> list[Cell]:
    return [name(revision), _controller(revision), number(revision, "revision"), age(revision, now)]


def _controller(obj: JsonObject) -> str:
    """Return ``kind.group/name`` of the owner that controls an object."""
    for owner in objects(obj, "metadata", "ownerReferences"):
        if owner.get("controller"):
            group = GroupVersion.parse(text(owner, "apiVersion")).group
            kind = text(owner, "kind").lower()
            return f"{kind}.{group}/{owner['name']}" if group else f"{kind}/{owner['name']}"
    return NONE


_DESIRED = Column("Desired", "Pods asked for.", value_type="integer")
_CURRENT = Column("Current", "Pods that exist.", value_type="integer")
_READY = Column("Ready", "Pods that are ready.", value_type="integer")
_READY_OF = Column("Ready", "Pods that are ready, of those asked for.")

DEPLOYMENT = Printer(
    (
        NAME,
        _READY_OF,
        Column("Up-to-date", "Pods of the newest template."),
        Column("Available", "Pods that can serve."),
        AGE,
        CONTAINERS,
        IMAGES,
        SELECTOR,
    ),
    _deployment_cells,
)

REPLICA_SET = Printer(
    (NAME, _DESIRED, _CURRENT, _READY, AGE, CONTAINERS, IMAGES, SELECTOR), _replica_set_cells
)

STATEFUL_SET = Printer((NAME, _READY_OF, AGE, CONTAINERS, IMAGES), _stateful_set_cells)

DAEMON_SET = Printer(
    (
        NAME,
        _DESIRED,
        _CURRENT,
        _READY,
        Column("Up-to-date", "Pods of the newest template.", value_type="integer"),
        Column("Available", "Pods that can serve.", value_type="integer"),
        Column("Node Selector", "Labels of the nodes that get a pod."),
        AGE,
        CONTAINERS,
        IMAGES,
        SELECTOR,
    ),
    _daemon_set_cells,
)

CONTROLLER_REVISION = Printer(
    (
        NAME,
        Column("Controller", "The object whose revision it is."),
        Column("Revision", "Its number."),
        AGE,
    ),
    _revision_cells,
)
