"""Devices: claims on them, and the slices that offer them."""

from __future__ import annotations

from kubegang.apimachinery.objects import JsonObject
from kubegang.apiserver.printers.cells import age, member, name, objects, since, terminating, text
from kubegang.apiserver.printers.columns import AGE, NAME, Cell, Column, Printer


def _claim_cells(claim: JsonObject, now: float) -> list[Cell]:
    return [name(claim), ",".join(_claim_states(claim)), age(claim, now)]


def _claim_states(claim: JsonObject) -> list[str]:
    states = ["deleted"] if terminating(claim) else []
    if member(claim, "status", "allocation") is not None:
        states.append("allocated")
        if objects(claim, "status", "reservedFor"):
            states.append("reserved")
    return states or ["pending"]


def _slice_cells(resource_slice: JsonObject, now: float) -> list[Cell]:
    return [
        name(resource_slice),
        text(resource_slice, "spec", "nodeName"),
        text(resource_slice, "spec", "driver"),
        text(resource_slice, "spec", "pool", "name"),
        age(resource_slice, now),
    ]


def _taint_rule_cells(rule: JsonObject, now: float) -> list[Cell]:
    taint = member(rule, "spec", "taint")
    added = text(taint, "timeAdded")
    return [
        name(rule),
        text(taint, "key"),
        text(taint, "value"),
        text(taint, "effect"),
        since(added, now) if added else "",
        age(rule, now),
    ]


RESOURCE_CLAIM = Printer(
    (NAME, Column("State", "Pending, allocated, reserved, deleted."), AGE), _claim_cells
)

RESOURCE_SLICE = Printer(
    (
        NAME,
        Column("Node", "The node that has the devices."),
        Column("Driver", "The driver that offers them."),
        Column("Pool", "The pool that the slice is a part of."),
        AGE,
    ),
    _slice_cells,
)

DEVICE_TAINT_RULE = Printer(
    (
        NAME,
        Column("Key", "The taint's key."),
        Column("Value", "The taint's value."),
        Column("Effect", "What the taint does to pods."),
        Column("TimeAdded", "Time since the taint was added."),
        AGE,
    ),
    _taint_rule_cells,
)
