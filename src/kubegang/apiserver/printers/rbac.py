"""Role bindings: who gets which role."""

from __future__ import annotations

from kubegang.apimachinery.objects import JsonObject
from kubegang.apiserver.printers.cells import age, member, name, objects, text
from kubegang.apiserver.printers.columns import AGE, NAME, Cell, Column, Printer


def _binding_cells(binding: JsonObject, now: float) -> list[Cell]:
    role = member(binding, "roleRef")
    return [
        name(binding),
        f"{text(role, 'kind')}/{text(role, 'name')}",
        age(binding, now),
        _subjects(binding, "User"),
        _subjects(binding, "Group"),
        _subjects(binding, "ServiceAccount"),
    ]


def _subjects(binding: JsonObject, kind: str) -> str:
    return ", ".join(
        f"{text(subject, 'namespace')}/{text(subject, 'name')}"
        if kind == "ServiceAccount"
        else text(subject, "name")
        for subject in objects(binding, "subjects")
        if subject.get("kind") == kind
    )


BINDING = Printer(
    (
        NAME,
        Column("Role", "The role given."),
        AGE,
        Column("Users", "Users who get it.", wide=True),
        Column("Groups", "Groups that get it.", wide=True),
        Column("ServiceAccounts", "Service accounts that get it.", wide=True),
    ),
    _binding_cells,
)
