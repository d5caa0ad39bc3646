"""What the scheduler learns of namespaces, Services, controllers and disruption budgets.

They say which pods belong together, which spreading and affinity ask for, and which of them
preemption had better leave alone. Nothing that waits is woken by them: upstream's plugins
register no such events either.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from kubegang.api.apps.types import ReplicaSet, StatefulSet
from kubegang.api.core.services import ReplicationController, Service
from kubegang.api.core.types import Namespace
from kubegang.api.meta import Form, decode
from kubegang.api.policy.types import PodDisruptionBudget
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.clock import Clock
from kubegang.client.informer import Informer
from kubegang.client.interface import Client, Resource
from kubegang.client.resources import (
    NAMESPACES,
    PODDISRUPTIONBUDGETS,
    REPLICASETS,
    REPLICATIONCONTROLLERS,
    SERVICES,
    STATEFULSETS,
)
from kubegang.scheduler.cache.cache import Cache
from kubegang.scheduler.framework.budgets import DisruptionBudget
from kubegang.scheduler.framework.workloadconversion import (
    disruption_budget,
    namespace_info,
    replica_set_info,
    replication_controller_info,
    service_info,
    stateful_set_info,
)
from kubegang.scheduler.framework.workloads import ControllerInfo, NamespaceInfo, ServiceInfo

FormT = TypeVar("FormT", bound=Form)
InfoT = TypeVar("InfoT", NamespaceInfo, ServiceInfo, ControllerInfo, DisruptionBudget)


def make_directory_informers(
    client: Client, cache: Cache, *, clock: Clock
) -> tuple[Informer[Any], ...]:
    """Return informers that keep the cache's directory; what they keep are compact records."""

    def follow(
        resource: Resource,
        form: type[FormT],
        view: Callable[[FormT], InfoT],
        *,
        changed: Callable[[InfoT], None],
        gone: Callable[[InfoT], None],
    ) -> Informer[Any]:
        def decoded(obj: JsonObject) -> InfoT:
            return view(decode(obj, form))

        informer: Informer[InfoT] = Informer(client, resource, clock=clock, decode=decoded)
        informer.add_handler(changed, lambda _, new: changed(new), gone)
        return informer

    def controllers(
        resource: Resource, form: type[FormT], view: Callable[[FormT], ControllerInfo]
    ) -> Informer[Any]:
        return follow(
            resource,
            form,
            view,
            changed=cache.set_controller,
            gone=lambda controller: cache.remove_controller(controller.key),
        )

    return (
        follow(
            NAMESPACES,
            Namespace,
            namespace_info,
            changed=cache.set_namespace,
            gone=lambda namespace: cache.remove_namespace(namespace.name),
        ),
        follow(
            SERVICES,
            Service,
            service_info,
            changed=cache.set_service,
            gone=cache.remove_service,
        ),
        follow(
            PODDISRUPTIONBUDGETS,
            PodDisruptionBudget,
            disruption_budget,
            changed=cache.set_budget,
            gone=cache.remove_budget,
        ),
        controllers(REPLICATIONCONTROLLERS, ReplicationController, replication_controller_info),
        controllers(REPLICASETS, ReplicaSet, replica_set_info),
        controllers(STATEFULSETS, StatefulSet, stateful_set_info),
    )
