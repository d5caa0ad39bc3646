"""Builds requests as values and sends nothing, so that a test can compare them.

Pure: no clock, no I/O.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from urllib.parse import quote

import msgspec

from kubegang.apimachinery.objects import JsonObject
from kubegang.client.interface import PatchType, Request, Resource

_encode = msgspec.json.Encoder().encode

_ACCEPT: Final = ("accept", "application/json")
_JSON_BODY: Final = ("content-type", "application/json")

_PATCH_MEDIA_TYPES: Final[dict[PatchType, str]] = {
    "json": "application/json-patch+json",
    "merge": "application/merge-patch+json",
    "strategic": "application/strategic-merge-patch+json",
    # Every JSON document is a YAML document.
    "apply": "application/apply-patch+yaml",
}


def path_of(
    resource: Resource, namespace: str = "", name: str = "", *, subresource: str = ""
) -> str:
    """Return the path of a collection, an object or a subresource.

    Raises:
        ValueError: an object of a namespaced resource without its namespace, or a namespace
            for a resource that has none.
    """
    if namespace and not resource.namespaced:
        raise ValueError(f"{resource.plural} have no namespace, yet {namespace!r} was given")
    if name and resource.namespaced and not namespace:
        raise ValueError(f"the namespace of {resource.plural} {name!r} is missing")
    parts = ["/apis", resource.group] if resource.group else ["/api"]
    parts.append(resource.version)
    if namespace:
        parts += ["namespaces", quote(namespace, safe="")]
    parts.append(resource.plural)
    if name:
        parts.append(quote(name, safe=""))
    if subresource:
        parts.append(subresource)
    return "/".join(parts)


def get_request(resource: Resource, name: str, namespace: str = "") -> Request:
    """Return the request for one object."""
    return Request("GET", path_of(resource, namespace, name), headers=(_ACCEPT,))


def list_request(
    resource: Resource,
    namespace: str = "",
    *,
    label_selector: str = "",
    field_selector: str = "",
    limit: int = 0,
    continue_token: str = "",
) -> Request:
    """Return the request for objects of one namespace, or of all."""
    query = _query(
        ("labelSelector", label_selector),
        ("fieldSelector", field_selector),
        ("limit", limit),
        ("continue", continue_token),
    )
    return Request("GET", path_of(resource, namespace), query, headers=(_ACCEPT,))


def watch_request(
    resource: Resource,
    namespace: str = "",
    *,
    resource_version: str,
    label_selector: str = "",
    field_selector: str = "",
    timeout_seconds: int = 0,
) -> Request:
    """Return the request for a watch with bookmarks."""
    query = _query(
        ("watch", "true"),
        ("resourceVersion", resource_version),
        ("allowWatchBookmarks", "true"),
        ("labelSelector", label_selector),
        ("fieldSelector", field_selector),
        ("timeoutSeconds", timeout_seconds),
    )
    return Request("GET", path_of(resource, namespace), query, headers=(_ACCEPT,))


def create_request(
    resource: Resource,
    obj: JsonObject,
    namespace: str = "",
    *,
    subresource: str = "",
    name: str = "",
    dry_run: bool = False,
) -> Request:
    """Return the request that creates an object, or posts to a subresource of ``name``.

    Without ``namespace`` the object's own is used.
    """
    if not namespace and resource.namespaced:
        namespace = _metadata(obj).get("namespace") or ""
    if resource.namespaced and not namespace:
        raise ValueError(f"the namespace of the {resource.kind} to create is missing")
    path = path_of(resource, namespace, name, subresource=subresource)
    query = _query(("dryRun", "All" if dry_run else ""))
    return Request("POST", path, query, (_ACCEPT, _JSON_BODY), _encode(obj))


def update_request(resource: Resource, obj: JsonObject, *, subresource: str = "") -> Request:
    """Return the request that replaces an object, whose metadata says which."""
    metadata = _metadata(obj)
    name = metadata.get("name") or ""
    if not name:
        raise ValueError(f"the name of the {resource.kind} to update is missing")
    path = path_of(resource, metadata.get("namespace") or "", name, subresource=subresource)
    return Request("PUT", path, (), (_ACCEPT, _JSON_BODY), _encode(obj))


def patch_request(
    resource: Resource,
    name: str,
    namespace: str = "",
    *,
    patch: JsonObject | Sequence[JsonObject],
    patch_type: PatchType = "merge",
    subresource: str = "",
    field_manager: str = "",
    force: bool = False,
) -> Request:
    """Return the request that changes an object by a patch."""
    path = path_of(resource, namespace, name, subresource=subresource)
    query = _query(("fieldManager", field_manager), ("force", "true" if force else ""))
    headers = (_ACCEPT, ("content-type", _PATCH_MEDIA_TYPES[patch_type]))
    return Request("PATCH", path, query, headers, _encode(patch))


def delete_request(
    resource: Resource,
    name: str,
    namespace: str = "",
    *,
    grace_period_seconds: int | None = None,
    propagation_policy: str = "",
    precondition_uid: str = "",
    precondition_resource_version: str = "",
) -> Request:
    """Return the request that deletes an object."""
    preconditions = {
        key: value
        for key, value in (
            ("uid", precondition_uid),
            ("resourceVersion", precondition_resource_version),
        )
        if value
    }
    options: JsonObject = {"kind": "DeleteOptions", "apiVersion": "v1"}
    if grace_period_seconds is not None:
        options["gracePeriodSeconds"] = grace_period_seconds
    if propagation_policy:
        options["propagationPolicy"] = propagation_policy
    if preconditions:
        options["preconditions"] = preconditions
    path = path_of(resource, namespace, name)
    return Request("DELETE", path, (), (_ACCEPT, _JSON_BODY), _encode(options))


def _metadata(obj: JsonObject) -> JsonObject:
    return obj.get("metadata") or {}


def _query(*pairs: tuple[str, str | int]) -> tuple[tuple[str, str], ...]:
    """Return the pairs that say something."""
    return tuple((key, str(value)) for key, value in pairs if value)
