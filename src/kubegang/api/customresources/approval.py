"""Approval of APIs in Kubernetes' own groups: what the annotation says. Pure."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple
from urllib.parse import urlsplit

from kubegang.apimachinery.gotext import go_quote
from kubegang.apimachinery.objects import JsonObject

ANNOTATION: Final = "api-approved.kubernetes.io"
_SEE: Final = "see https://github.com/kubernetes/enhancements/pull/1111"

State = Literal["approved", "bypassed", "missing", "invalid"]


class Approval(NamedTuple):
    """What an annotation comes to, and the text about it."""

    state: State
    reason: str


def is_protected(group: str) -> bool:
    """Return whether a group belongs to the Kubernetes community."""
    return group in ("k8s.io", "kubernetes.io") or group.endswith((".k8s.io", ".kubernetes.io"))


def approval_of(definition: JsonObject) -> Approval:
    """Return what a definition says about its approval."""
    annotations = (definition.get("metadata") or {}).get("annotations") or {}
    said = annotations.get(ANNOTATION) or ""
    must = f"protected groups must have approval annotation {go_quote(ANNOTATION)}"
    if not said:
        return Approval("missing", f"{must}, {_SEE}")
    if said.startswith("unapproved"):
        return Approval("bypassed", f"not approved: {go_quote(said)}")
    if _is_address(said):
        return Approval("approved", f"approved in {said}")
    return Approval(
        "invalid", f'{must} with either a URL or a reason starting with "unapproved", {_SEE}'
    )


def _is_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    return bool(parts.scheme and parts.netloc)
