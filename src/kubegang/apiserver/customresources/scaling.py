"""The Scale of an object, whichever kind it is: built-in, or custom with paths of its own.

Texts for objects without the number are kube-apiserver's (measured on 1.37.2). Pure.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from functools import partial
from typing import NamedTuple

from kubegang.api.customresources.rows import custom_of
from kubegang.api.customresources.scale import (
    AccessError,
    ScalePaths,
    read_number,
    read_text,
    steps,
    write_number,
)
from kubegang.api.scheme import ResourceInfo
from kubegang.apimachinery.errors import InternalError, StatusCause, StatusDetails
from kubegang.apimachinery.fieldset import MEMBER, FieldSet
from kubegang.apimachinery.objects import JsonObject
from kubegang.apiserver.scaling import REPLICAS, SCALE, SHOWN, scale_of, scaled


class Scaling(NamedTuple):
    """How a kind is scaled.

    Attributes:
        scale_of: returns the Scale of an object.
        scaled: returns an object with the replicas of a Scale.
        replicas: where the object has the number.
    """

    scale_of: Callable[[JsonObject], JsonObject]
    scaled: Callable[[JsonObject, JsonObject], JsonObject]
    replicas: FieldSet


def scaling_of(info: ResourceInfo) -> Scaling:
    """Return how objects of a resource are scaled."""
    custom = custom_of(info)
    if custom is None or custom.scale is None:
        return Scaling(scale_of, scaled, REPLICAS)
    paths = custom.scale
    replicas: FieldSet = MEMBER
    for name in reversed(steps(paths.spec)):
        replicas = {f"f:{name}": replicas}
    return Scaling(
        partial(_custom_scale, paths=paths), partial(_custom_scaled, paths=paths), replicas
    )


def _custom_scale(obj: JsonObject, *, paths: ScalePaths) -> JsonObject:
    """Return the Scale of a custom object.

    Raises:
        InternalError: the object has no number of replicas, or something else in its place.
    """
    try:
        wanted, found = read_number(obj, paths.spec), read_number(obj, paths.status) or 0
        selector = (read_text(obj, paths.selector) or "") if paths.selector else ""
    except AccessError as error:
        raise _internal(str(error)) from error
    if wanted is None:
        raise _internal(f'the spec replicas field "{paths.spec}" does not exist')
    status = {"replicas": found, "selector": selector} if selector else {"replicas": found}
    return {
        "kind": SCALE.kind,
        "apiVersion": str(SCALE.group_version),
        "metadata": {name: obj["metadata"][name] for name in SHOWN if name in obj["metadata"]},
        "spec": {"replicas": wanted} if wanted else {},
        "status": status,
    }


def _custom_scaled(obj: JsonObject, scale: JsonObject, *, paths: ScalePaths) -> JsonObject:
    changed = deepcopy(obj)
    write_number(changed, paths.spec, (scale.get("spec") or {}).get("replicas") or 0)
    wanted = scale.get("metadata") or {}
    metadata = changed["metadata"]
    metadata["resourceVersion"] = wanted.get("resourceVersion") or metadata["resourceVersion"]
    for name in ("name", "namespace", "uid"):
        if wanted.get(name):
            metadata[name] = wanted[name]
    return changed


def _internal(text: str) -> InternalError:
    details = StatusDetails(causes=(StatusCause(message=text),))
    return InternalError(f"Internal error occurred: {text}", details=details)
