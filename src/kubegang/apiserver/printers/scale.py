"""Scales."""

from __future__ import annotations

from kubegang.apimachinery.objects import JsonObject
from kubegang.apiserver.printers.cells import age, name, number
from kubegang.apiserver.printers.columns import AGE, NAME, Cell, Column, Printer


def _cells(scale: JsonObject, now: float) -> list[Cell]:
    desired, available = number(scale, "spec", "replicas"), number(scale, "status", "replicas")
    return [name(scale), desired, available, age(scale, now)]


SCALE = Printer(
    (
        # Measured on 1.37.2: this name has no format of its own.
        NAME._replace(value_format=""),
        Column("Desired", "Replicas that the object asks for.", value_type="integer"),
        Column("Available", "Replicas that were seen last.", value_type="integer"),
        AGE,
    ),
    _cells,
)
