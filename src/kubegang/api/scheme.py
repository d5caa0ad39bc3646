"""The list of resources: one row per kind and version, and what joins them.

Discovery, routing, storage keys and conversion read these rows; nothing else knows which
versions exist. Which rows are served is the version profile's say.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from kubegang.apimachinery.objects import GroupResource, GroupVersion, GroupVersionKind
from kubegang.base.feature_gates import FeatureGates


class Subresource(msgspec.Struct, frozen=True):
    """A subresource and the kind of its body.

    Attributes:
        name: ``status``, ``binding``, ``eviction``, ``scale`` …
        kind: the body's kind where it differs from the parent's, else empty.
        group_version: the body's group and version where they differ, else ``None``.
    """

    name: str
    verbs: tuple[str, ...]
    kind: str = ""
    group_version: GroupVersion | None = None


class ResourceInfo(msgspec.Struct, frozen=True):
    """One resource in one API version.

    Attributes:
        storage_version: the version in which objects are stored; versions that share it are
            views of the same objects.
        definition: the name of the kind's structure in the facts table.
        gate: the API server's feature gate that serves this row, or empty.
        status_subresource: main-endpoint writes keep the stored status, and vice versa.
        generation: whether ``metadata.generation`` is kept (never for the scheduling kinds).
        generation_gate: the gate without which the generation is not kept, or empty.
        update_needs_version: a PUT without resourceVersion is refused (422).
        put_creates: a PUT of a name that does not exist creates it (Lease, Event).
        delete_returns_object: DELETE answers with the object rather than a Status.
        graceful: deletion honours a grace period (pods).
        storage_group: the group in which objects are stored where it is not the row's own:
            Events of both groups are the same objects.
        warning: what every answer about this resource warns of, or empty.
        list_name: what a list of objects is called where it is not the kind with ``List``.
        custom: the ``CustomKind`` if a CustomResourceDefinition made this row (``custom_of``).
    """

    group: str
    version: str
    kind: str
    plural: str
    singular: str
    namespaced: bool
    storage_version: str
    definition: str
    short_names: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    verbs: tuple[str, ...] = (
        "create",
        "delete",
        "deletecollection",
        "get",
        "list",
        "patch",
        "update",
        "watch",
    )
    subresources: tuple[Subresource, ...] = ()
    gate: str = ""
    status_subresource: bool = False
    generation: bool = False
    generation_gate: str = ""
    update_needs_version: bool = False
    put_creates: bool = False
    delete_returns_object: bool = False
    graceful: bool = False
    storage_group: str | None = None
    warning: str = ""
    list_name: str = ""
    custom: object | None = None

    @property
    def group_version(self) -> GroupVersion:
        """Group and version."""
        return GroupVersion(self.group, self.version)

    @property
    def gvk(self) -> GroupVersionKind:
        """Group, version and kind."""
        return GroupVersionKind(self.group, self.version, self.kind)

    @property
    def stored_as(self) -> GroupVersionKind:
        """The form in which objects lie in the store."""
        group = self.group if self.storage_group is None else self.storage_group
        return GroupVersionKind(group, self.storage_version, self.kind)

    @property
    def group_resource(self) -> GroupResource:
        """As error texts name the resource."""
        return GroupResource(self.group, self.plural)

    @property
    def list_kind(self) -> str:
        """``PodList`` for ``Pod``."""
        return self.list_name or f"{self.kind}List"

    def key_prefix(self, namespace: str = "") -> str:
        """Return the store's key prefix of all objects, or of one namespace's."""
        group = self.stored_as.group or "core"
        return f"/{group}/{self.plural}/{namespace}/" if namespace else f"/{group}/{self.plural}/"

    def key(self, namespace: str, name: str) -> str:
        """Return the store's key of one object."""
        return f"{self.key_prefix(namespace)}{name}"


class Scheme:
    """The resources that one release serves with given gates; fixed once made."""

    def __init__(self, rows: Iterable[ResourceInfo], served: Iterable[ResourceInfo]) -> None:
        self._rows = {row.gvk: row for row in rows}
        self._served = tuple(served)
        self._by_path = {(row.group, row.version, row.plural): row for row in self._served}
        self._by_kind = {row.gvk: row for row in self._served}
        self._groups = frozenset(row.group for row in self._served)

    @classmethod
    def for_profile(
        cls,
        rows: Iterable[ResourceInfo],
        served: tuple[GroupVersion, ...],
        gates: FeatureGates,
        *,
        stored: Iterable[ResourceInfo] = (),
    ) -> Scheme:
        """Pick the rows whose version is served and whose gate is on, in discovery order.

        Args:
            rows: what the release has.
            served: the versions that are served.
            gates: the API server's.
            stored: forms in which objects are stored that the release does not have yet.

        Raises:
            UnknownGateError: a served row names a gate that the release does not have.
        """
        known = tuple(rows)
        position = {group_version: place for place, group_version in enumerate(served)}
        picked = [
            row
            for row in known
            if row.group_version in position and (not row.gate or gates.enabled(row.gate))
        ]
        picked.sort(key=lambda row: (position[row.group_version], row.plural))
        return cls((*known, *stored), picked)

    def with_custom(self, rows: Iterable[ResourceInfo], served: Iterable[ResourceInfo]) -> Scheme:
        """Return these resources and custom ones after them; nothing here is replaced."""
        return Scheme(
            (*rows, *self._rows.values()),
            (*self._served, *(row for row in served if row.gvk not in self._by_kind)),
        )

    def resources(self) -> tuple[ResourceInfo, ...]:
        """Return the served rows in discovery order."""
        return self._served

    def find(self, group: str, version: str, plural: str) -> ResourceInfo | None:
        """Return the served row of a path, if there is one."""
        return self._by_path.get((group, version, plural))

    def find_kind(self, gvk: GroupVersionKind) -> ResourceInfo | None:
        """Return the served row of a kind, if there is one."""
        return self._by_kind.get(gvk)

    def storage(self, info: ResourceInfo) -> ResourceInfo:
        """Return the row of the form in which objects are stored, served or not."""
        return self._rows[info.stored_as]

    def is_custom_group(self, group: str) -> bool:
        """Return whether all that is served of a group are custom resources."""
        return all(row.custom is not None for row in self._served if row.group == group)

    def has_group(self, group: str) -> bool:
        """Return whether anything of the group is served."""
        return group in self._groups
