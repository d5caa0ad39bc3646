"""Environment variables and the places their values come from.

Pure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from kubegang.api.validation.checks import (
    Errors,
    matching,
    required_matching,
)
from kubegang.api.validation.internal_form import canonical_quantity
from kubegang.api.validation.pods.paths import no_steps_back
from kubegang.apimachinery.field import Path, invalid_value, not_supported, required
from kubegang.apimachinery.names import (
    is_config_map_key,
    is_dns1123_label,
    is_dns1123_subdomain,
    is_env_var_name,
    is_qualified_name,
    mask_trailing_dash,
)
from kubegang.apimachinery.objects import JsonObject

_SUBSCRIPT = re.compile(r"(.+?)\['(.*)'\]", re.DOTALL)

_LABEL_FIELDS = ("metadata.annotations", "metadata.labels")
_POD_FIELDS = frozenset(
    {
        *_LABEL_FIELDS,
        "metadata.name",
        "metadata.namespace",
        "metadata.uid",
        "spec.nodeName",
        "spec.restartPolicy",
        "spec.serviceAccountName",
        "spec.schedulerName",
        "status.phase",
        "status.hostIP",
        "status.hostIPs",
        "status.podIP",
        "status.podIPs",
    }
)
_ENV_FIELDS = (
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.nodeName",
    "spec.serviceAccountName",
    "status.hostIP",
    "status.hostIPs",
    "status.podIP",
    "status.podIPs",
)
_RESOURCE_FIELDS = (
    "limits.cpu",
    "limits.ephemeral-storage",
    "limits.memory",
    "requests.cpu",
    "requests.ephemeral-storage",
    "requests.memory",
)
_HUGE_PAGE_FIELDS = ("limits.hugepages-", "requests.hugepages-")
_CPU_DIVISORS = ("1m", "1")
_SIZES = ("1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei")


def validate_env(variables: Sequence[JsonObject], path: Path) -> Errors:
    """Check environment variables."""
    for position, variable in enumerate(variables):
        item = path.index(position)
        name = variable.get("name")
        yield from required_matching(item.child("name"), name, is_env_var_name)
        if (source := variable.get("valueFrom")) is not None:
            has_value = bool(variable.get("value"))
            yield from _value_source(source, item.child("valueFrom"), has_value=has_value)


def validate_env_from(sources: Sequence[JsonObject], path: Path) -> Errors:
    """Check the objects whose keys become variables."""
    for position, source in enumerate(sources):
        item = path.index(position)
        if prefix := source.get("prefix"):
            yield from matching(item.child("prefix"), prefix, is_env_var_name)
        given = [name for name in ("configMapRef", "secretRef") if source.get(name) is not None]
        for name in given:
            where = item.child(name, "name")
            yield from required_matching(where, source[name].get("name"), _object_name_prefix)
        if not given:
            yield invalid_value(path, "", "must specify one of: `configMapRef` or `secretRef`")
        elif len(given) > 1:
            yield invalid_value(path, "", "may not have more than one field specified at a time")


def validate_field_ref(reference: JsonObject, path: Path, allowed: Sequence[str]) -> Errors:
    """Check a downward API reference to a field of the pod."""
    for name in ("apiVersion", "fieldPath"):
        if not reference.get(name):
            yield required(path.child(name))
            return
    field_path = reference["fieldPath"]
    problem = _field_problem(reference["apiVersion"], field_path)
    if problem:
        detail = f"error converting fieldPath: {problem}"
        yield invalid_value(path.child("fieldPath"), field_path, detail)
    elif match := _SUBSCRIPT.fullmatch(field_path):
        key = match[2].lower() if match[1] == "metadata.annotations" else match[2]
        yield from matching(path, key, is_qualified_name)
    else:
        internal = "spec.nodeName" if field_path == "spec.host" else field_path
        if internal not in allowed:
            yield not_supported(path.child("fieldPath"), internal, allowed)


def validate_resource_ref(reference: JsonObject, path: Path, *, in_volume: bool) -> Errors:
    """Check a downward API reference to a container's resources."""
    resource = reference.get("resource") or ""
    if in_volume and not reference.get("containerName"):
        yield required(path.child("containerName"))
    elif not resource:
        yield required(path.child("resource"))
    elif resource not in _RESOURCE_FIELDS and not resource.startswith(_HUGE_PAGE_FIELDS):
        yield not_supported(path.child("resource"), resource, _RESOURCE_FIELDS)
    if divisor := reference.get("divisor"):
        yield from _divisor(resource, divisor, path.child("divisor"))


