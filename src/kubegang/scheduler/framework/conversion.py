"""API objects as the scheduler sees them: Pod → PodInfo, Node → NodeInfo, PodGroup → PodGroupInfo.

Everything that a decision reads is worked out here, once per object and change; equal parts
are one object in memory, so a hundred thousand pods of twenty shapes stay small. Pure.
"""

from __future__ import annotations

import functools
from collections.abc import Hashable, Iterable, Sequence
from typing import Final, Literal, TypeVar, cast

import msgspec

from kubegang.api.core.affinity import NodeAffinity
from kubegang.api.core.affinity import NodeSelectorTerm as ApiTerm
from kubegang.api.core.types import (
    Container,
    Node,
    Pod,
    PodResourceClaim,
    PodResourceClaimStatus,
    PodSpec,
)
from kubegang.api.meta import Condition
from kubegang.api.policy.types import PodDisruptionBudget
from kubegang.api.scheduling.types import (
    CompositePodGroup,
    PodGroup,
    PodGroupResourceClaim,
    PodGroupResourceClaimStatus,
)
from kubegang.apimachinery.times import parse_time
from kubegang.scheduler.framework.budgets import DisruptionBudget
from kubegang.scheduler.framework.devices import ClaimReference
from kubegang.scheduler.framework.nodes import NodeImage, NodeInfo, Taint
from kubegang.scheduler.framework.podneeds import needed_features, pod_volumes, volume_sources
from kubegang.scheduler.framework.pods import (
    GroupKind,
    HostPort,
    NodeAffinityTerms,
    NodeName,
    NodeSelectorTerm,
    PodAffinityTerms,
    PodGroupInfo,
    PodGroupKey,
    PodInfo,
    PodUid,
    PreferredTerm,
    Requirement,
    SpreadConstraint,
    Toleration,
)
from kubegang.scheduler.framework.podterms import (
    controller_key,
    label_terms,
    pod_affinity_terms,
    spread_constraints,
)
from kubegang.scheduler.framework.requests import (
    amount_milli,
    extended_requests,
    in_scheduler_units,
    pod_requests,
)
from kubegang.scheduler.framework.workloadgroups import workload_group_key

PartT = TypeVar("PartT", bound=Hashable)

_PreemptionPolicy = Literal["PreemptLowerPriority", "Never"]

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
        preemption_policy=_preemption_policy(spec.preemption_policy),
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
        created=_seconds(meta.creation_timestamp),
        condition=_scheduling_condition(pod),
        generation=meta.generation,
        started=_seconds(status.start_time) if status.start_time else None,
        preempted=meta.deletion_timestamp is not None and _is_preemption_victim(pod),
        pod_affinity=_pod_affinity(pod),
        spread=_spread(pod),
        controller=controller_key(meta),
        volumes=pod_volumes(spec.volumes, pod_name=meta.name) if spec.volumes else (),
        features=needed_features(spec),
        volume_sources=_interned("sources", volume_sources(spec.volumes)) if spec.volumes else (),
        device_claims=(
            _device_claims(spec.resource_claims, status.resource_claim_statuses)
            if spec.resource_claims
            else ()
        ),
        extended_requests=_interned("extended", extended_requests(spec)),
    )


def node_info(node: Node) -> NodeInfo:
    """Return the scheduler's view of a node."""
    amounts = {
        resource: in_scheduler_units(resource, amount_milli(amount))
        for resource, amount in node.status.allocatable.items()
    }
    return NodeInfo(
        name=NodeName(node.metadata.name),
        uid=node.metadata.uid,
        resource_version=node.metadata.resource_version,
        labels=node.metadata.labels,
        taints=_interned(
            "taints", tuple(Taint(t.key, t.value, t.effect) for t in node.spec.taints)
        ),
        unschedulable=node.spec.unschedulable,
        allowed_pods=amounts.pop("pods", 0),
        allocatable=_interned("amounts", tuple(sorted(amounts.items()))),
        images=tuple(
            NodeImage(name, image.size_bytes)
            for image in node.status.images
            for name in image.names or ()
        ),
        declared_features=_interned("features", node.status.declared_features),
    )


def pod_group_info(
    group: PodGroup, *, condition_type: str, with_parent: bool = True
) -> PodGroupInfo:
    """Return the scheduler's view of a PodGroup.

    Args:
        group: in the internal form.
        condition_type: how the scheduling condition is called in this release.
        with_parent: whether composite pod groups count; else every group stands for itself.
    """
    gang = group.spec.scheduling_policy.gang
    info = _group_info("PodGroup", group, None if gang is None else gang.min_count)
    return msgspec.structs.replace(
        info,
        parent=info.parent if with_parent else "",
        initially_scheduled=_group_condition(group.status.conditions, condition_type),
        device_claims=_device_claims(
            group.spec.resource_claims, group.status.resource_claim_statuses
        ),
    )


def composite_pod_group_info(group: CompositePodGroup) -> PodGroupInfo:
    """Return the scheduler's view of a CompositePodGroup: a group whose members are groups."""
    gang = group.spec.scheduling_policy.gang
    return _group_info("CompositePodGroup", group, None if gang is None else gang.min_group_count)


