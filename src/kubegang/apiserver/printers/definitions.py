"""Definitions of custom kinds (group apiextensions.k8s.io), as 1.37 shows them."""

from __future__ import annotations

from kubegang.apimachinery.objects import JsonObject
from kubegang.apiserver.printers.cells import has_true_condition, member, name, objects, text
from kubegang.apiserver.printers.columns import CREATED_AT, NAME, Cell, Column, Printer


def _cells(definition: JsonObject, _: float) -> list[Cell]:
    return [
        name(definition),
        text(definition, "spec", "scope"),
        _versions(definition),
        text(definition, "metadata", "creationTimestamp"),
        text(definition, "spec", "group"),
        text(definition, "spec", "names", "kind"),
        ",".join(member(definition, "spec", "names", "shortNames") or ()),
        has_true_condition(definition, "Established"),
    ]


def _versions(definition: JsonObject) -> str:
    """Return the versions that are served; the one that is stored is marked."""
    served = [one for one in objects(definition, "spec", "versions") if one.get("served")]
    return ",".join(f"{one['name']}{'(storage)' if one.get('storage') else ''}" for one in served)


DEFINITION = Printer(
    (
        NAME,
        Column("Scope", "Whether its objects are part of a namespace or of the cluster."),
        Column("Versions", "Versions that are served."),
        CREATED_AT,
        Column("Group", "Group of the kind.", wide=True),
        Column("Kind", "Name of the kind.", wide=True),
        Column("ShortNames", "Short names of the resource.", wide=True),
        Column("Established", "Whether the kind is served.", wide=True, value_type="boolean"),
    ),
    _cells,
)
