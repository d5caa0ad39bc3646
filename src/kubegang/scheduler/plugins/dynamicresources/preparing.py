"""What is written before a pod with claims is bound, and what it then waits for. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from kubegang.scheduler.framework.binding import NOTHING_TO_DO, ApiChange, PreBindPlan
from kubegang.scheduler.framework.cluster import ClusterView
from kubegang.scheduler.framework.pods import NodeName, PodInfo
from kubegang.scheduler.framework.status import SUCCESS, Status, failure, waiting
from kubegang.scheduler.plugins.dynamicresources.claims import is_reserved_for
from kubegang.scheduler.plugins.dynamicresources.making import making, removing
from kubegang.scheduler.plugins.dynamicresources.notes import PodNotes
from kubegang.scheduler.plugins.dynamicresources.pools import reaches
from kubegang.scheduler.plugins.dynamicresources.readiness import has_conditions, readiness
from kubegang.scheduler.plugins.dynamicresources.requests import claim_name
from kubegang.scheduler.plugins.dynamicresources.settings import Settings
from kubegang.scheduler.plugins.dynamicresources.writing import giving_back, taking


def plan(pod: PodInfo, notes: PodNotes, settings: Settings, *, node: NodeName) -> PreBindPlan:
    """Return how claims are allocated and reserved, and when the devices are ready.

    A pod with claims always has a plan, if only an empty one: so it says early where it will
    be, as with kube-scheduler.
    """
    if not notes.claims:
        return NOTHING_TO_DO
    conditions = settings.features.binding_conditions
    changes = tuple(
        taking(
            claim,
            notes.consumers[position],
            None if claim.status.allocation else notes.promised.get(position),
            with_timestamp=conditions,
        )
        for position, claim in enumerate(notes.claims)
        if position != notes.extended
        and not is_reserved_for(pod, claim, with_groups=settings.group_claims)
    )
    on_node = notes.on_nodes.get(node)
    if on_node is not None:
        changes += (making(pod, notes, on_node, with_timestamp=conditions),)
    waits = conditions and any(
        has_conditions(notes.allocation(position)) for position in range(len(notes.claims))
    )
    return PreBindPlan(
        changes=changes,
        wait_for=partial(_devices_ready, notes=notes, waits=waits, is_made=on_node is not None),
        timeout_seconds=settings.binding_seconds,
        timeout_message="device binding timeout: context deadline exceeded",
    )


def out_of_reach(notes: PodNotes, node: NodeName, cluster: ClusterView) -> str:
    """Return the claim whose devices, promised to a sibling, a node cannot reach; or empty.

    Such a pod is sent back, and finds the right node once the claim is allocated (what comes
    of it on 1.36.3, mostly: there the sibling that is slower to write the claim is sent back).
    """
    row = cluster.nodes.row(node)
    if row is None:
        return ""
    info = cluster.nodes.infos[row]
    for position, allocation in notes.shared.items():
        selector = allocation.node_selector
        if selector is not None and not reaches(
            info, node_name="", all_nodes=False, selector=selector
        ):
            return claim_name(notes.claims[position])
    return ""


def given_back(pod: PodInfo, notes: PodNotes, cluster: ClusterView) -> Sequence[ApiChange]:
    """Return how claims are reserved no more for a pod that is not bound after all."""
    claims = (cluster.devices.claim(pod.namespace, c.metadata.name) for c in notes.claims)
    changes = [
        giving_back(claim, pod.uid)
        for claim in claims
        if claim is not None and is_reserved_for(pod, claim, with_groups=False)
    ]
    if notes.made:
        changes.append(removing(pod.namespace, notes.made))
    return changes


def _devices_ready(cluster: ClusterView, *, notes: PodNotes, waits: bool, is_made: bool) -> Status:
    if is_made and not _is_seen(cluster, notes):
        return waiting()
    if not waits:
        return SUCCESS
    for position, claim in enumerate(notes.claims):
        namespace, name = claim.metadata.namespace, claim.metadata.name
        if position == notes.extended:
            if not is_made:
                continue
            name = notes.made
        newest = cluster.devices.claim(namespace, name)
        if newest is None:
            return failure(f'could not find ResourceClaim "{namespace}/{name}"')
        status = readiness(newest)
        if not status.is_success:
            return status
    return SUCCESS


def _is_seen(cluster: ClusterView, notes: PodNotes) -> bool:
    """Return whether the API has shown the claim that was made, and so counts its devices."""
    if notes.extended is None:
        return True
    in_mind = notes.claims[notes.extended].metadata
    newest = cluster.devices.claim(in_mind.namespace, notes.made)
    if newest is None or newest.status.allocation is None:
        return False
    cluster.devices.fulfil(in_mind.uid)
    return True
