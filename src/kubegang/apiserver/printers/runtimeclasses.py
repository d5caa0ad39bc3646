"""Runtime classes (group node.k8s.io)."""

from __future__ import annotations

from kubegang.apimachinery.objects import JsonObject
from kubegang.apiserver.printers.cells import age, name, text
from kubegang.apiserver.printers.columns import AGE, NAME, Cell, Column, Printer


def _cells(runtime_class: JsonObject, now: float) -> list[Cell]:
    return [name(runtime_class), text(runtime_class, "handler"), age(runtime_class, now)]


RUNTIME_CLASS = Printer((NAME, Column("Handler", "Who runs its pods on a node."), AGE), _cells)
