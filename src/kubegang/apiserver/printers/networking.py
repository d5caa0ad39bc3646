"""Ingresses, their classes, and network policies."""

from __future__ import annotations

from collections.abc import Sequence

from kubegang.apimachinery.labels import format_label_selector
from kubegang.apimachinery.objects import JsonObject
from kubegang.apiserver.printers.cells import NONE, age, member, name, objects, text
from kubegang.apiserver.printers.columns import AGE, NAME, Cell, Column, Printer

_DEFAULT_CLASS = "ingressclass.kubernetes.io/is-default-class"
_HOSTS_SHOWN = 3


def _ingress_cells(ingress: JsonObject, now: float) -> list[Cell]:
    class_name = member(ingress, "spec", "ingressClassName")
    points = objects(ingress, "status", "loadBalancer", "ingress")
    addresses = {text(point, "ip") or text(point, "hostname") for point in points} - {""}
    return [
        name(ingress),
        NONE if class_name is None else class_name,
        _hosts(objects(ingress, "spec", "rules")),
        ",".join(sorted(addresses)),
        "80, 443" if member(ingress, "spec", "tls") else "80",
        age(ingress, now),
    ]


def _hosts(rules: Sequence[JsonObject]) -> str:
    """Return the first hosts; how many more there are is counted in rules, as upstream does."""
    shown: list[str] = []
    more = False
    for rule in rules:
        more = more or len(shown) == _HOSTS_SHOWN
        if not more and text(rule, "host"):
            shown.append(text(rule, "host"))
    hosts = ",".join(shown) or "*"
    return f"{hosts} + {len(rules) - _HOSTS_SHOWN} more..." if more else hosts


def _class_cells(ingress_class: JsonObject, now: float) -> list[Cell]:
    annotations = member(ingress_class, "metadata", "annotations") or {}
    mark = " (default)" if annotations.get(_DEFAULT_CLASS) == "true" else ""
    cells = _unmarked_class_cells(ingress_class, now)
    return [f"{name(ingress_class)}{mark}", *cells[1:]]


def _unmarked_class_cells(ingress_class: JsonObject, now: float) -> list[Cell]:
    return [
        name(ingress_class),
        text(ingress_class, "spec", "controller"),
        _parameters(member(ingress_class, "spec", "parameters")),
        age(ingress_class, now),
    ]


def _parameters(reference: JsonObject | None) -> str:
    if reference is None:
        return NONE
    group = reference.get("apiGroup")
    kind = text(reference, "kind")
    return f"{kind if group is None else f'{kind}.{group}'}/{text(reference, 'name')}"


def _policy_cells(policy: JsonObject, now: float) -> list[Cell]:
    selector = format_label_selector(member(policy, "spec", "podSelector") or {})
    return [name(policy), selector, age(policy, now)]


INGRESS = Printer(
    (
        NAME,
        Column("Class", "The class whose controller implements it."),
        Column("Hosts", "Hosts that it answers for."),
        Column("Address", "Where it can be reached."),
        Column("Ports", "Ports that are open."),
        AGE,
    ),
    _ingress_cells,
)

INGRESS_CLASS = Printer(
    (
        NAME,
        Column("Controller", "Who implements the class."),
        Column("Parameters", "An object with more about it."),
        AGE,
    ),
    _class_cells,
)

INGRESS_CLASS_UNMARKED = INGRESS_CLASS._replace(cells=_unmarked_class_cells)
"""As 1.35 shows them."""

NETWORK_POLICY = Printer(
    (NAME, Column("Pod-Selector", "The pods that it is about."), AGE), _policy_cells
)
