"""The core group's small kinds; pods, nodes and events have modules of their own."""

from __future__ import annotations

from collections.abc import Iterable

from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.quantity import Quantity
from kubegang.apiserver.printers.cells import (
    NONE,
    age,
    container_names_and_images,
    first_with_more,
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


def _namespace_cells(namespace: JsonObject, now: float) -> list[Cell]:
    return [name(namespace), text(namespace, "status", "phase"), age(namespace, now)]


def _config_map_cells(config_map: JsonObject, now: float) -> list[Cell]:
    count = len(member(config_map, "data") or {}) + len(member(config_map, "binaryData") or {})
    return [name(config_map), count, age(config_map, now)]


def _secret_cells(secret: JsonObject, now: float) -> list[Cell]:
    count = len(member(secret, "data") or {})
    return [name(secret), text(secret, "type"), count, age(secret, now)]


def _resource_quota_cells(quota: JsonObject, now: float) -> list[Cell]:
    """Return the amounts used and allowed; names that begin with ``limits.`` have a column."""
    used = member(quota, "status", "used") or {}
    requests: list[str] = []
    limits: list[str] = []
    for resource, hard in sorted((member(quota, "status", "hard") or {}).items()):
        amounts = f"{_canonical(used.get(resource))}/{_canonical(hard)}"
        (limits if resource.startswith("limits.") else requests).append(f"{resource}: {amounts}")
    return [name(quota), ", ".join(requests), ", ".join(limits), age(quota, now)]


def _canonical(quantity: str | int | float | None) -> str:
    return Quantity.parse(quantity).canonical() if quantity is not None else "0"


def _replication_controller_cells(controller: JsonObject, now: float) -> list[Cell]:
    return [
        name(controller),
        number(controller, "spec", "replicas"),
        number(controller, "status", "replicas"),
        number(controller, "status", "readyReplicas"),
        age(controller, now),
        *container_names_and_images(member(controller, "spec", "template", "spec")),
        joined_labels(member(controller, "spec", "selector")),
    ]


def _pod_template_cells(template: JsonObject, _: float) -> list[Cell]:
    return [
        name(template),
        *container_names_and_images(member(template, "template", "spec")),
        joined_labels(member(template, "template", "metadata", "labels")),
    ]


def _endpoints_cells(endpoints: JsonObject, now: float) -> list[Cell]:
    if not objects(endpoints, "subsets"):
        return [name(endpoints), NONE, age(endpoints, now)]
    return [name(endpoints), first_with_more(_addresses(endpoints), 3), age(endpoints, now)]


def _addresses(endpoints: JsonObject) -> Iterable[str]:
    """Yield each address once per port, or alone where there are no ports."""
    for subset in objects(endpoints, "subsets"):
        addresses = [text(address, "ip") for address in objects(subset, "addresses")]
        ports = objects(subset, "ports")
        if not ports:
            yield from addresses
        for port in ports:
            for address in addresses:
                host = f"[{address}]" if ":" in address else address
                yield f"{host}:{number(port, 'port')}"


NAMESPACE = Printer((NAME, Column("Status", "Active or Terminating."), AGE), _namespace_cells)

CONFIG_MAP = Printer((NAME, Column("Data", "How many entries it has."), AGE), _config_map_cells)

SECRET = Printer(
    (
        NAME,
        Column("Type", "What the entries are for."),
        Column("Data", "How many entries it has."),
        AGE,
    ),
    _secret_cells,
)

RESOURCE_QUOTA = Printer(
    (
        NAME,
        Column("Request", "Requests and counts: used and allowed."),
        Column("Limit", "Limits: used and allowed."),
        AGE,
    ),
    _resource_quota_cells,
)

REPLICATION_CONTROLLER = Printer(
    (
        NAME,
        Column("Desired", "Pods asked for.", value_type="integer"),
        Column("Current", "Pods that exist.", value_type="integer"),
        Column("Ready", "Pods that are ready.", value_type="integer"),
        AGE,
        CONTAINERS,
        IMAGES,
        SELECTOR,
    ),
    _replication_controller_cells,
)

POD_TEMPLATE = Printer(
    (
        NAME,
        CONTAINERS._replace(wide=False),
        IMAGES._replace(wide=False),
        Column("Pod Labels", "Labels of the pods made from it."),
    ),
    _pod_template_cells,
)

ENDPOINTS = Printer(
    (NAME, Column("Endpoints", "Addresses behind the service."), AGE), _endpoints_cells
)
