"""Admission's reads, straight from the store, decoded once per revision of an object."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Generic, TypeVar

import msgspec

from kubegang.apimachinery.objects import JsonObject
from kubegang.apiserver import codec
from kubegang.apiserver.chance import Rng, generated_name
from kubegang.store.interface import Item, Revision, Store

_NAMESPACES = "/core/namespaces/"
_NODES = "/core/nodes/"
_PODS = "/core/pods/"
_PRIORITY_CLASSES = "/scheduling.k8s.io/priorityclasses/"
_WORKLOADS = "/scheduling.k8s.io/workloads/"
_ACCOUNTS = "/core/serviceaccounts/"
_LIMIT_RANGES = "/core/limitranges/"
_STORAGE_CLASSES = "/storage.k8s.io/storageclasses/"
_INGRESS_CLASSES = "/networking.k8s.io/ingressclasses/"
_DEFAULT_INGRESS_CLASS = ("ingressclass.kubernetes.io/is-default-class",)
_RUNTIME_CLASSES = "/node.k8s.io/runtimeclasses/"
_DEFAULT_STORAGE_CLASS = (
    "storageclass.kubernetes.io/is-default-class",
    "storageclass.beta.kubernetes.io/is-default-class",
)
_POD_GROUPS = "/scheduling.k8s.io/podgroups/"

T = TypeVar("T")


class _Metadata(msgspec.Struct):
    name: str
    labels: dict[str, str] = {}


class _Status(msgspec.Struct):
    phase: str = "Active"


class _Namespace(msgspec.Struct):
    metadata: _Metadata
    status: _Status = msgspec.field(default_factory=_Status)


class _Node(msgspec.Struct):
    metadata: _Metadata


class _PriorityClass(msgspec.Struct, rename="camel"):
    metadata: _Metadata
    value: int = 0
    global_default: bool = False
    preemption_policy: str = "PreemptLowerPriority"

    @property
    def name(self) -> str:
        """The class's name."""
        return self.metadata.name


class _Template(msgspec.Struct):
    name: str = ""


class _Templates(msgspec.Struct, rename="camel"):
    pod_group_templates: tuple[_Template, ...] = ()


class _Deletion(msgspec.Struct, rename="camel"):
    deletion_timestamp: str = ""


class _Workload(msgspec.Struct):
    metadata: _Deletion
    spec: _Templates = msgspec.field(default_factory=_Templates)

    @property
    def is_terminating(self) -> bool:
        """Whether it is being deleted."""
        return bool(self.metadata.deletion_timestamp)

    @property
    def template_names(self) -> list[str]:
        """The names of its PodGroup templates."""
        return [template.name for template in self.spec.pod_group_templates]


class _Owner(msgspec.Struct):
    uid: str
    controller: bool = False


class _Owned(msgspec.Struct, rename="camel"):
    name: str
    owner_references: tuple[_Owner, ...] = ()


class _Policy(msgspec.Struct):
    gang: dict[str, int] | None = None


class _Policies(msgspec.Struct, rename="camel"):
    scheduling_policy: _Policy = msgspec.field(default_factory=_Policy)


class _PodGroup(msgspec.Struct, rename="camel"):
    api_version: str
    metadata: _Owned
    spec: _Policies

    @property
    def name(self) -> str:
        """The group's name."""
        return self.metadata.name

    @property
    def controller_uid(self) -> str:
        """The uid of its controller, or empty."""
        return next((o.uid for o in self.metadata.owner_references if o.controller), "")

    @property
    def is_gang(self) -> bool:
        """Whether it starts all or nothing."""
        return self.spec.scheduling_policy.gang is not None


class _ClassMetadata(msgspec.Struct, rename="camel"):
    name: str
    creation_timestamp: str = ""
    annotations: dict[str, str] = {}


class _Class(msgspec.Struct):
    metadata: _ClassMetadata


def _default_of(classes: Iterable[_Class], marks: Iterable[str]) -> str | None:
    """Return the name of the newest class with one of the marks, of those as old the first."""
    found = [
        one.metadata
        for one in classes
        if any(one.metadata.annotations.get(mark) == "true" for mark in marks)
    ]
    found.sort(key=lambda one: one.name)
    found.sort(key=lambda one: one.creation_timestamp, reverse=True)
    return found[0].name if found else None


