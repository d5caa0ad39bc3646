"""Which names a definition may have: those that no other definition of its group has taken.

First come, first served, name by name; a definition is served once it has had all its names.
Texts are those of kube-apiserver's naming controller (measured on 1.37.2). Pure.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from kubegang.api.customresources.approval import approval_of, is_protected
from kubegang.apimachinery.objects import JsonObject

_APPROVALS: Final = {
    "approved": ("True", "ApprovedAnnotation"),
    "bypassed": ("False", "UnapprovedAnnotation"),
    "missing": ("False", "MissingAnnotation"),
    "invalid": ("False", "InvalidAnnotation"),
}


class _Verdict(NamedTuple):
    names: JsonObject
    condition: JsonObject


def condition_status(definition: JsonObject, kind: str) -> str:
    """Return the status of a condition, empty if it is not there."""
    for condition in (definition.get("status") or {}).get("conditions") or ():
        if condition["type"] == kind:
            return str(condition["status"])
    return ""


def status_of(definition: JsonObject, others: Iterable[JsonObject], *, now: str) -> JsonObject:
    """Return the status that a definition should have beside the other definitions."""
    status: JsonObject = {**(definition.get("status") or {})}
    conditions = [dict(one) for one in status.get("conditions") or ()]
    verdict = _accepted(definition, others)
    status["acceptedNames"] = verdict.names
    set_condition(conditions, verdict.condition, now=now)
    accepted = verdict.condition["status"] == "True"
    established = _established(conditions, accepted=accepted)
    if established is not None:
        set_condition(conditions, established, now=now)
    if is_protected(definition["spec"]["group"]):
        set_condition(conditions, _approval_condition(definition), now=now)
    status["conditions"] = conditions
    return status


def set_condition(conditions: list[JsonObject], condition: JsonObject, *, now: str) -> None:
    """Set a condition in place; its time is kept unless its status changes."""
    for known in conditions:
        if known["type"] == condition["type"]:
            if known["status"] != condition["status"]:
                known["lastTransitionTime"] = now
            known.update(condition)
            return
    kind, status = condition["type"], condition["status"]
    conditions.append({"type": kind, "status": status, "lastTransitionTime": now, **condition})


def condition(kind: str, status: str, reason: str, message: str) -> JsonObject:
    """Return a condition without its time."""
    return {"type": kind, "status": status, "reason": reason, "message": message}


def _accepted(definition: JsonObject, others: Iterable[JsonObject]) -> _Verdict:
    wanted = definition["spec"]["names"]
    had: JsonObject = (definition.get("status") or {}).get("acceptedNames") or {}
    resources, kinds = _taken(definition, others)
    names, reason, message = dict(had), "", ""
    for name in ("plural", "singular", "shortNames", "kind", "listKind"):
        taken = kinds if name in ("kind", "listKind") else resources
        problem = _problem(wanted.get(name), had.get(name), taken)
        if problem:
            # The last conflict is the one that is told.
            reason, message = f"{name[0].upper()}{name[1:]}Conflict", problem
        elif wanted.get(name):
            names[name] = wanted[name]
        else:
            names.pop(name, None)
    if wanted.get("categories"):
        names["categories"] = wanted["categories"]
    else:
        names.pop("categories", None)
    if reason:
        return _Verdict(names, condition("NamesAccepted", "False", reason, message))
    return _Verdict(names, condition("NamesAccepted", "True", "NoConflicts", "no conflicts found"))


def _taken(definition: JsonObject, others: Iterable[JsonObject]) -> tuple[set[str], set[str]]:
    """Return the names of resources and of kinds that the group's definitions have."""
    resources: set[str] = set()
    kinds: set[str] = set()
    for other in others:
        if other["spec"]["group"] == definition["spec"]["group"]:
            names = (other.get("status") or {}).get("acceptedNames") or {}
            resources.update(names.get(name, "") for name in ("plural", "singular"))
            resources.update(names.get("shortNames") or ())
            kinds.update(names.get(name, "") for name in ("kind", "listKind"))
    return resources, kinds


def _problem(wanted: Any, had: Any, taken: set[str]) -> str:
    if isinstance(wanted, list) or isinstance(had, list):
        used = [one for one in wanted or () if one not in (had or ()) and one in taken]
    else:
        used = [wanted] if wanted != had and wanted in taken else []
    texts = [f'"{one}" is already in use' for one in used]
    return texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]" if texts else ""


def _established(conditions: list[JsonObject], *, accepted: bool) -> JsonObject | None:
    known = next((one for one in conditions if one["type"] == "Established"), None)
    if known is not None and known["status"] == "True":
        return None
    if accepted:
        text = "the initial names have been accepted"
        return condition("Established", "True", "InitialNamesAccepted", text)
    if known is not None:
        return None
    return condition("Established", "False", "NotAccepted", "not all names are accepted")


def _approval_condition(definition: JsonObject) -> JsonObject:
    approval = approval_of(definition)
    status, reason = _APPROVALS[approval.state]
    return condition("KubernetesAPIApprovalPolicyConformant", status, reason, approval.reason)
