"""From a CustomResourceDefinition to the rows of the resource list. Pure."""

from __future__ import annotations

from kubegang.api.customresources.kind import CustomKind
from kubegang.api.customresources.naming import condition_status
from kubegang.api.customresources.versions import version_key
from kubegang.api.scheme import ResourceInfo, Subresource
from kubegang.apimachinery.objects import GroupVersion, GroupVersionKind, JsonObject

VERBS = ("delete", "deletecollection", "get", "list", "patch", "create", "update", "watch")
"""In the order in which discovery lists them for custom resources (measured on 1.37.2)."""

_STATUS = Subresource("status", ("get", "patch", "update"))
_SCALE = Subresource(
    "scale",
    ("get", "patch", "update"),
    kind="Scale",
    group_version=GroupVersion("autoscaling", "v1"),
)


def custom_of(info: ResourceInfo) -> CustomKind | None:
    """Return how objects of a resource are treated, ``None`` if it is none of a definition's."""
    return info.custom if isinstance(info.custom, CustomKind) else None


def is_established(definition: JsonObject) -> bool:
    """Return whether a definition's resources are served."""
    return condition_status(definition, "Established") == "True"


def rows_of(definition: JsonObject) -> tuple[ResourceInfo, ...]:
    """Return a row for every version, served or not; the preferred version comes first."""
    spec = definition["spec"]
    terminating = bool(definition["metadata"].get("deletionTimestamp"))
    kinds = {
        version["name"]: _kind(spec, version, terminating=terminating)
        for version in spec["versions"]
    }
    storage = next(version["name"] for version in spec["versions"] if version["storage"])
    for kind in kinds.values():
        kind.storage = kinds[storage]
    rows = [
        _row(definition, version, kinds[version["name"]], storage=storage)
        for version in spec["versions"]
    ]
    return tuple(sorted(rows, key=lambda row: version_key(row.version)))


def served_rows(definition: JsonObject, rows: tuple[ResourceInfo, ...]) -> list[ResourceInfo]:
    """Return the rows of the versions that are served."""
    served = {one["name"] for one in definition["spec"]["versions"] if one["served"]}
    return [row for row in rows if row.version in served]


def definition_name(group: str, version: str, kind: str) -> str:
    """Return a kind's name in OpenAPI: the group backwards, ``com.example.v1.Widget``."""
    return ".".join([*reversed(group.split(".")), version, kind])


def _kind(spec: JsonObject, version: JsonObject, *, terminating: bool) -> CustomKind:
    group, kind = spec["group"], spec["names"]["kind"]
    return CustomKind(
        GroupVersionKind(group, version["name"], kind),
        version,
        definition=definition_name(group, version["name"], kind),
        namespaced=spec["scope"] == "Namespaced",
        terminating=terminating,
        preserves=bool(spec.get("preserveUnknownFields")),
    )


def _row(
    definition: JsonObject, version: JsonObject, kind: CustomKind, *, storage: str
) -> ResourceInfo:
    spec = definition["spec"]
    names = (definition.get("status") or {}).get("acceptedNames") or spec["names"]
    subresources = [_STATUS] if kind.has_status else []
    if kind.scale is not None:
        subresources.append(_SCALE)
    return ResourceInfo(
        group=spec["group"],
        version=version["name"],
        kind=names["kind"],
        plural=names["plural"],
        singular=names.get("singular") or "",
        namespaced=kind.namespaced,
        storage_version=storage,
        definition=kind.definition,
        short_names=tuple(names.get("shortNames") or ()),
        categories=tuple(names.get("categories") or ()),
        verbs=VERBS,
        subresources=tuple(subresources),
        status_subresource=kind.has_status,
        generation=True,
        update_needs_version=True,
        warning=_deprecation(spec, version),
        list_name=names.get("listKind") or "",
        custom=kind,
    )


def _deprecation(spec: JsonObject, version: JsonObject) -> str:
    """Return what clients of a deprecated version are warned of."""
    if not version.get("deprecated"):
        return ""
    if version.get("deprecationWarning"):
        return str(version["deprecationWarning"])
    group, kind, name = spec["group"], spec["names"]["kind"], version["name"]
    newer = sorted(
        (
            one["name"]
            for one in spec["versions"]
            if one["served"]
            and not one.get("deprecated")
            and version_key(one["name"]) < version_key(name)
        ),
        key=version_key,
    )
    text = f"{group}/{name} {kind} is deprecated"
    return f"{text}; use {group}/{newer[0]} {kind}" if newer else text
