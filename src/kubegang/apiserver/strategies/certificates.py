"""CertificateSigningRequests: each path writes its own part, and the server notes the times."""

from __future__ import annotations

from kubegang.apimachinery.objects import JsonObject
from kubegang.apiserver.strategies.rules import KindRules


def _nothing_changes(new: JsonObject, old: JsonObject) -> None:
    """Keep all but metadata; the status is kept by the rules of all kinds."""
    new["spec"] = old["spec"]


def _keep_decisions(new: JsonObject, old: JsonObject) -> None:
    """A signer leaves decisions as they are, unless it adds or removes one, which is refused."""
    conditions = _conditions(new)
    for kind in ("Approved", "Denied"):
        places = [place for place, one in enumerate(conditions) if one.get("type") == kind]
        before = [one for one in _conditions(old) if one.get("type") == kind]
        if len(places) == len(before):
            for place, condition in zip(places, before, strict=True):
                conditions[place] = dict(condition)


def _note_times(new: JsonObject, old: JsonObject, now: str) -> None:
    for condition in _conditions(new):
        if not condition.get("lastUpdateTime"):
            condition["lastUpdateTime"] = now
        if not condition.get("lastTransitionTime"):
            condition["lastTransitionTime"] = _since(condition, old) or now


def _since(condition: JsonObject, old: JsonObject) -> str:
    """Return since when a condition is as it is; empty if it was not so before."""
    for before in _conditions(old):
        if all(before.get(name) == condition.get(name) for name in ("type", "status")):
            since: str = before.get("lastTransitionTime") or ""
            if since:
                return since
    return ""


def _approve(new: JsonObject, old: JsonObject, now: str) -> None:
    """Change conditions only."""
    _note_times(new, old, now)
    conditions = _conditions(new)
    new["spec"] = old["spec"]
    new["status"] = {**(old.get("status") or {}), "conditions": conditions}


def _conditions(request: JsonObject) -> list[JsonObject]:
    return (request.get("status") or {}).get("conditions") or []


SIGNING_REQUESTS = KindRules(
    prepare_update=_nothing_changes,
    prepare_status_update=_keep_decisions,
    stamp_status_update=_note_times,
    own_subresources={"approval": _approve},
)
