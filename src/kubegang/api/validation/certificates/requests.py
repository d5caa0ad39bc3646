"""CertificateSigningRequests: the request itself, its approval, and the certificate.

Pure.
"""

from __future__ import annotations

from collections.abc import Sequence

from kubegang.api.validation.certificates.reading import certificate_problem, request_problem
from kubegang.api.validation.checks import Errors, required_one_of
from kubegang.api.validation.pods.certificates import validate_signer_name
from kubegang.apimachinery.field import (
    Path,
    duplicate,
    forbidden_field,
    invalid_value,
    not_supported,
    required,
)
from kubegang.apimachinery.gotext import go_quote
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.feature_gates import FeatureGates

_SPEC = Path("spec")
_CONDITIONS = Path("status").child("conditions")
_CERTIFICATE = Path("status").child("certificate")
_LEGACY = "kubernetes.io/legacy-unknown"
_SHORTEST = 600
_DECISIONS = ("Approved", "Denied")
_FOR_GOOD = (*_DECISIONS, "Failed")
_BOTH = '{conditions[{"type": "Approved"}], conditions[{"type": "Denied"}]}'
_EXCLUSIVE = (
    'must specify at most one of: `conditions[{"type": "Approved"}]`, '
    '`conditions[{"type": "Denied"}]`'
)
_USAGES = (
    "any",
    "cert sign",
    "client auth",
    "code signing",
    "content commitment",
    "crl sign",
    "data encipherment",
    "decipher only",
    "digital signature",
    "email protection",
    "encipher only",
    "ipsec end system",
    "ipsec tunnel",
    "ipsec user",
    "key agreement",
    "key encipherment",
    "microsoft sgc",
    "netscape sgc",
    "ocsp signing",
    "s/mime",
    "server auth",
    "signing",
    "timestamping",
)


def any_name(_name: str) -> list[str]:
    """Accept every name."""
    return []


def validate_request(request: JsonObject, _gates: FeatureGates) -> Errors:
    """Check a new request."""
    yield from _spec(request, {})
    yield from _conditions(request, {})


def validate_request_update(new: JsonObject, old: JsonObject, _gates: FeatureGates) -> Errors:
    """Check a changed request: only metadata may change."""
    yield from _whole(new, old)
    yield from _decisions_stay(new, old)
    yield from _certificate_stays(new, old, may_set=False)


def validate_request_status(new: JsonObject, old: JsonObject, _gates: FeatureGates) -> Errors:
    """Check what a signer writes: a certificate, once, and no decisions."""
    yield from _whole(new, old)
    yield from _decisions_stay(new, old)
    yield from _certificate_stays(new, old, may_set=True)


def validate_request_approval(new: JsonObject, old: JsonObject, _gates: FeatureGates) -> Errors:
    """Check what an approver writes: decisions, which are never taken back."""
    yield from _whole(new, old)
    yield from _certificate_stays(new, old, may_set=False)


def _whole(new: JsonObject, old: JsonObject) -> Errors:
    yield from _spec(new, old)
    yield from _conditions(new, old)
    certificate = _certificate_of(new)
    if certificate != _certificate_of(old) and (problem := certificate_problem(certificate)):
        yield invalid_value(_CERTIFICATE, "<certificate data>", problem)
    for kind in _FOR_GOOD:
        if len(_of_type(new, kind)) < len(_of_type(old, kind)):
            detail = f"updates may not remove a condition of type {go_quote(kind)}"
            yield forbidden_field(_CONDITIONS, detail)


def _spec(request: JsonObject, old: JsonObject) -> Errors:
    spec, old_spec = request.get("spec") or {}, old.get("spec") or {}
    encoded = spec.get("request")
    if problem := request_problem(encoded or ""):
        yield invalid_value(_SPEC.child("request"), encoded, problem)
    yield from _usages(spec.get("usages") or (), old_spec.get("usages") or ())
    signer, path = spec.get("signerName") or "", _SPEC.child("signerName")
    if signer == _LEGACY and old_spec.get("signerName") != _LEGACY:
        detail = "the legacy signerName is not allowed via this API version"
        yield invalid_value(path, signer, detail)
    else:
        yield from validate_signer_name(path, signer)
    seconds = spec.get("expirationSeconds")
    if seconds is not None and seconds < _SHORTEST:
        detail = "may not specify a duration less than 600 seconds (10 minutes)"
        yield invalid_value(_SPEC.child("expirationSeconds"), seconds, detail)


def _usages(usages: Sequence[str], old: Sequence[str]) -> Errors:
    path, seen = _SPEC.child("usages"), set[str]()
    may_be_unknown, may_repeat = not set(old).issubset(_USAGES), len(set(old)) < len(old)
    if not usages:
        yield required(path)
    for position, usage in enumerate(usages):
        if usage not in _USAGES and not may_be_unknown:
            yield not_supported(path.index(position), usage, _USAGES)
        if usage in seen and not may_repeat:
            yield duplicate(path.index(position), usage)
        seen.add(usage)


def _conditions(request: JsonObject, old: JsonObject) -> Errors:
    old_types = [one.get("type") or "" for one in _all_conditions(old)]
    may_be_both = all(kind in old_types for kind in _DECISIONS)
    may_repeat, seen = len(set(old_types)) < len(old_types), set[str]()
    for position, condition in enumerate(_all_conditions(request)):
        kind, path = condition.get("type") or "", _CONDITIONS.index(position)
        if not kind and "" not in old_types:
            yield required(path.child("type"))
        allowed = ("True",) if kind in _FOR_GOOD else ("False", "True", "Unknown")
        yield from required_one_of(path.child("status"), condition.get("status"), allowed)
        other = {"Approved": "Denied", "Denied": "Approved"}.get(kind)
        if other in seen and not may_be_both:
            yield invalid_value(_CONDITIONS, _BOTH, _EXCLUSIVE)
        if kind in seen and not may_repeat:
            yield duplicate(path.child("type"), kind)
        seen.add(kind)


def _decisions_stay(new: JsonObject, old: JsonObject) -> Errors:
    for kind in _DECISIONS:
        if len(_of_type(new, kind)) > len(_of_type(old, kind)):
            detail = f"updates may not add a condition of type {go_quote(kind)}"
            yield forbidden_field(_CONDITIONS, detail)


def _certificate_stays(new: JsonObject, old: JsonObject, *, may_set: bool) -> Errors:
    before = _certificate_of(old)
    if _certificate_of(new) == before:
        return
    if not may_set:
        yield forbidden_field(_CERTIFICATE, "updates may not set certificate content")
    elif before:
        yield forbidden_field(_CERTIFICATE, "updates may not modify existing certificate content")


def _all_conditions(request: JsonObject) -> Sequence[JsonObject]:
    return (request.get("status") or {}).get("conditions") or ()


def _of_type(request: JsonObject, kind: str) -> list[JsonObject]:
    return [one for one in _all_conditions(request) if one.get("type") == kind]


def _certificate_of(request: JsonObject) -> str:
    return (request.get("status") or {}).get("certificate") or ""
