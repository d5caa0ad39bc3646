"""Storage classes and volume attributes classes.

Pure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kubegang.api.validation.checks import IMMUTABLE, Errors, matching, one_of
from kubegang.apimachinery.field import (
    Path,
    duplicate,
    forbidden_field,
    invalid_value,
    required,
    too_long,
)
from kubegang.apimachinery.names import is_qualified_name
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.feature_gates import FeatureGates

_RECLAIM_POLICIES = ("Delete", "Retain")
_BINDING_MODES = ("Immediate", "WaitForFirstConsumer")
_FROZEN = ("parameters", "provisioner", "reclaimPolicy", "volumeBindingMode")
_MAX_PARAMETERS = 512
_MAX_PARAMETERS_BYTES = 256 * 1024


def validate_storage_class(storage_class: JsonObject, _gates: FeatureGates) -> Errors:
    """Check a new storage class."""
    yield from _driver(storage_class.get("provisioner") or "", Path("provisioner"))
    yield from _parameters(storage_class.get("parameters") or {})
    policy = storage_class.get("reclaimPolicy") or None
    yield from one_of(Path("reclaimPolicy"), policy, _RECLAIM_POLICIES)
    mode = storage_class.get("volumeBindingMode")
    yield from one_of(Path("volumeBindingMode"), mode, _BINDING_MODES)
    yield from _topologies(storage_class.get("allowedTopologies") or ())


def validate_storage_class_update(new: JsonObject, old: JsonObject, _gates: FeatureGates) -> Errors:
    """Check a changed storage class: what volumes were made from stays as it is."""
    for name in _FROZEN:
        if (new.get(name) or None) != (old.get(name) or None):
            yield invalid_value(Path(name), None, IMMUTABLE)


def validate_attributes_class(attributes_class: JsonObject, _gates: FeatureGates) -> Errors:
    """Check a new volume attributes class."""
    yield from _driver(attributes_class.get("driverName") or "", Path("driverName"))
    parameters = attributes_class.get("parameters") or {}
    yield from _parameters(parameters)
    if not parameters:
        yield required(Path("parameters"), "must contain at least one key/value pair")


def validate_attributes_class_update(
    new: JsonObject, old: JsonObject, gates: FeatureGates
) -> Errors:
    """Check a changed volume attributes class: only metadata may change."""
    for name in ("driverName", "parameters"):
        if (new.get(name) or None) != (old.get(name) or None):
            yield forbidden_field(Path(name), f"updates to {name} are forbidden.")
    yield from validate_attributes_class(new, gates)


def _driver(name: str, path: Path) -> Errors:
    if not name:
        yield required(path)
    else:
        yield from matching(path, name.lower(), is_qualified_name)


def _parameters(parameters: Mapping[str, str]) -> Errors:
    path = Path("parameters")
    if len(parameters) > _MAX_PARAMETERS:
        yield too_long(path, _MAX_PARAMETERS)
        return
    if "" in parameters:
        yield invalid_value(path, "", "field can not be empty.")
    size = sum(len(key.encode()) + len(value.encode()) for key, value in parameters.items())
    if size > _MAX_PARAMETERS_BYTES:
        yield too_long(path, _MAX_PARAMETERS_BYTES)


def _topologies(terms: Sequence[JsonObject]) -> Errors:
    seen: list[Mapping[str, frozenset[str]]] = []
    for position, term in enumerate(terms):
        path = Path("allowedTopologies").index(position).child("matchLabelExpressions")
        requirements = term.get("matchLabelExpressions") or ()
        meaning: dict[str, frozenset[str]] = {}
        for number, requirement in enumerate(requirements):
            yield from _requirement(requirement, path.index(number), known=meaning)
            values = requirement.get("values") or ()
            meaning[requirement.get("key") or ""] = frozenset(values)
        if meaning in seen:
            yield duplicate(path, "")
        seen.append(meaning)


def _requirement(
    requirement: JsonObject, path: Path, *, known: Mapping[str, frozenset[str]]
) -> Errors:
    key, values = requirement.get("key") or "", requirement.get("values") or ()
    if not values:
        yield required(path.child("values"))
    for position, value in enumerate(values):
        if value in values[:position]:
            yield duplicate(path.child("values").index(position), value)
    yield from matching(path.child("key"), key, is_qualified_name)
    if key in known:
        yield duplicate(path.child("key"), key)
