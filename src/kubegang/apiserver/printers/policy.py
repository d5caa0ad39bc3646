"""Pod disruption budgets."""

from __future__ import annotations

from kubegang.apimachinery.objects import JsonObject
from kubegang.apiserver.printers.cells import age, member, name, number
from kubegang.apiserver.printers.columns import AGE, NAME, Cell, Column, Printer


def _cells(budget: JsonObject, now: float) -> list[Cell]:
    return [
        name(budget),
        _amount(member(budget, "spec", "minAvailable")),
        _amount(member(budget, "spec", "maxUnavailable")),
        number(budget, "status", "disruptionsAllowed"),
        age(budget, now),
    ]


def _amount(value: int | str | None) -> str:
    return "N/A" if value is None else str(value)


POD_DISRUPTION_BUDGET = Printer(
    (
        NAME,
        Column("Min Available", "Pods that must stay available."),
        Column("Max Unavailable", "Pods that may be unavailable."),
        Column("Allowed Disruptions", "Pods that may be evicted now.", value_type="integer"),
        AGE,
    ),
    _cells,
)
