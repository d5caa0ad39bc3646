"""API objects that speak of pods by their labels, as the scheduler sees them. Pure."""

from __future__ import annotations

from kubegang.api.apps.types import ReplicaSet, StatefulSet
from kubegang.api.core.services import ReplicationController, Service
from kubegang.api.core.types import Namespace
from kubegang.api.policy.types import PodDisruptionBudget
from kubegang.scheduler.framework.budgets import DisruptionBudget
from kubegang.scheduler.framework.pods import ControllerKey
from kubegang.scheduler.framework.podterms import equal_labels, label_terms
from kubegang.scheduler.framework.workloads import ControllerInfo, NamespaceInfo, ServiceInfo


def namespace_info(namespace: Namespace) -> NamespaceInfo:
    """Return the scheduler's view of a namespace."""
    return NamespaceInfo(namespace.metadata.name, namespace.metadata.labels)


def service_info(service: Service) -> ServiceInfo:
    """Return the scheduler's view of a Service."""
    meta = service.metadata
    return ServiceInfo(meta.namespace, meta.name, service.spec.selector)


def replication_controller_info(controller: ReplicationController) -> ControllerInfo:
    """Return the scheduler's view of a ReplicationController."""
    meta = controller.metadata
    key = ControllerKey("ReplicationController", meta.namespace, meta.name)
    return ControllerInfo(key, equal_labels(controller.spec.selector))


def replica_set_info(replica_set: ReplicaSet) -> ControllerInfo:
    """Return the scheduler's view of a ReplicaSet."""
    meta = replica_set.metadata
    key = ControllerKey("ReplicaSet", meta.namespace, meta.name)
    return ControllerInfo(key, label_terms(replica_set.spec.selector))


def stateful_set_info(stateful_set: StatefulSet) -> ControllerInfo:
    """Return the scheduler's view of a StatefulSet."""
    meta = stateful_set.metadata
    key = ControllerKey("StatefulSet", meta.namespace, meta.name)
    return ControllerInfo(key, label_terms(stateful_set.spec.selector))


def disruption_budget(budget: PodDisruptionBudget) -> DisruptionBudget:
    """Return what preemption reads of a PodDisruptionBudget."""
    meta, status = budget.metadata, budget.status
    return DisruptionBudget(
        namespace=meta.namespace,
        name=meta.name,
        selector=label_terms(budget.spec.selector),
        disruptions_allowed=status.disruptions_allowed,
        disrupted_pods=tuple(status.disrupted_pods),
    )
