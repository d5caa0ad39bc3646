"""A cluster's state put into the scheduler's cache, as its informers would. Pure."""

from __future__ import annotations

from collections.abc import Collection

from kubegang.api.profile import SchedulerProfile
from kubegang.scheduler.cache.cache import Cache
from kubegang.scheduler.framework.pods import PodInfo
from kubegang.tools.cluster.state import ClusterState


def fill_cache(
    state: ClusterState, profile: SchedulerProfile, *, scheduler_names: Collection[str]
) -> tuple[Cache, list[PodInfo]]:
    """Return the cache, and the pods that wait for one of the schedulers named.

    Pods that wait for somebody else do not exist for these, as in the live scheduler.

    Args:
        state: the cluster.
        profile: says how the release sees groups.
        scheduler_names: whose pods wait here.
    """
    cache = Cache()
    for namespace in state.namespaces:
        cache.set_namespace(namespace)
    for service in state.services:
        cache.set_service(service)
    for controller in state.controllers:
        cache.set_controller(controller)
    for budget in state.budgets:
        cache.set_budget(budget)
    for obj in state.storage:
        cache.set_storage(obj)
    for device in state.devices:
        cache.set_device_object(device)
    for node in state.nodes:
        cache.set_node(node)
    for workload in state.workloads:
        cache.groups.set_workload(workload.namespace, workload.name)
    for group in state.group_records(profile):
        cache.set_pod_group(group)
    waiting: list[PodInfo] = []
    for pod in state.pods_for(profile):
        if pod.node_name:
            cache.set_pod(pod)
        elif pod.scheduler_name in scheduler_names:
            cache.set_pod(pod)
            waiting.append(pod)
    return cache, waiting
