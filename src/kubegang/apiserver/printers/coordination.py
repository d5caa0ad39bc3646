"""Leases."""

from __future__ import annotations

from kubegang.apimachinery.objects import JsonObject
from kubegang.apiserver.printers.cells import age, name, text
from kubegang.apiserver.printers.columns import AGE, NAME, Cell, Column, Printer


def _cells(lease: JsonObject, now: float) -> list[Cell]:
    return [name(lease), text(lease, "spec", "holderIdentity"), age(lease, now)]


LEASE = Printer((NAME, Column("Holder", "Who holds it."), AGE), _cells)