def _group_info(
    kind: GroupKind, group: PodGroup | CompositePodGroup, min_count: int | None
) -> PodGroupInfo:
    meta, spec = group.metadata, group.spec
    constraints = spec.scheduling_constraints
    return PodGroupInfo(
        key=PodGroupKey(meta.namespace, meta.name, kind),
        uid=meta.uid,
        resource_version=meta.resource_version,
        created=_seconds(meta.creation_timestamp),
        terminating=meta.deletion_timestamp is not None,
        min_count=min_count,
        topology_key=constraints.topology_key if constraints is not None else "",
        priority=spec.priority or 0,
        preemption_policy=_preemption_policy(spec.preemption_policy),
        disruption_mode=spec.disruption_mode.mode if spec.disruption_mode else "single",
        parent=spec.parent_composite_pod_group_name or "",
        initially_scheduled=None,
    )


def _device_claims(
    entries: Sequence[PodResourceClaim | PodGroupResourceClaim],
    statuses: Sequence[PodResourceClaimStatus | PodGroupResourceClaimStatus],
) -> tuple[ClaimReference, ...]:
    generated = {status.name: status.resource_claim_name for status in statuses}
    return tuple(
        ClaimReference(
            entry.name,
            entry.resource_claim_name,
            entry.resource_claim_template_name,
            generated.get(entry.name),
            entry.name in generated,
        )
        for entry in entries
    )


def node_affinity_terms(affinity: NodeAffinity | None) -> NodeAffinityTerms:
    """Return a node affinity without a selector, as the scheduler evaluates it."""
    if affinity is None:
        return NodeAffinityTerms((), None, ())
    required = affinity.required_during_scheduling_ignored_during_execution
    preferred = affinity.preferred_during_scheduling_ignored_during_execution
    return NodeAffinityTerms(
        selector=(),
        required=(
            None if required is None else node_selector_terms(required.node_selector_terms or ())
        ),
        preferred=tuple(
            PreferredTerm(entry.weight, _term(entry.preference))
            for entry in preferred
            if entry.weight and not _is_empty(entry.preference)
        ),
    )


def _affinity(spec: PodSpec) -> NodeAffinityTerms:
    terms = node_affinity_terms(spec.affinity.node_affinity if spec.affinity else None)
    if spec.node_selector:
        terms = terms._replace(selector=tuple(sorted(spec.node_selector.items())))
    return _interned("affinity", terms)


def _pod_affinity(pod: Pod) -> PodAffinityTerms | None:
    terms = pod_affinity_terms(pod.spec.affinity, pod.metadata.namespace)
    return None if terms is None else _interned("pod affinity", terms)


def _spread(pod: Pod) -> tuple[SpreadConstraint, ...]:
    constraints = pod.spec.topology_spread_constraints
    if not constraints:
        return ()
    return _interned("spread", spread_constraints(constraints, pod.metadata.labels))


def node_selector_terms(terms: Iterable[ApiTerm]) -> tuple[NodeSelectorTerm, ...]:
    """Return terms of which one must match a node."""
    # A term that says nothing matches no node, so leaving it out changes nothing.
    return tuple(_term(term) for term in terms if not _is_empty(term))


def _term(term: ApiTerm) -> NodeSelectorTerm:
    return NodeSelectorTerm(
        tuple(Requirement(r.key, r.operator, r.values) for r in term.match_expressions),
        tuple(Requirement(r.key, r.operator, r.values) for r in term.match_fields),
    )


def _is_empty(term: ApiTerm) -> bool:
    return not term.match_expressions and not term.match_fields


def _tolerations(spec: PodSpec) -> tuple[Toleration, ...]:
    return _interned(
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
    return _interned("images", tuple(_with_tag(container.image) for container in containers))


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


def _scheduling_condition(pod: Pod) -> tuple[str, str, str] | None:
    for condition in pod.status.conditions:
        if condition.type == "PodScheduled":
            return (condition.status, condition.reason, condition.message)
    return None


def _is_preemption_victim(pod: Pod) -> bool:
    for condition in pod.status.conditions:
        if condition.type == "DisruptionTarget":
            return condition.status == "True" and condition.reason == "PreemptionByScheduler"
    return False


def _group_condition(
    conditions: Sequence[Condition], condition_type: str
) -> tuple[str, str, str] | None:
    for condition in conditions:
        if condition.type == condition_type:
            return (condition.status, condition.reason, condition.message)
    return None


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


def _preemption_policy(value: str | None) -> _PreemptionPolicy:
    return "Never" if value == "Never" else "PreemptLowerPriority"


def _seconds(timestamp: str | None) -> float:
    return parse_time(timestamp) if timestamp else 0.0


@functools.lru_cache(maxsize=16384)
def _first_equal(kind: str, part: Hashable) -> Hashable:
    # Named tuples of different kinds may be equal, hence the kind.
    return part


def _interned(kind: str, part: PartT) -> PartT:
    return cast(PartT, _first_equal(kind, part))
