"""The options of a DELETE: from its body, or from the query if it has none (upstream's rule)."""

from __future__ import annotations

import msgspec

from kubegang.apimachinery.errors import BadRequestError
from kubegang.apimachinery.field import (
    FieldError,
    Path,
    invalid_object,
    invalid_value,
    not_supported,
)
from kubegang.apimachinery.objects import GroupVersionKind, JsonObject
from kubegang.apimachinery.typecheck import json_type_problem
from kubegang.apiserver.backend import Backend
from kubegang.apiserver.bodies import decode_options
from kubegang.apiserver.deleting import DeleteOptions
from kubegang.apiserver.errors import unparsable_number
from kubegang.apiserver.options import dry_run_rules
from kubegang.apiserver.requests import ApiRequest

_DEFINITION = "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions"
_POLICIES = ("Foreground", "Background", "Orphan")


class _Preconditions(msgspec.Struct, rename="camel"):
    uid: str | None = None
    resource_version: str | None = None


class _Wire(msgspec.Struct, rename="camel"):
    """DeleteOptions as they come."""

    grace_period_seconds: int | None = None
    preconditions: _Preconditions | None = None
    orphan_dependents: bool | None = None
    propagation_policy: str | None = None
    dry_run: list[str | None] | None = None


async def read_delete_options(backend: Backend, request: ApiRequest) -> tuple[DeleteOptions, bool]:
    """Return what a DELETE asks for, and whether it is a dry run.

    Raises:
        BadRequestError: the options cannot be decoded.
        InvalidError: a value is not known, or two exclude each other.
    """
    body = await request.body()
    return _checked(_from_body(backend, request, body) if body else _from_query(request))


def parse_delete_options(obj: JsonObject) -> tuple[DeleteOptions, bool]:
    """Return what decoded options ask for, and whether it is a dry run.

    Raises:
        InvalidError: a value is not known, or two exclude each other.
    """
    return _checked(msgspec.convert(obj, _Wire))


def _checked(wire: _Wire) -> tuple[DeleteOptions, bool]:
    errors = _rules(wire)
    if errors:
        raise invalid_object("meta.k8s.io", "DeleteOptions", "", errors)
    preconditions = wire.preconditions or _Preconditions()
    options = DeleteOptions(
        grace_seconds=wire.grace_period_seconds,
        propagation=_propagation(wire),
        uid=preconditions.uid or "",
        resource_version=preconditions.resource_version or "",
    )
    return options, bool(wire.dry_run)


def _from_body(backend: Backend, request: ApiRequest, body: bytes) -> _Wire:
    obj = decode_options(request, body)
    _check_kind(obj, request)
    problem = json_type_problem(obj, backend.facts.definition(_DEFINITION))
    if problem:
        raise BadRequestError(problem)
    return msgspec.convert(obj, _Wire)


def _check_kind(obj: JsonObject, request: ApiRequest) -> None:
    """Take DeleteOptions of any group version; those without a kind are meant so."""
    gvk = GroupVersionKind.of(obj)
    if gvk.kind not in ("", "DeleteOptions"):
        version = gvk.group_version if obj.get("apiVersion") else request.info.group_version
        raise BadRequestError(
            f'no kind "{gvk.kind}" is registered for version "{version}" in scheme '
            '"pkg/runtime/scheme.go:111"'
        )


def _from_query(request: ApiRequest) -> _Wire:
    grace = request.option("gracePeriodSeconds")
    if grace and not grace.lstrip("+-").isdigit():
        raise BadRequestError(unparsable_number(grace))
    return _Wire(
        grace_period_seconds=int(grace) if grace else None,
        orphan_dependents=(
            request.flag("orphanDependents") if "orphanDependents" in request.query else None
        ),
        propagation_policy=request.option("propagationPolicy") or None,
        dry_run=[*request.query.get("dryRun", [])],
    )


def _rules(wire: _Wire) -> list[FieldError]:
    errors: list[FieldError] = []
    path, policy = Path("propagationPolicy"), wire.propagation_policy
    if policy is not None and wire.orphan_dependents is not None:
        why = "orphanDependents and deletionPropagation cannot be both set"
        errors.append(invalid_value(path, policy, why))
    if policy is not None and policy not in _POLICIES:
        errors.append(not_supported(path, policy, (*_POLICIES, "nil")))
    # A null item is an empty text, as in Go.
    return errors + dry_run_rules([value or "" for value in wire.dry_run or ()])


def _propagation(wire: _Wire) -> str:
    if wire.orphan_dependents is not None:
        return "Orphan" if wire.orphan_dependents else "Background"
    return wire.propagation_policy or ""
