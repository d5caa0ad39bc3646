"""What a claim asks for: requests, constraints between them, configuration.

Pure.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial

import msgspec

from kubegang.api.resource.selectors import SelectorError, compile_selector
from kubegang.api.validation.checks import Errors, matching
from kubegang.api.validation.devices.names import (
    class_name,
    declared_driver_name,
    full_attribute_name,
    name_of,
    no_duplicates,
    raw_object,
    request_name,
    validate_list,
)
from kubegang.apimachinery.cel.declarations import functions
from kubegang.apimachinery.field import (
    Path,
    invalid_value,
    not_supported,
    required,
    too_long,
)
from kubegang.apimachinery.names import is_label_value, is_qualified_name
from kubegang.apimachinery.objects import JsonObject

MAX_REQUESTS = 32
MAX_CONFIGS = 32
_MAX_CONSTRAINTS = 32
_MAX_SELECTORS = 32
_MAX_ALTERNATIVES = 8
_MAX_TOLERATIONS = 16
_MAX_EXPRESSION = 10 * 1024
_MAX_PARAMETERS = 10 * 1024

_UNDECLARED = re.compile(r"undeclared reference to '(\w+)'")
_MODES = ("All", "ExactCount")
_TAINT_EFFECTS = ("NoExecute", "NoSchedule", "None")
_ONE_KIND = "exactly one of `exactly` or `firstAvailable` is required"
_UNKNOWN_REQUEST = (
    "must be the name of a request in the claim or the name of a request and a subrequest "
    "separated by '/'"
)

RequestNames = Mapping[str, frozenset[str]]
"""The requests of a claim, each with its alternatives."""


def names_of_requests(spec: JsonObject) -> RequestNames:
    """Return which requests a claim has."""
    requests = (spec.get("devices") or {}).get("requests") or ()
    return {
        name_of(request): frozenset(map(name_of, request.get("firstAvailable") or ()))
        for request in requests
    }


def validate_claim_spec(spec: JsonObject, path: Path) -> Errors:
    """Check the spec of a claim."""
    devices, where = spec.get("devices") or {}, path.child("devices")
    names = names_of_requests(spec)
    requests = devices.get("requests") or ()
    yield from validate_list(requests, where.child("requests"), _request, at_most=MAX_REQUESTS)
    yield from validate_list(
        devices.get("constraints") or (),
        where.child("constraints"),
        partial(_constraint, names=names),
        at_most=_MAX_CONSTRAINTS,
    )
    yield from validate_list(
        devices.get("config") or (),
        where.child("config"),
        partial(_config, names=names),
        at_most=MAX_CONFIGS,
    )
    if len(requests) <= MAX_REQUESTS:
        yield from no_duplicates(requests, where.child("requests"), name_of, shown=dict)


def validate_selectors(selectors: Sequence[JsonObject], path: Path) -> Errors:
    """Check the expressions that devices have to match."""
    yield from validate_list(selectors, path, _selector, at_most=_MAX_SELECTORS)


def validate_configuration(config: JsonObject, path: Path) -> Errors:
    """Check parameters for a driver."""
    opaque, where = config.get("opaque"), path.child("opaque")
    if opaque is None:
        yield required(where)
        return
    parameters = opaque.get("parameters")
    size = len(msgspec.json.encode(parameters))
    yield from raw_object(parameters, where.child("parameters"), at_most=_MAX_PARAMETERS, size=size)
    yield from declared_driver_name(opaque.get("driver") or "", where.child("driver"))


def validate_reference(name: str, path: Path, *, names: RequestNames) -> Errors:
    """Check that a request, or one of its alternatives, exists."""
    parts = name.split("/")
    if len(parts) > 2:
        yield invalid_value(path, name, _UNKNOWN_REQUEST)
        return
    for part in parts:
        yield from request_name(part, path)
    if parts[0] not in names or (len(parts) == 2 and parts[1] not in names[parts[0]]):
        yield invalid_value(path, name, _UNKNOWN_REQUEST)


def validate_references(references: Sequence[str], path: Path, *, names: RequestNames) -> Errors:
    """Check a list of requests that something is about."""
    rule = partial(validate_reference, names=names)
    yield from validate_list(references, path, rule, at_most=MAX_REQUESTS)
    yield from no_duplicates(references, path, str, shown=str)


def validate_tolerations(tolerations: Sequence[JsonObject], path: Path) -> Errors:
    """Check which taints of devices are put up with."""
    yield from validate_list(tolerations, path, _toleration, at_most=_MAX_TOLERATIONS)


def _request(request: JsonObject, path: Path) -> Errors:
    yield from request_name(name_of(request), path.child("name"))
    exactly, alternatives = request.get("exactly"), request.get("firstAvailable") or ()
    if exactly is not None and alternatives:
        yield invalid_value(path, None, f"{_ONE_KIND}, but multiple fields are set")
    elif exactly is not None:
        yield from _devices(exactly, path.child("exactly"))
    elif alternatives:
        where = path.child("firstAvailable")
        yield from validate_list(alternatives, where, _alternative, at_most=_MAX_ALTERNATIVES)
        yield from no_duplicates(alternatives, where, name_of, shown=dict)
    else:
        yield required(path, _ONE_KIND)


def _alternative(request: JsonObject, path: Path) -> Errors:
    yield from request_name(name_of(request), path.child("name"))
    yield from _devices(request, path)


def _devices(request: JsonObject, path: Path) -> Errors:
    yield from class_name(request.get("deviceClassName"), path.child("deviceClassName"))
    yield from validate_selectors(request.get("selectors") or (), path.child("selectors"))
    mode, count = request.get("allocationMode") or "", request.get("count") or 0
    if mode not in _MODES:
        yield not_supported(path.child("allocationMode"), mode, _MODES)
    elif mode == "All" and count:
        detail = "must not be specified when allocationMode is 'All'"
        yield invalid_value(path.child("count"), count, detail)
    elif mode != "All" and count <= 0:
        yield invalid_value(path.child("count"), count, "must be greater than zero")
    yield from validate_tolerations(request.get("tolerations") or (), path.child("tolerations"))


def _selector(selector: JsonObject, path: Path) -> Errors:
    cel = selector.get("cel")
    if cel is None:
        yield required(path.child("cel"))
        return
    expression, where = cel.get("expression") or "", path.child("cel", "expression")
    if len(expression.encode()) > _MAX_EXPRESSION:
        yield too_long(where, _MAX_EXPRESSION)
        return
    try:
        compile_selector(expression)
    except SelectorError as error:
        if not _is_beyond_us(str(error)):
            yield invalid_value(where, expression, str(error))


def _is_beyond_us(text: str) -> bool:
    """Return whether an expression fails only for functions that selectors cannot compute here.

    Kubernetes has them, so the expression may be right.
    """
    findings = [part for part in text.split("ERROR: ")[1:] if part]
    unknown = [_UNDECLARED.search(finding) for finding in findings]
    return bool(findings) and all(one is not None and one[1] in functions() for one in unknown)


def _constraint(constraint: JsonObject, path: Path, *, names: RequestNames) -> Errors:
    yield from validate_references(
        constraint.get("requests") or (), path.child("requests"), names=names
    )
    for name in ("matchAttribute", "distinctAttribute"):
        if (attribute := constraint.get(name)) is not None:
            yield from full_attribute_name(attribute, path.child(name))
            return
    # Upstream's text, which also serves where no field is set.
    detail = (
        'exactly one of "matchAttribute" or "distinctAttribute" is required, '
        "but multiple fields are set"
    )
    yield required(path, detail)


def _config(config: JsonObject, path: Path, *, names: RequestNames) -> Errors:
    yield from validate_references(
        config.get("requests") or (), path.child("requests"), names=names
    )
    yield from validate_configuration(config, path)


def _toleration(toleration: JsonObject, path: Path) -> Errors:
    operator, value = toleration.get("operator") or "Equal", toleration.get("value") or ""
    if operator == "Exists":
        if value:
            detail = "must be empty for operator `Exists`"
            yield invalid_value(path.child("value"), value, detail)
    elif operator == "Equal":
        yield from matching(path.child("value"), value, is_label_value)
    else:
        yield not_supported(path.child("operator"), operator, ("Equal", "Exists"))
    if key := toleration.get("key"):
        yield from matching(path.child("key"), key, is_qualified_name)
    effect = toleration.get("effect")
    if effect and effect not in _TAINT_EFFECTS:
        yield not_supported(path.child("effect"), effect, _TAINT_EFFECTS)
