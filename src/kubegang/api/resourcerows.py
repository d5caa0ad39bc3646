"""Making a row of the table of resources, and the subresources that several kinds have.

A new API group needs its package here. ``proxy`` subresources are not offered.
"""

from __future__ import annotations

from typing import TypedDict, Unpack

from kubegang.api.scheme import ResourceInfo, Subresource
from kubegang.apimachinery.objects import GroupVersion

# Where OpenAPI names keep the types of a group.
_PACKAGES = {
    "": "core",
    "apiextensions.k8s.io": "apiextensions",
    "apps": "apps",
    "authentication.k8s.io": "authentication",
    "authorization.k8s.io": "authorization",
    "autoscaling": "autoscaling",
    "batch": "batch",
    "certificates.k8s.io": "certificates",
    "coordination.k8s.io": "coordination",
    "discovery.k8s.io": "discovery",
    "events.k8s.io": "events",
    "networking.k8s.io": "networking",
    "node.k8s.io": "node",
    "policy": "policy",
    "rbac.authorization.k8s.io": "rbac",
    "resource.k8s.io": "resource",
    "scheduling.k8s.io": "scheduling",
    "storage.k8s.io": "storage",
}

# Where the types of a group do not come with all the others.
_ROOTS = {"apiextensions.k8s.io": "io.k8s.apiextensions-apiserver.pkg.apis"}

STATUS = Subresource("status", ("get", "patch", "update"))

SCALE = Subresource(
    "scale",
    ("get", "patch", "update"),
    kind="Scale",
    group_version=GroupVersion("autoscaling", "v1"),
)

# Requests that take over the connection, or a plain text instead of an object.
_POD_STREAMS = (
    Subresource("attach", ("create", "get"), kind="PodAttachOptions"),
    Subresource("exec", ("create", "get"), kind="PodExecOptions"),
    Subresource("log", ("get",)),
    Subresource("portforward", ("create", "get"), kind="PodPortForwardOptions"),
)

POD_SUBRESOURCES = (
    *_POD_STREAMS,
    Subresource("binding", ("create",), kind="Binding"),
    Subresource("ephemeralcontainers", ("get", "patch", "update")),
    Subresource(
        "eviction", ("create",), kind="Eviction", group_version=GroupVersion("policy", "v1")
    ),
    Subresource("resize", ("get", "patch", "update")),
)


TOKEN = Subresource(
    "token",
    ("create",),
    kind="TokenRequest",
    group_version=GroupVersion("authentication.k8s.io", "v1"),
)


class _Flags(TypedDict, total=False):
    """The members of a row that have a default."""

    namespaced: bool
    storage_version: str
    storage_group: str
    short_names: tuple[str, ...]
    categories: tuple[str, ...]
    verbs: tuple[str, ...]
    subresources: tuple[Subresource, ...]
    gate: str
    generation: bool
    generation_gate: str
    update_needs_version: bool
    put_creates: bool
    delete_returns_object: bool
    graceful: bool
    warning: str


ALL = ("all",)
"""The category that ``kubectl get all`` shows."""


def row(
    api_version: str, kind: str, plural: str, *, status: bool = False, **flags: Unpack[_Flags]
) -> ResourceInfo:
    """Return the row of a kind in one version; what is not said is as with most kinds.

    Args:
        api_version: group and version, such as ``apps/v1``.
        kind: its name.
        plural: its name in paths.
        status: whether it has a status that is written by itself.
        flags: members of ``ResourceInfo``.
    """
    group, version = GroupVersion.parse(api_version)
    settings: _Flags = {"namespaced": True, "storage_version": version, **flags}
    if status:
        settings["subresources"] = (*settings.get("subresources", ()), STATUS)
    return ResourceInfo(
        group=group,
        version=version,
        kind=kind,
        plural=plural,
        singular=kind.lower(),
        definition=f"{_ROOTS.get(group, 'io.k8s.api')}.{_PACKAGES[group]}.{version}.{kind}",
        status_subresource=status,
        **settings,
    )
