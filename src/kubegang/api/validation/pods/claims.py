"""Resource claims of a pod (DRA), and the containers that use them.

Pure.
"""

from __future__ import annotations

from collections.abc import Sequence

from kubegang.api.validation.checks import Errors, matching
from kubegang.api.validation.internal_form import invalid_form
from kubegang.api.validation.pods.context import PodContext
from kubegang.apimachinery.field import (
    FieldError,
    Path,
    duplicate,
    forbidden_field,
    go_value,
    required,
)
from kubegang.apimachinery.names import is_dns1123_label, is_dns1123_subdomain
from kubegang.apimachinery.objects import JsonObject

_SOURCES = ("resourceClaimName", "resourceClaimTemplateName")


def validate_pod_claims(claims: Sequence[JsonObject], path: Path, context: PodContext) -> Errors:
    """Check the claims of a pod: each has a name and exactly one source."""
    names: set[str] = set()
    for position, claim in enumerate(claims):
        if context.mirror:
            # Upstream names no field, and prints that as a list index without a list.
            yield forbidden_field(Path("[]"), "static pods do not support resource claims")
        else:
            yield from _pod_claim(claim, path.index(position), names)


def validate_container_claims(
    claims: Sequence[JsonObject], path: Path, context: PodContext
) -> Errors:
    """Check what a container uses of the pod's claims: known, and nothing twice."""
    seen: set[str] = set()
    for position, claim in enumerate(claims):
        name, request = claim.get("name") or "", claim.get("request") or ""
        item = path.index(position)
        if not name:
            yield required(item)
            continue
        if name in seen:
            yield duplicate(item, name)
        else:
            yield from _claim_request(item, name, request, seen)
            seen.add(f"{name}/{request}" if request else name)
        if name not in context.claim_names:
            yield _unknown_claim(item, name, context.claim_names)


def _pod_claim(claim: JsonObject, path: Path, names: set[str]) -> Errors:
    name = claim.get("name") or ""
    if not name:
        yield required(path.child("name"))
    elif name in names:
        yield duplicate(path.child("name"), name)
    else:
        yield from matching(path.child("name"), name, is_dns1123_label)
        names.add(name)
    given = [source for source in _SOURCES if claim.get(source) is not None]
    if len(given) > 1:
        detail = (
            "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified"
        )
        yield invalid_form(path, "PodResourceClaim", claim, detail)
    if not given:
        detail = "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`"
        yield invalid_form(path, "PodResourceClaim", claim, detail)
    for source in given:
        yield from matching(path.child(source), claim[source], is_dns1123_subdomain)


def _claim_request(path: Path, name: str, request: str, seen: set[str]) -> Errors:
    if request:
        yield from matching(path.child("request"), request, is_dns1123_label)
        if f"{name}/{request}" in seen:
            yield duplicate(path, f"{name}/{request}")
        return
    # The whole claim includes every request of it that was named before.
    for key in seen:
        if key.startswith(f"{name}/"):
            yield duplicate(path, name)


def _unknown_claim(path: Path, name: str, known: frozenset[str]) -> FieldError:
    names = f": {', '.join(sorted(known))}" if known else " which is empty"
    detail = f"must be one of the names in pod.spec.resourceClaims{names}"
    return FieldError("FieldValueNotFound", str(path), f"Not found: {go_value(name)}: {detail}")
