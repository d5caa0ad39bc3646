"""The resources served now: those of the release, and those of CustomResourceDefinitions.

This is the one place that composes a ``Scheme``. A scheme itself never changes; the catalog
replaces it whenever a definition appears, changes or goes, so whoever keeps something made
from a scheme sees by its identity that it is old.
"""

from __future__ import annotations

from kubegang.api.customresources.rows import is_established, rows_of, served_rows
from kubegang.api.customresources.versions import version_key
from kubegang.api.scheme import ResourceInfo, Scheme
from kubegang.apimachinery.objects import JsonObject
from kubegang.apiserver import codec
from kubegang.store.interface import Store

GROUP = "apiextensions.k8s.io"
PLURAL = "customresourcedefinitions"


class Catalog:
    """What is served.

    Attributes:
        scheme: the resources as they are now.
    """

    def __init__(self, base: Scheme) -> None:
        self.scheme = base
        self._base = base
        self._definitions: dict[str, JsonObject] = {}
        self._rows: dict[str, tuple[ResourceInfo, ...]] = {}

    @property
    def resource(self) -> ResourceInfo | None:
        """The row of CustomResourceDefinitions themselves, if they are served."""
        return self._base.find(GROUP, "v1", PLURAL)

    def definitions(self) -> tuple[JsonObject, ...]:
        """Return the definitions as last seen; they must not be changed."""
        return tuple(self._definitions.values())

    def rows(self, name: str) -> tuple[ResourceInfo, ...]:
        """Return the rows of an established definition, served or not."""
        return self._rows.get(name, ())

    def load(self, store: Store) -> None:
        """Take over the definitions that are stored, as at a start."""
        if self.resource is not None:
            for item in store.list(self.resource.key_prefix()).items:
                definition = codec.decode(item.value)
                self._definitions[definition["metadata"]["name"]] = definition
                self._make_rows(definition)
            self._compose()

    def put(self, definition: JsonObject) -> None:
        """Take over a definition that is new or has changed."""
        name = definition["metadata"]["name"]
        known = self._definitions.get(name)
        self._definitions[name] = definition
        if known is None or _served_part(known) != _served_part(definition):
            self._make_rows(definition)
            self._compose()

    def remove(self, name: str) -> None:
        """Forget a definition that is gone."""
        self._definitions.pop(name, None)
        if self._rows.pop(name, None) is not None:
            self._compose()

    def _make_rows(self, definition: JsonObject) -> None:
        name = definition["metadata"]["name"]
        if is_established(definition):
            self._rows[name] = rows_of(definition)
        else:
            self._rows.pop(name, None)

    def _compose(self) -> None:
        known: list[ResourceInfo] = []
        served: list[ResourceInfo] = []
        for name, rows in self._rows.items():
            known += rows
            served += served_rows(self._definitions[name], rows)
        served.sort(key=_discovery_order)
        self.scheme = self._base.with_custom(known, served) if known else self._base


def _discovery_order(row: ResourceInfo) -> tuple[object, ...]:
    return row.group, version_key(row.version), row.plural


def _served_part(definition: JsonObject) -> tuple[object, ...]:
    """Return what the rows are made from."""
    status = definition.get("status") or {}
    return (
        definition["spec"],
        status.get("acceptedNames"),
        is_established(definition),
        definition["metadata"].get("deletionTimestamp"),
    )
