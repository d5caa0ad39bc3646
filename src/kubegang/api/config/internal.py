"""A configuration in the internal form that ``/configz`` of 1.35 shows (measured on 1.35.4).

Names begin with a capital, kinds are left out, and what is not there is null.
Parts of other API groups stay as they are on the wire. Pure.
"""

from __future__ import annotations

from typing import Any, Final

from kubegang.api.config.schema import ARGUMENTS, configuration_schema
from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.schema import Schema

_NAMES: Final = {"qps": "QPS"}
_TYPE_META: Final = frozenset({"apiVersion", "kind"})
_CORE: Final = "io.k8s.api.core."
_ABSENT: Final = {"delayCacheUntilActive": False}


def internal_form(completed: JsonObject, points: tuple[str, ...]) -> JsonObject:
    """Return a completed configuration in the internal form."""
    found: JsonObject = _internal(completed, configuration_schema(points))
    # The only thing that comes from the file's own form.
    found["apiVersion"] = completed["apiVersion"]
    for shown, profile in zip(found["Profiles"], completed["profiles"], strict=True):
        shown["PluginConfig"] = [
            {"Name": entry["name"], "Args": _internal(entry["args"], ARGUMENTS.get(entry["name"]))}
            for entry in profile["pluginConfig"]
        ]
    return found


def _internal(value: Any, schema: Schema | None) -> Any:
    if schema is None or schema.name.startswith(_CORE):
        return value
    if schema.type == "object" and isinstance(value, dict):
        return {
            _NAMES.get(name) or name[0].upper() + name[1:]: _internal(
                value.get(name, _ABSENT.get(name)), member
            )
            for name, member in schema.fields.items()
            if name not in _TYPE_META
        }
    if schema.type == "array" and isinstance(value, list):
        return [_internal(item, schema.items) for item in value]
    return value
