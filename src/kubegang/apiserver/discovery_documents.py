"""The discovery documents themselves, made from the scheme's rows.

Order and members are those of kube-apiserver (measured on 1.37.2): resources by path,
subresources after their parent, and only what can be stored has a storageVersionHash.

Pure.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from kubegang.api.scheme import ResourceInfo, Subresource
from kubegang.apimachinery.objects import GroupVersion, GroupVersionKind, JsonObject

Groups = Mapping[str, Sequence[ResourceInfo]]
"""The rows of each group, both in discovery order."""


def api_versions(rows: Sequence[ResourceInfo], server_address: str) -> JsonObject:
    """Return the document at ``/api``: the core group's versions."""
    return {
        "kind": "APIVersions",
        "versions": list(_versions(rows)),
        "serverAddressByClientCIDRs": [
            {"clientCIDR": "0.0.0.0/0", "serverAddress": server_address}
        ],
    }


def api_group_list(groups: Groups) -> JsonObject:
    """Return the document at ``/apis``: the named groups."""
    entries = [_group(group, rows) for group, rows in groups.items()]
    return {"kind": "APIGroupList", "apiVersion": "v1", "groups": entries}


def api_group(group: str, rows: Sequence[ResourceInfo]) -> JsonObject:
    """Return the document at ``/apis/GROUP``."""
    return {"kind": "APIGroup", "apiVersion": "v1", **_group(group, rows)}


def _group(group: str, rows: Sequence[ResourceInfo]) -> JsonObject:
    versions = [
        {"groupVersion": f"{group}/{version}", "version": version} for version in _versions(rows)
    ]
    return {"name": group, "versions": versions, "preferredVersion": dict(versions[0])}


def _versions(rows: Sequence[ResourceInfo]) -> dict[str, list[ResourceInfo]]:
    """Return the rows of each version; the first version is the preferred one."""
    return {version: list(rows) for version, rows in groupby(rows, key=lambda row: row.version)}


def api_resource_list(group_version: GroupVersion, rows: Sequence[ResourceInfo]) -> JsonObject:
    """Return the document of one group version: its resources and their subresources."""
    resources = [
        entry
        for row in rows
        for entry in (
            _resource(row),
            *(_subresource(row, subresource) for subresource in row.subresources),
        )
    ]
    if all(row.custom is None for row in rows):
        resources.sort(key=lambda entry: entry["name"])
    document: JsonObject = {"kind": "APIResourceList"}
    if group_version.group:
        # The core group's list has never said in which version it is itself.
        document["apiVersion"] = "v1"
    return {**document, "groupVersion": str(group_version), "resources": resources}


def _resource(row: ResourceInfo) -> JsonObject:
    entry: JsonObject = {
        "name": row.plural,
        "singularName": row.singular,
        "namespaced": row.namespaced,
        "kind": row.kind,
        "verbs": list(row.verbs),
        **_names(row),
    }
    if "list" in row.verbs:
        entry["storageVersionHash"] = storage_version_hash(row.stored_as)
    return entry


def _names(row: ResourceInfo) -> JsonObject:
    names: JsonObject = {}
    if row.short_names:
        names["shortNames"] = list(row.short_names)
    if row.categories:
        names["categories"] = list(row.categories)
    return names


def _subresource(row: ResourceInfo, subresource: Subresource) -> JsonObject:
    entry: JsonObject = {
        "name": f"{row.plural}/{subresource.name}",
        "singularName": "",
        "namespaced": row.namespaced,
    }
    if (body := subresource.group_version) is not None:
        entry |= {"group": body.group, "version": body.version}
    return {**entry, "kind": subresource.kind or row.kind, "verbs": list(subresource.verbs)}


def storage_version_hash(stored_as: GroupVersionKind) -> str:
    """Return the word by which clients see that a resource is stored in another version."""
    text = f"{stored_as.group}/{stored_as.version}/{stored_as.kind}"
    return base64.b64encode(hashlib.sha256(text.encode()).digest()[:8]).decode()


def aggregated_list(groups: Groups) -> JsonObject:
    """Return everything below ``/api`` or ``/apis`` in one document."""
    return {
        "kind": "APIGroupDiscoveryList",
        "apiVersion": "apidiscovery.k8s.io/v2",
        "metadata": {},
        "items": [
            {
                "metadata": {"name": group} if group else {},
                "versions": [
                    _aggregated_version(version, served)
                    for version, served in _versions(rows).items()
                ],
            }
            for group, rows in groups.items()
        ],
    }


def _aggregated_version(version: str, rows: Iterable[ResourceInfo]) -> JsonObject:
    return {
        "version": version,
        "resources": [_aggregated_resource(row) for row in rows],
        "freshness": "Current",
    }


def _aggregated_resource(row: ResourceInfo) -> JsonObject:
    entry: JsonObject = {
        "resource": row.plural,
        "responseKind": _response_kind(row.kind, _said_of(row)),
        "scope": "Namespaced" if row.namespaced else "Cluster",
        "singularResource": row.singular,
        "verbs": list(row.verbs),
        **_names(row),
    }
    if row.subresources:
        entry["subresources"] = [
            {
                "subresource": subresource.name,
                "responseKind": _response_kind(
                    subresource.kind or row.kind, subresource.group_version or _said_of(row)
                ),
                "verbs": list(subresource.verbs),
            }
            for subresource in _subresources_in_order(row)
        ]
    return entry


def _said_of(row: ResourceInfo) -> GroupVersion | None:
    """Return the group version that custom resources repeat with every kind."""
    return None if row.custom is None else row.group_version


def _subresources_in_order(row: ResourceInfo) -> Sequence[Subresource]:
    """Return status before scale for custom resources, else by name."""
    if row.custom is not None:
        return row.subresources
    return sorted(row.subresources, key=lambda entry: entry.name)


def _response_kind(kind: str, group_version: GroupVersion | None = None) -> JsonObject:
    """Return a kind; group and version are empty unless they differ from the list's place."""
    group, version = group_version or ("", "")
    return {"group": group, "version": version, "kind": kind}
