"""Namespaces, Services and controllers that a snapshot knows."""

from __future__ import annotations

from kubegang.scheduler.framework.pods import ControllerKey, PodInfo
from kubegang.scheduler.framework.podterms import equal_labels
from kubegang.scheduler.framework.workloads import ControllerInfo, NamespaceInfo, ServiceInfo
from kubegang.scheduler.snapshot.directory import KnownObjects
from kubegang.testing.builders import make_pod


def names(directory: KnownObjects, pod: PodInfo) -> list[str]:
    return sorted(service.name for service in directory.services_of(pod))


def test_namespaces_are_found_by_their_labels() -> None:
    directory = KnownObjects()
    directory.set_namespace(NamespaceInfo("b", {"team": "x"}))
    directory.set_namespace(NamespaceInfo("a", {"team": "x", "more": "y"}))
    directory.set_namespace(NamespaceInfo("c", {}))
    assert directory.namespaces_with(equal_labels({"team": "x"})) == ["a", "b"]
    assert directory.namespaces_with(()) == ["a", "b", "c"]
    assert directory.namespaces_with(None) == []
    directory.remove_namespace("a")
    assert directory.namespace_labels("a") == {}
    assert directory.namespace_labels("b") == {"team": "x"}


def test_services_are_found_by_the_labels_of_their_pods() -> None:
    directory = KnownObjects()
    for name, labels in (("web", {"app": "x"}), ("both", {"app": "x", "tier": "web"})):
        directory.set_service(ServiceInfo("default", name, labels))
    pod = make_pod().label("app", "x")
    assert names(directory, pod.info()) == ["web"]
    assert names(directory, pod.label("tier", "web").info()) == ["both", "web"]
    assert names(directory, pod.ns("other").info()) == []
    directory.set_service(ServiceInfo("default", "web", {"app": "y"}))
    assert names(directory, pod.info()) == []


def test_services_without_a_selector_select_nobody() -> None:
    directory = KnownObjects()
    service = ServiceInfo("default", "s", {"app": "x"})
    directory.set_service(service)
    directory.set_service(ServiceInfo("default", "s", {}))
    assert directory.services() == []
    directory.set_service(service)
    directory.remove_service(service)
    directory.remove_service(service)
    assert names(directory, make_pod().label("app", "x").info()) == []


def test_controllers_are_found_by_kind_and_name() -> None:
    directory = KnownObjects()
    key = ControllerKey("ReplicaSet", "default", "web")
    directory.set_controller(ControllerInfo(key, ()))
    assert directory.controller(key) == ControllerInfo(key, ())
    assert directory.controller(key._replace(kind="StatefulSet")) is None
    directory.remove_controller(key)
    assert directory.controller(key) is None