class _Decoded(Generic[T]):
    """Decoded objects by key, each as long as its revision stays the same."""

    def __init__(self, store: Store, parts: type[T]) -> None:
        self._store = store
        self._decoder = msgspec.json.Decoder(parts)
        self._cache: dict[str, tuple[Revision, T]] = {}

    def get(self, key: str) -> T | None:
        """Return the object under a key."""
        item = self._store.get(key)
        if item is None:
            self._cache.pop(key, None)
            return None
        return self.of(item)

    def of(self, item: Item) -> T:
        """Return an item's object."""
        cached = self._cache.get(item.key)
        if cached is not None and cached[0] == item.revision:
            return cached[1]
        obj = self._decoder.decode(item.value)
        self._cache[item.key] = (item.revision, obj)
        return obj


class StoreLookup:
    """A ``Lookup`` over a store: always what is stored now, unlike upstream's caches."""

    def __init__(self, store: Store, rng: Rng) -> None:
        self._store = store
        self._rng = rng
        self._namespaces = _Decoded(store, _Namespace)
        self._nodes = _Decoded(store, _Node)
        self._classes = _Decoded(store, _PriorityClass)
        self._workloads = _Decoded(store, _Workload)
        self._groups = _Decoded(store, _PodGroup)
        self._storage = _Decoded(store, _Class)
        self._ingress = _Decoded(store, _Class)

    def namespace_phase(self, name: str) -> str | None:
        """Return a namespace's phase, ``None`` if it does not exist."""
        found = self._namespaces.get(_NAMESPACES + name)
        return None if found is None else found.status.phase

    def namespace_labels(self, name: str) -> Mapping[str, str]:
        """Return a namespace's labels, none if it does not exist."""
        found = self._namespaces.get(_NAMESPACES + name)
        return {} if found is None else found.metadata.labels

    def priority_class(self, name: str) -> _PriorityClass | None:
        """Return a priority class by name."""
        return self._classes.get(_PRIORITY_CLASSES + name)

    def default_priority_class(self) -> _PriorityClass | None:
        """Return the class that is marked as the global default; of several the lowest."""
        items = self._store.list(_PRIORITY_CLASSES).items
        classes = [self._classes.of(item) for item in items]
        return min(
            (one for one in classes if one.global_default), key=lambda one: one.value, default=None
        )

    def workload(self, namespace: str, name: str) -> _Workload | None:
        """Return a Workload, ``None`` if it does not exist."""
        return self._workloads.get(f"{_WORKLOADS}{namespace}/{name}")

    def pod_groups(self, namespace: str) -> Iterator[_PodGroup]:
        """Return the PodGroups of a namespace."""
        items = self._store.list(f"{_POD_GROUPS}{namespace}/").items
        return (self._groups.of(item) for item in items)

    def service_account(self, namespace: str, name: str) -> JsonObject | None:
        """Return a service account, ``None`` if it does not exist."""
        item = self._store.get(f"{_ACCOUNTS}{namespace}/{name}")
        return None if item is None else codec.decode(item.value)

    def limit_ranges(self, namespace: str) -> Iterator[JsonObject]:
        """Return the limit ranges of a namespace."""
        items = self._store.list(f"{_LIMIT_RANGES}{namespace}/").items
        return (codec.decode(item.value) for item in items)

    def default_storage_class(self) -> str | None:
        """Return the default class: of several the newest, then the first by name."""
        items = self._store.list(_STORAGE_CLASSES).items
        return _default_of(map(self._storage.of, items), _DEFAULT_STORAGE_CLASS)

    def pods(self, namespace: str) -> Iterator[JsonObject]:
        """Return the pods of a namespace."""
        items = self._store.list(f"{_PODS}{namespace}/").items
        return (codec.decode(item.value) for item in items)

    def default_ingress_class(self) -> str | None:
        """Return the default class: of several the newest, then the first by name."""
        items = self._store.list(_INGRESS_CLASSES).items
        return _default_of(map(self._ingress.of, items), _DEFAULT_INGRESS_CLASS)

    def runtime_class(self, name: str) -> JsonObject | None:
        """Return a runtime class, ``None`` if it does not exist."""
        item = self._store.get(_RUNTIME_CLASSES + name)
        return None if item is None else codec.decode(item.value)

    def name_from(self, prefix: str) -> str:
        """Return a name that nobody else has, from its beginning."""
        return generated_name(prefix, self._rng)

    def node_labels(self, name: str) -> dict[str, str]:
        """Return a node's labels, empty if there is no such node."""
        found = self._nodes.get(_NODES + name)
        return {} if found is None else found.metadata.labels
