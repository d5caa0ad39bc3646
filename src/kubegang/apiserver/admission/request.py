"""What a plug-in gets to see, and what it may look up."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Literal, Protocol

import msgspec

from kubegang.api.scheme import ResourceInfo
from kubegang.apimachinery.errors import ForbiddenError, forbidden
from kubegang.apimachinery.objects import JsonObject
from kubegang.apiserver.authn import Identity
from kubegang.base.feature_gates import FeatureGates

Operation = Literal["create", "update", "delete"]


class AdmissionRequest(msgspec.Struct, frozen=True, kw_only=True):
    """One write, decoded and defaulted, before the common rules of its kind.

    Attributes:
        name: of the object; what a new one will be called may not be known yet.
        obj: what is to be stored (for a binding: the Binding); plug-ins change it in place.
        old: what is stored now, ``None`` on create.
        identity: who writes; ``None`` is the server itself.
    """

    operation: Operation
    info: ResourceInfo
    namespace: str
    name: str
    obj: JsonObject
    old: JsonObject | None = None
    subresource: str = ""
    identity: Identity | None = None

    def refuse(self, why: str) -> ForbiddenError:
        """Return the 403 of a plug-in; an unnamed object goes by its generateName."""
        metadata = self.obj.get("metadata") or {}
        name = metadata.get("name") or metadata.get("generateName") or self.name or "Unknown"
        return forbidden(self.info.group_resource, name, why)


class PriorityClassFacts(Protocol):
    """The members of a PriorityClass that admission needs."""

    @property
    def name(self) -> str:
        """The class's name."""
        ...

    @property
    def value(self) -> int:
        """The priority that it stands for."""
        ...

    @property
    def preemption_policy(self) -> str:
        """``PreemptLowerPriority`` or ``Never``."""
        ...


class WorkloadFacts(Protocol):
    """The members of a Workload that admission needs."""

    @property
    def is_terminating(self) -> bool:
        """Whether it is being deleted."""
        ...

    @property
    def template_names(self) -> Collection[str]:
        """The names of its PodGroup templates."""
        ...


class PodGroupFacts(Protocol):
    """The members of a PodGroup that admission needs."""

    @property
    def name(self) -> str:
        """The group's name."""
        ...

    @property
    def api_version(self) -> str:
        """The form in which it is stored."""
        ...

    @property
    def controller_uid(self) -> str:
        """The uid of its controller, or empty."""
        ...

    @property
    def is_gang(self) -> bool:
        """Whether it starts all or nothing."""
        ...


class Lookup(Protocol):
    """Reads of the cluster's state that plug-ins need."""

    def namespace_phase(self, name: str) -> str | None:
        """Return a namespace's phase, ``None`` if it does not exist."""
        ...

    def namespace_labels(self, name: str) -> Mapping[str, str]:
        """Return a namespace's labels, none if it does not exist."""
        ...

    def priority_class(self, name: str) -> PriorityClassFacts | None:
        """Return a priority class by name."""
        ...

    def default_priority_class(self) -> PriorityClassFacts | None:
        """Return the class that is marked as the global default; of several the lowest."""
        ...

    def workload(self, namespace: str, name: str) -> WorkloadFacts | None:
        """Return a Workload, ``None`` if it does not exist."""
        ...

    def pod_groups(self, namespace: str) -> Iterable[PodGroupFacts]:
        """Return the PodGroups of a namespace."""
        ...

    def service_account(self, namespace: str, name: str) -> JsonObject | None:
        """Return a service account, ``None`` if it does not exist."""
        ...

    def limit_ranges(self, namespace: str) -> Iterable[JsonObject]:
        """Return the limit ranges of a namespace."""
        ...

    def default_storage_class(self) -> str | None:
        """Return the storage class for claims that name none, if there is one."""
        ...

    def pods(self, namespace: str) -> Iterable[JsonObject]:
        """Return the pods of a namespace."""
        ...

    def default_ingress_class(self) -> str | None:
        """Return the class for ingresses that name none, if there is one."""
        ...

    def runtime_class(self, name: str) -> JsonObject | None:
        """Return a runtime class, ``None`` if it does not exist."""
        ...

    def name_from(self, prefix: str) -> str:
        """Return a name that nobody else has, from its beginning."""
        ...

    def node_labels(self, name: str) -> dict[str, str]:
        """Return a node's labels, empty if there is no such node."""
        ...


Admit = Callable[[AdmissionRequest, Lookup, FeatureGates], None]
"""Looks at a write and changes or refuses it."""
