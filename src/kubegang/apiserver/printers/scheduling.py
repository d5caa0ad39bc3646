"""PriorityClass, Workload, PodGroup and CompositePodGroup (columns measured on 1.37.2)."""

from __future__ import annotations

from kubegang.apimachinery.objects import JsonObject
from kubegang.apiserver.printers.cells import (
    NONE,
    age,
    condition,
    member,
    name,
    number,
    text,
)
from kubegang.apiserver.printers.columns import AGE, NAME, Cell, Column, Printer

SCHEDULED_CONDITIONS = ("PodGroupInitiallyScheduled", "PodGroupScheduled")
"""The condition's name in 1.37, and in 1.36."""


def _priority_class_cells(priority_class: JsonObject, now: float) -> list[Cell]:
    return [
        name(priority_class),
        number(priority_class, "value"),
        bool(member(priority_class, "globalDefault")),
        age(priority_class, now),
        text(priority_class, "preemptionPolicy"),
    ]


def _pod_group_cells(group: JsonObject, now: float) -> list[Cell]:
    return [name(group), _policy(group), _workload(group), _status(group), age(group, now)]


def _composite_cells(group: JsonObject, now: float) -> list[Cell]:
    return [name(group), _policy(group), _workload(group), age(group, now)]


def _policy(group: JsonObject) -> str:
    gang = member(group, "spec", "schedulingPolicy", "gang")
    return "Basic" if gang is None else "Gang"


def _workload(group: JsonObject) -> str:
    for path in (("workloadRef",), ("podGroupTemplateRef", "workload")):
        if member(group, "spec", *path) is not None:
            return text(group, "spec", *path, "workloadName")
    return NONE


def _status(group: JsonObject) -> str:
    """Return the status; a disruption wins whatever its value, and shows its reason."""
    if (disruption := condition(group, "DisruptionTarget")) is not None:
        return text(disruption, "reason")
    for condition_type in SCHEDULED_CONDITIONS:
        if (scheduled := condition(group, condition_type)) is not None:
            return "Scheduled" if scheduled.get("status") == "True" else "Unschedulable"
    return "Pending"


_POLICY = Column("Policy", "Gang: all or none. Basic: pod by pod.")
_WORKLOAD = Column("Workload", "The workload whose template it was made from.")

PRIORITY_CLASS = Printer(
    (
        NAME,
        Column("Value", "The priority that it stands for.", value_type="integer"),
        Column("Global-Default", "Whether pods without a class get it.", value_type="boolean"),
        AGE,
        Column("PreemptionPolicy", "Whether its pods may preempt others."),
    ),
    _priority_class_cells,
)

POD_GROUP = Printer(
    (NAME, _POLICY, _WORKLOAD, Column("Status", "How its scheduling stands."), AGE),
    _pod_group_cells,
)

COMPOSITE_POD_GROUP = Printer((NAME, _POLICY, _WORKLOAD, AGE), _composite_cells)
