"""Requests for certificates: who wants one from whom, and what became of it."""

from __future__ import annotations

from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.times import human_duration
from kubegang.apiserver.printers.cells import NONE, age, member, name, objects, text
from kubegang.apiserver.printers.columns import AGE, NAME, Cell, Column, Printer


def _cells(request: JsonObject, now: float) -> list[Cell]:
    seconds = member(request, "spec", "expirationSeconds")
    return [
        name(request),
        age(request, now),
        text(request, "spec", "signerName") or NONE,
        text(request, "spec", "username"),
        NONE if seconds is None else human_duration(seconds),
        _condition(request),
    ]


def _condition(request: JsonObject) -> str:
    """Return the decision, and what followed it; a denial goes before an approval."""
    found = {text(one, "type") for one in objects(request, "status", "conditions")}
    decision = next((one for one in ("Denied", "Approved") if one in found), "Pending")
    failed = ",Failed" if "Failed" in found else ""
    issued = ",Issued" if text(request, "status", "certificate") else ""
    return f"{decision}{failed}{issued}"


SIGNING_REQUEST = Printer(
    (
        NAME,
        AGE,
        Column("SignerName", "Who is to sign."),
        Column("Requestor", "Who asks."),
        Column("RequestedDuration", "For how long."),
        Column("Condition", "What became of it."),
    ),
    _cells,
)