def _value_source(source: JsonObject, path: Path, *, has_value: bool) -> Errors:
    count = 0
    if (reference := source.get("fieldRef")) is not None:
        count += 1
        yield from validate_field_ref(reference, path.child("fieldRef"), _ENV_FIELDS)
    if (reference := source.get("resourceFieldRef")) is not None:
        count += 1
        where = path.child("resourceFieldRef")
        yield from validate_resource_ref(reference, where, in_volume=False)
    for name in ("configMapKeyRef", "secretKeyRef"):
        if (reference := source.get(name)) is not None:
            count += 1
            yield from _key_ref(reference, path.child(name))
    if (reference := source.get("fileKeyRef")) is not None:
        count += 1
        yield from _file_key_ref(reference, path.child("fileKeyRef"))
    yield from _one_source(path, count, has_value=has_value)


def _one_source(path: Path, count: int, *, has_value: bool) -> Errors:
    if count == 0:
        detail = (
            "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, "
            "`secretKeyRef` or `fileKeyRef`"
        )
        yield invalid_value(path, "", detail)
    elif has_value:
        yield invalid_value(path, "", "may not be specified when `value` is not empty")
    elif count > 1:
        yield invalid_value(path, "", "may not have more than one field specified at a time")


def _key_ref(reference: JsonObject, path: Path) -> Errors:
    yield from matching(path.child("name"), reference.get("name") or "", is_dns1123_subdomain)
    yield from required_matching(path.child("key"), reference.get("key"), is_config_map_key)


def _file_key_ref(reference: JsonObject, path: Path) -> Errors:
    yield from required_matching(path.child("key"), reference.get("key"), is_env_var_name)
    volume = reference.get("volumeName")
    yield from required_matching(path.child("volumeName"), volume, is_dns1123_label)
    if file := reference.get("path"):
        yield from no_steps_back(path.child("path"), file)
    else:
        yield required(path.child("path"))


def _field_problem(api_version: str, field_path: str) -> str:
    if api_version != "v1":
        return f"unsupported pod version: {api_version}"
    if match := _SUBSCRIPT.fullmatch(field_path):
        if match[1] in _LABEL_FIELDS:
            return ""
        return f"field label does not support subscript: {field_path}"
    if field_path in _POD_FIELDS or field_path == "spec.host":
        return ""
    return f"field label not supported: {field_path}"


def _divisor(resource: str, divisor: str | float, path: Path) -> Errors:
    unit = canonical_quantity(divisor)
    if unit == "0":
        return
    sizes = ", ".join(_SIZES)
    kind = resource.partition(".")[2]
    if kind == "cpu":
        if unit not in _CPU_DIVISORS:
            detail = "only divisor's values 1m and 1 are supported with the cpu resource"
            yield invalid_value(path, resource, detail)
        return
    word = {"memory": "memory", "ephemeral-storage": "local ephemeral storage"}.get(kind)
    if resource.startswith(_HUGE_PAGE_FIELDS):
        word = "hugepages"
    if word and unit not in _SIZES:
        detail = f"only divisor's values {sizes} are supported with the {word} resource"
        yield invalid_value(path, resource, detail)


def _object_name_prefix(text: str) -> list[str]:
    """Check an object's name, or the beginning of one: a trailing dash is let pass."""
    return is_dns1123_subdomain(mask_trailing_dash(text))
