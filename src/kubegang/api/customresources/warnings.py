"""What whoever writes a definition or a custom object is warned of. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kubegang.api.customresources.definitions import schemas_of, walk
from kubegang.api.customresources.schemachecks import SchemaChecks
from kubegang.apimachinery.gotext import go_quote
from kubegang.apimachinery.jsonformats import is_known_format
from kubegang.apimachinery.names import is_qualified_name
from kubegang.apimachinery.objects import JsonObject

_STANDARD: Final = ("orphan", "foregroundDeletion", "kubernetes")
_NUMBER_FORMATS: Final = {"integer": ("int32", "int64"), "number": ("float", "double")}
_AVOID: Final = "to avoid accidental conflicts with other finalizer writers"


def definition_warnings(definition: JsonObject, old: JsonObject | None) -> list[str]:
    """Return warnings about formats and sets that are new in a definition."""
    told = set() if old is None else set(_definition_warnings(old))
    return [one for one in _definition_warnings(definition) if one not in told]


def object_warnings(obj: JsonObject, old: JsonObject | None) -> list[str]:
    """Return warnings about finalizers that are new on a custom object."""
    before = {} if old is None else old.get("metadata") or {}
    added = set((obj.get("metadata") or {}).get("finalizers") or ())
    found: list[str] = []
    for name in sorted(added - set(before.get("finalizers") or ())):
        found += [f'metadata.finalizers: "{name}": {one}' for one in _finalizer_problems(name)]
    return found


def _definition_warnings(definition: JsonObject) -> Iterator[str]:
    sets: set[str] = set()
    for _, schema in schemas_of(definition):
        for one in walk(schema):
            name = one.get("format") or ""
            if name and not _is_recognized(name, one.get("type") or ""):
                yield f"unrecognized format {go_quote(name)}"
        sets |= SchemaChecks.set_warnings(schema)
    yield from sorted(sets)


def _is_recognized(name: str, kind: str) -> bool:
    if kind in ("", "string"):
        return is_known_format(name)
    return name in _NUMBER_FORMATS.get(kind, ())


def _finalizer_problems(name: str) -> Iterator[str]:
    yield from is_qualified_name(name)
    if "/" not in name and name not in _STANDARD:
        path = " including a path (/)" if "." in name else ""
        yield f"prefer a domain-qualified finalizer name{path} {_AVOID}"
