"""Pods from their internal form to ``PodInfo``.

Parts that many pods share are interned. Pure.
"""

from __future__ import annotations

from typing import Final

from kubegang.api.core.types import Container, Pod, PodSpec
from kubegang.scheduler.framework.interning import interned
from kubegang.scheduler.framework.nodeterms import node_affinity_terms
from kubegang.scheduler.framework.podneeds import needed_features, pod_volumes, volume_sources
from kubegang.scheduler.framework.pods import HostPort, NodeName, PodGroupKey, PodInfo, PodUid
from kubegang.scheduler.framework.podterms import (
    controller_key,
    pod_affinity_terms,
    spread_constraints,
)
from kubegang.scheduler.framework.requests import extended_requests, pod_requests
from kubegang.scheduler.framework.sharedparts import (
    condition_of,
    device_claims,
    preemption_policy,
    seconds,
)
from kubegang.scheduler.framework.terms import (
    NodeAffinityTerms,
    PodAffinityTerms,
    SpreadConstraint,
    Toleration,
)
from kubegang.scheduler.framework.workloadgroups import workload_group_key

_FINISHED_PHASES: Final = frozenset({"Succeeded", "Failed"})


def pod_info(pod: Pod) -> PodInfo:
    """Return the scheduler's view of a pod."""
    meta, spec, status = pod.metadata, pod.spec, pod.status
    return PodInfo(
        uid=PodUid(meta.uid),
        namespace=meta.namespace,
        name=meta.name,
        resource_version=meta.resource_version,
        labels=meta.labels,
        scheduler_name=spec.scheduler_name,
        priority=spec.priority or 0,
        preemption_policy=preemption_policy(spec.preemption_policy),
        node_name=NodeName(spec.node_name),
        nominated_node_name=NodeName(status.nominated_node_name),
        pod_group=_pod_group_key(pod),
        workload_ref=_workload_ref(spec),
        scheduling_gates=tuple(gate.name for gate in spec.scheduling_gates),
        requests=pod_requests(spec),
        affinity=_affinity(spec),
        tolerations=_tolerations(spec),
        host_ports=_host_ports(spec),
        images=_images(spec),
        terminating=meta.deletion_timestamp is not None,
        finished=status.phase in _FINISHED_PHASES,
        created=seconds(meta.creation_timestamp),
        condition=condition_of(status.conditions, "PodScheduled"),
        generation=meta.generation,
        started=seconds(status.start_time) if status.start_time else None,
        preempted=meta.deletion_timestamp is not None and _is_preemption_victim(pod),
        pod_affinity=_pod_affinity(pod),
        spread=_spread(pod),
        controller=controller_key(meta),
        volumes=pod_volumes(spec.volumes, pod_name=meta.name) if spec.volumes else (),
        features=needed_features(spec),
        volume_sources=interned("sources", volume_sources(spec.volumes)) if spec.volumes else (),
        device_claims=(
            device_claims(spec.resource_claims, status.resource_claim_statuses)
            if spec.resource_claims
            else ()
        ),
        extended_requests=interned("extended", extended_requests(spec)),
    )


def _affinity(spec: PodSpec) -> NodeAffinityTerms:
    terms = node_affinity_terms(spec.affinity.node_affinity if spec.affinity else None)
    if spec.node_selector:
        terms = terms._replace(selector=tuple(sorted(spec.node_selector.items())))
    return interned("affinity", terms)


def _pod_affinity(pod: Pod) -> PodAffinityTerms | None:
    terms = pod_affinity_terms(pod.spec.affinity, pod.metadata.namespace)
    return None if terms is None else interned("pod affinity", terms)


def _spread(pod: Pod) -> tuple[SpreadConstraint, ...]:
    constraints = pod.spec.topology_spread_constraints
    if not constraints:
        return ()
    return interned("spread", spread_constraints(constraints, pod.metadata.labels))


def _tolerations(spec: PodSpec) -> tuple[Toleration, ...]:
    return interned(
        "tolerations",
        tuple(
            Toleration(t.key, t.operator or "Equal", t.value, t.effect) for t in spec.tolerations
        ),
    )


def _host_ports(spec: PodSpec) -> tuple[HostPort, ...]:
    sidecars = (c for c in spec.init_containers if c.restart_policy == "Always")
    containers: list[Container] = [*(spec.containers or ()), *sidecars]
    return tuple(
        HostPort(port.host_ip or "0.0.0.0", port.protocol or "TCP", port.host_port)
        for container in containers
        for port in container.ports
        if port.host_port > 0
    )


def _images(spec: PodSpec) -> tuple[str, ...]:
    containers: list[Container] = [*spec.init_containers, *(spec.containers or ())]
    return interned("images", tuple(_with_tag(container.image) for container in containers))


def _with_tag(image: str) -> str:
    # Nodes report images under full names, so a missing tag is filled in as runtimes do.
    return image if image.rfind(":") > image.rfind("/") else f"{image}:latest"


def _pod_group_key(pod: Pod) -> PodGroupKey | None:
    group, ref = pod.spec.scheduling_group, _workload_ref(pod.spec)
    if ref is not None:
        return workload_group_key(pod.metadata.namespace, ref)
    if group is None or not group.pod_group_name:
        return None
    return PodGroupKey(pod.metadata.namespace, group.pod_group_name)


def _workload_ref(spec: PodSpec) -> tuple[str, str, str] | None:
    ref = spec.workload_ref
    return None if ref is None else (ref.name, ref.pod_group, ref.pod_group_replica_key)


def _is_preemption_victim(pod: Pod) -> bool:
    condition = condition_of(pod.status.conditions, "DisruptionTarget")
    return condition is not None and condition[:2] == ("True", "PreemptionByScheduler")
