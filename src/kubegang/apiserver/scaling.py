"""Scale: the number of replicas of an object, seen as an object of its own.

What it is made of and what a changed one does to its object are those of kube-apiserver
1.37.2: the managers of ``spec.replicas`` are the managers of the Scale. Pure.
"""

from __future__ import annotations

from typing import Any, Final

from kubegang.api.scheme import ResourceInfo
from kubegang.apimachinery.field import FieldError, Path, invalid_object, invalid_value
from kubegang.apimachinery.fieldmanagers import Entry, Managers, encoded, managers_of
from kubegang.apimachinery.fieldset import FieldSet, intersection
from kubegang.apimachinery.labels import label_selector_of
from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.ownership import lose

SCALE: Final = ResourceInfo(
    group="autoscaling",
    version="v1",
    kind="Scale",
    plural="scales",
    singular="scale",
    namespaced=True,
    storage_version="v1",
    definition="io.k8s.api.autoscaling.v1.Scale",
)
"""The form in which ``/scale`` speaks; nothing is stored so."""

REPLICAS: Final[FieldSet] = {"f:spec": {"f:replicas": {}}}
"""Where a Scale, and every built-in kind, has the number of replicas."""

SHOWN = ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")


def scale_of(obj: JsonObject) -> JsonObject:
    """Return the Scale of an object."""
    metadata = {name: obj["metadata"][name] for name in SHOWN if name in obj["metadata"]}
    status = {"replicas": (obj.get("status") or {}).get("replicas", 0)}
    selector = _selector_text(obj["spec"].get("selector"))
    spec = {"replicas": obj["spec"]["replicas"]} if obj["spec"].get("replicas") else {}
    return {
        "kind": SCALE.kind,
        "apiVersion": str(SCALE.group_version),
        "metadata": metadata,
        "spec": spec,
        "status": {**status, "selector": selector} if selector else status,
    }


def managed_scale_of(
    obj: JsonObject, scale: JsonObject, *, replicas: FieldSet = REPLICAS
) -> JsonObject:
    """Return the Scale of an object with its managers, as a server-side apply needs it.

    ``replicas`` is where the object itself has the number.
    """
    entries = [
        entry._replace(api_version=str(SCALE.group_version), fields=REPLICAS)
        for entry in managers_of(obj).values()
        if intersection(entry.fields, replicas)
    ]
    if entries:
        scale["metadata"]["managedFields"] = encoded(entries)
    return scale


def scaled(obj: JsonObject, scale: JsonObject) -> JsonObject:
    """Return an object with the replicas of a Scale, and as the object that the Scale means.

    Raises:
        InvalidError: the number makes no sense.
    """
    replicas = (scale.get("spec") or {}).get("replicas") or 0
    if replicas < 0:
        raise invalid_object(
            SCALE.group, SCALE.kind, obj["metadata"]["name"], [_negative(replicas)]
        )
    metadata = dict(obj["metadata"])
    wanted = scale.get("metadata") or {}
    metadata["resourceVersion"] = wanted.get("resourceVersion") or ""
    for name in ("name", "namespace", "uid"):
        if wanted.get(name):
            metadata[name] = wanted[name]
    return {**obj, "metadata": metadata, "spec": {**obj["spec"], "replicas": replicas}}


def with_managers(
    obj: JsonObject, scale: JsonObject, *, api_version: str, replicas: FieldSet = REPLICAS
) -> JsonObject:
    """Return an object whose replicas have the managers of its applied Scale."""
    of_scale = {_who(entry): entry for entry in managers_of(scale).values()}
    managers: Managers = {}
    for key, entry in managers_of(obj).items():
        owns = intersection(entry.fields, replicas)
        if not owns or of_scale.pop(_who(entry), None) is not None:
            managers[key] = entry
        else:
            managers |= lose({key: entry}, replicas)
    for entry in of_scale.values():
        # Measured on 1.37.2: such an entry has no time.
        new = entry._replace(api_version=api_version, time="", fields=replicas)
        managers[new.key] = new
    metadata = {**obj["metadata"], "managedFields": encoded(managers.values())}
    return {**obj, "metadata": metadata}


def _who(entry: Entry) -> tuple[str, str, str]:
    return entry.manager, entry.operation, entry.subresource


def _selector_text(selector: Any) -> str:
    """Return a selector as text, whether it is a label selector or a plain map of labels."""
    if not selector:
        return ""
    is_map = all(isinstance(value, str) for value in selector.values())
    return str(label_selector_of({"matchLabels": selector} if is_map else selector))


def _negative(replicas: int) -> FieldError:
    return invalid_value(Path("spec.replicas"), replicas, "must be greater than or equal to 0")
