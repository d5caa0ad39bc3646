"""Namespaces, Services and controllers as the cache last saw them. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from kubegang.scheduler.framework.labelselection import Anchor, selects
from kubegang.scheduler.framework.pods import ControllerKey, PodInfo
from kubegang.scheduler.framework.terms import LabelTerms
from kubegang.scheduler.framework.workloads import ControllerInfo, NamespaceInfo, ServiceInfo
from kubegang.scheduler.snapshot.labelindex import LabelIndex

_NO_LABELS: Final[Mapping[str, str]] = {}


class _Services:
    """The Services of one namespace, found by the labels of pods."""

    __slots__ = ("_by_label", "by_name")

    def __init__(self) -> None:
        self.by_name: dict[str, ServiceInfo] = {}
        self._by_label: LabelIndex[ServiceInfo] | None = None

    def changed(self) -> None:
        """Index them anew when they are looked for."""
        self._by_label = None

    def of(self, pod: PodInfo) -> list[ServiceInfo]:
        """Return those that select a pod."""
        if self._by_label is None:
            self._by_label = LabelIndex()
            for service in self.by_name.values():
                key, value = min(service.labels.items())
                self._by_label.add(service, Anchor(key, (value,)))
        return [
            service
            for service in self._by_label.candidates(pod.labels)
            if service.labels.items() <= pod.labels.items()
        ]


class KnownObjects:
    """Fulfils ``Directory``; changed between cycles only."""

    def __init__(self) -> None:
        self.namespaces: dict[str, NamespaceInfo] = {}
        self.controllers: dict[ControllerKey, ControllerInfo] = {}
        self._services: dict[str, _Services] = {}

    # --- reading -------------------------------------------------------------------------

    def namespace_labels(self, name: str) -> Mapping[str, str]:
        """Return a namespace's labels; none if it is not known."""
        namespace = self.namespaces.get(name)
        return _NO_LABELS if namespace is None else namespace.labels

    def namespaces_with(self, selector: LabelTerms) -> list[str]:
        """Return the names of the namespaces that a selector selects, sorted."""
        if selector is None:
            return []
        return sorted(n.name for n in self.namespaces.values() if selects(selector, n.labels))

    def services_of(self, pod: PodInfo) -> list[ServiceInfo]:
        """Return the Services that select a pod."""
        services = self._services.get(pod.namespace)
        return [] if services is None else services.of(pod)

    def controller(self, key: ControllerKey) -> ControllerInfo | None:
        """Return a controller, or ``None`` if it is not known."""
        return self.controllers.get(key)

    def services(self) -> list[ServiceInfo]:
        """Return all Services that select pods."""
        return [s for services in self._services.values() for s in services.by_name.values()]

    # --- changing ------------------------------------------------------------------------

    def set_namespace(self, namespace: NamespaceInfo) -> None:
        """Add or replace a namespace."""
        self.namespaces[namespace.name] = namespace

    def remove_namespace(self, name: str) -> None:
        """Remove a namespace."""
        self.namespaces.pop(name, None)

    def set_service(self, service: ServiceInfo) -> None:
        """Add or replace a Service; one that selects no pods is not kept."""
        if not service.labels:
            self.remove_service(service)
            return
        services = self._services.setdefault(service.namespace, _Services())
        services.by_name[service.name] = service
        services.changed()

    def remove_service(self, service: ServiceInfo) -> None:
        """Remove a Service."""
        services = self._services.get(service.namespace)
        if services is None or services.by_name.pop(service.name, None) is None:
            return
        services.changed()
        if not services.by_name:
            del self._services[service.namespace]

    def set_controller(self, controller: ControllerInfo) -> None:
        """Add or replace a controller."""
        self.controllers[controller.key] = controller

    def remove_controller(self, key: ControllerKey) -> None:
        """Remove a controller."""
        self.controllers.pop(key, None)
