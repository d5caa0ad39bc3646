"""API objects as plain JSON: the shape in which requests, patches and storage handle them."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

JsonObject = dict[str, Any]
"""A decoded JSON object. ``Any`` because its shape is the schema's business."""

METADATA_ORDER: Final = (
    "name",
    "generateName",
    "namespace",
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "labels",
    "annotations",
    "ownerReferences",
    "finalizers",
    "managedFields",
)
"""The order in which kube-apiserver writes metadata; people read it, clients do not care."""


class GroupVersion(NamedTuple):
    """An API group and a version of it; the core group is the empty string."""

    group: str
    version: str

    @classmethod
    def parse(cls, api_version: str) -> GroupVersion:
        """Parse ``apps/v1`` or ``v1``."""
        group, slash, version = api_version.rpartition("/")
        return cls(group if slash else "", version)

    def __str__(self) -> str:
        return f"{self.group}/{self.version}" if self.group else self.version


class GroupVersionKind(NamedTuple):
    """A kind in one version of its group."""

    group: str
    version: str
    kind: str

    @property
    def group_version(self) -> GroupVersion:
        """The group and version without the kind."""
        return GroupVersion(self.group, self.version)

    @classmethod
    def of(cls, obj: JsonObject) -> GroupVersionKind:
        """Read apiVersion and kind of an object; missing ones are empty."""
        group, version = GroupVersion.parse(obj.get("apiVersion") or "")
        return cls(group, version, obj.get("kind") or "")


class GroupResource(NamedTuple):
    """A resource as error texts name it: ``podgroups.scheduling.k8s.io``, or ``pods``."""

    group: str
    resource: str

    def __str__(self) -> str:
        return f"{self.resource}.{self.group}" if self.group else self.resource
