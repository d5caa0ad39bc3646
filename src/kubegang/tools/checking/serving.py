"""What an API server makes of an object: refused, or kept with or without all of its fields.

The steps are the server's own: decoding, defaults, dropping of gated fields, validation. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import msgspec

from kubegang.api.dropping import canonicalize, drop_disabled_fields
from kubegang.api.facts import Facts
from kubegang.api.resources import ROWS
from kubegang.api.scheme import ResourceInfo
from kubegang.api.validation.table import validate_create
from kubegang.apimachinery.decoding import check_types
from kubegang.apimachinery.errors import BadRequestError
from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.unknownfields import prune, unknown_fields
from kubegang.apimachinery.wrongplaces import wrong_place
from kubegang.apiserver.chance import Rng
from kubegang.apiserver.registry import complete, prepare_create
from kubegang.apiserver.strategies.table import rules_of
from kubegang.base.feature_gates import FeatureGates
from kubegang.tools.checking.model import DEFAULT_NAMESPACE, Found, Kept, Release, Written

_REQUIRED = "FieldValueRequired"
_KNOWN = frozenset((row.group, row.kind) for row in ROWS)

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder().decode


@cache
def known_kinds(facts: Facts) -> frozenset[tuple[str, str]]:
    """Return the groups and kinds that a version has, or that another has and it has not."""
    return _KNOWN | {(gvk.group, gvk.kind) for gvk in facts.kinds()}


def is_known(written: Written, release: Release) -> bool:
    """Return whether Kubernetes has the kind."""
    return (written.gvk.group, written.gvk.kind) in known_kinds(release.facts)


def serve(
    written: Written, release: Release, *, now: str, rng: Rng
) -> tuple[Kept | None, list[Found]]:
    """Return the object as it would be kept, ``None`` if it is refused, and what was found.

    Args:
        written: of a kind that Kubernetes has.
        release: whose server it is.
        now: the time on new objects.
        rng: for uids.
    """
    row = release.scheme.find_kind(written.gvk)
    # Of kinds that are not served here, such as Ingress, only the structure is known.
    is_here = (written.gvk.group, written.gvk.kind) in _KNOWN
    if (row is None and is_here) or written.gvk not in release.facts.kinds():
        return None, [_not_served(written, release)]
    schema = release.facts.kind(written.gvk)
    found = [
        Found("unknown-field", written, path, f'unknown field "{path}"')
        for path in unknown_fields(written.object, schema)
    ]
    try:
        check_types(written.object, schema, written.gvk)
    except BadRequestError as error:
        path = wrong_place(written.object, schema)
        return None, [*found, Found("wrong-type", written, path, error.message)]
    if row is None:
        return None, found
    obj: JsonObject = _decode(_encode(prune(written.object, schema)))
    errors = _store(obj, written, row, release=release, now=now, rng=rng)
    found += errors
    refused = any(one.rule == "field-refused" for one in errors)
    return (None if refused else Kept(written, obj)), found


def gates_in_use(written: Written, release: Release) -> frozenset[str]:
    """Return the gang-scheduling gates without which the object would not be kept whole.

    Found out with the server's own dropping: each gate is switched off in turn.
    """
    gates = release.profile.gates["apiserver"]
    gang = [gate.name for gate in release.profile.known_gates if gate.gang]
    served = release.profile.served
    row = next((r for r in ROWS if r.gvk == written.gvk and r.group_version in served), None)
    needed = {row.gate} if row is not None and row.gate in gang else set()
    on = gates.with_changes(dict.fromkeys(gang, True))
    if _drops(written, on.with_changes(dict.fromkeys(gang, False))):
        for gate in gang:
            if _drops(written, on.with_changes({gate: False})):
                needed.add(gate)
    return frozenset(needed)


def _drops(written: Written, gates: FeatureGates) -> bool:
    before = _encode(written.object)
    obj = _decode(before)
    drop_disabled_fields(obj, None, written.gvk, gates)
    return _encode(obj) != before


def _not_served(written: Written, release: Release) -> Found:
    gvk = written.gvk
    served = sorted(
        str(row.group_version)
        for row in release.scheme.resources()
        if (row.group, row.kind) == (gvk.group, gvk.kind)
    )
    row = next((row for row in ROWS if row.gvk == gvk), None)
    has_group = row is not None and row.group_version in release.profile.served
    said = f"Kubernetes {release.name} has no {gvk.kind} in {gvk.group_version}"
    if row is not None and row.gate and has_group:
        said = f"{said} while the API server's gate {row.gate} is off"
    elif served:
        said = f"{said}; it has it in {', '.join(served)}"
    return Found("kind-not-served", written, "apiVersion", said)


def _store(
    obj: JsonObject,
    written: Written,
    row: ResourceInfo,
    *,
    release: Release,
    now: str,
    rng: Rng,
) -> list[Found]:
    """Bring the object to the form in which it is stored, and say what is wrong with it."""
    gates = release.profile.gates["apiserver"]
    metadata = obj.get("metadata") or {}
    obj["metadata"] = metadata
    is_from_server = bool(metadata.get("uid"))
    if row.namespaced and not metadata.get("namespace"):
        metadata["namespace"] = DEFAULT_NAMESPACE
    complete(obj, row, gates)
    found = [
        Found("field-dropped", written, path, f'"{path}" is dropped: its feature gate is off')
        for path in _dropped(obj, written, gates)
    ]
    if not is_from_server:
        prepare_create(obj, row, gates=gates, now=now, rng=rng)
        canonicalize(obj, row.gvk)
    errors = validate_create(obj, row.gvk, gates, rules=rules_of(row.group_resource).validity)
    if is_from_server:
        # It was accepted once; what a new object may not have is there by right.
        errors = [one for one in errors if one.reason == _REQUIRED]
    found += [
        Found("field-refused", written, one.field, f"{one.field}: {one.message}") for one in errors
    ]
    return found


def _dropped(obj: JsonObject, written: Written, gates: FeatureGates) -> list[str]:
    """Drop what the gates do not allow; return the paths that somebody wrote."""
    before = _encode(obj)
    drop_disabled_fields(obj, None, written.gvk, gates)
    if _encode(obj) == before:
        return []
    return list(_missing(_decode(before), obj, ""))


def _missing(before: Any, after: Any, path: str) -> Iterator[str]:
    """Yield the paths of members that are gone, outermost only."""
    if isinstance(before, dict) and isinstance(after, dict):
        for name, value in before.items():
            inner = f"{path}.{name}" if path else name
            if name not in after:
                yield inner
            elif value != after[name]:
                yield from _missing(value, after[name], inner)
    elif isinstance(before, list) and isinstance(after, list):
        for position, (value, left) in enumerate(zip(before, after, strict=False)):
            yield from _missing(value, left, f"{path}[{position}]")
    elif before != after:
        yield path
