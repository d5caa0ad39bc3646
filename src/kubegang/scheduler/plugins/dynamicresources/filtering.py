"""Whether a node will do for the claims of a pod. Pure, but for the notes of the attempt."""

from __future__ import annotations

from typing import Final

from kubegang.api.scheduling_rules import ResourceClaimRules
from kubegang.scheduler.framework.cluster import ClusterView
from kubegang.scheduler.framework.errors import FilterFailedError
from kubegang.scheduler.framework.pods import NodeName, PodInfo
from kubegang.scheduler.framework.status import SUCCESS, Status, unresolvable
from kubegang.scheduler.plugins.dynamicresources.allocating import NodeAllocator, reachable_nodes
from kubegang.scheduler.plugins.dynamicresources.extended import claim_on_node
from kubegang.scheduler.plugins.dynamicresources.notes import KEY, Allocations, PodNotes
from kubegang.scheduler.plugins.dynamicresources.readiness import readiness, took_too_long
from kubegang.scheduler.plugins.dynamicresources.requests import (
    AllocationError,
    NodeAllocationError,
)
from kubegang.scheduler.plugins.dynamicresources.search import SearchLimitError
from kubegang.scheduler.plugins.dynamicresources.settings import Settings

_TIMED_OUT: Final = "timed out trying to allocate devices"
_TOO_SLOW: Final = unresolvable(_TIMED_OUT)
_UNAVAILABLE: Final = unresolvable("resourceclaim not available on the node")
_NOT_ALL: Final = unresolvable("cannot allocate all claims")
_LEFT_OVER: Final = unresolvable("cannot schedule extended resource claim")
_CANNOT_FIT: Final = unresolvable("cannot fit resource")


class NodeFilter:
    """Answers node by node, each once while nothing changes."""

    def __init__(self, settings: Settings, rules: ResourceClaimRules) -> None:
        self._settings = settings
        self._allocator = NodeAllocator(settings.features, rules, most_steps=settings.most_steps)
        self._slowness_is_error = rules.slow_searches_fail
        self._promises_bind = rules.promises_bind_nodes

    def answer(
        self, notes: PodNotes, pod: PodInfo, *, cluster: ClusterView, row: int, now: float
    ) -> Status:
        """Return whether a node will do.

        Raises:
            FilterFailedError: a claim or class cannot be evaluated.
        """
        seen_at = (cluster.nodes.version, cluster.devices.version)
        if notes.seen_at != seen_at:
            notes.seen_at = seen_at
            notes.answers.clear()
            self._look_around(notes, cluster, now=now)
        known = notes.answers.get(row)
        if known is None:
            refused = self._see_extended(notes, pod, cluster=cluster, row=row)
            known = notes.answers[row] = refused or self._answer(notes, cluster, row)
        return known

    def _see_extended(
        self, notes: PodNotes, pod: PodInfo, *, cluster: ClusterView, row: int
    ) -> Status | None:
        """Note for which extended resources the node needs devices, or refuse it."""
        if notes.extended is None:
            return None
        if notes.left_over is not None:
            # What it has may not be valid any more: it goes, and then the pod is tried anew.
            return _LEFT_OVER
        node = cluster.nodes.infos[row]
        has = dict(node.allocatable)
        lacking = {r.resource for r in pod.extended_requests if not has.get(r.resource)}
        behind = {name for name in lacking if cluster.devices.class_behind(name) is not None}
        if any(name not in has for name in lacking - behind):
            return _CANNOT_FIT
        notes.on_nodes.pop(node.name, None)
        if behind:
            notes.on_nodes[node.name] = claim_on_node(
                notes.claims[notes.extended],
                pod.extended_requests,
                resources=behind,
                devices=cluster.devices,
            )
        return None

    def _look_around(self, notes: PodNotes, cluster: ClusterView, *, now: float) -> None:
        """Note, for what is allocated, where it can be reached, and what cannot be used."""
        notes.reachable.clear()
        for position, claim in enumerate(notes.claims):
            allocation = claim.status.allocation
            if allocation is None and self._promises_bind:
                allocation = notes.shared.get(position)
            if allocation is not None and allocation.node_selector is not None:
                selector = allocation.node_selector
                notes.reachable[position] = reachable_nodes(cluster.nodes, selector)
        notes.useless = self._useless(notes, now=now)

    def _useless(self, notes: PodNotes, *, now: float) -> set[int]:
        """Return claims with devices that could not be made ready, or not in time."""
        if not self._settings.features.binding_conditions:
            return set()
        seconds = self._settings.binding_seconds
        return {
            position
            for position, claim in enumerate(notes.claims)
            if claim.status.allocation is not None
            and (
                (status := readiness(claim)).is_error
                or (status.is_wait and took_too_long(claim, now=now, timeout_seconds=seconds))
            )
        }

    def _answer(self, notes: PodNotes, cluster: ClusterView, row: int) -> Status:
        unavailable = {i for i, mask in notes.reachable.items() if not mask[row]} | notes.useless
        wanted = {i: notes.claims[i] for i in notes.unallocated() if i not in notes.shared}
        if notes.extended is not None:
            on_node = notes.on_nodes.get(cluster.nodes.names[row])
            wanted.pop(notes.extended)
            if on_node is not None:
                wanted[notes.extended] = on_node.claim
        found: Allocations | None = {}
        if wanted:
            try:
                found = self._allocator.allocate(wanted, cluster=cluster, row=row)
            except SearchLimitError as error:
                return self._too_slow(cluster.nodes.names[row], error)
            except NodeAllocationError as error:
                return unresolvable(str(error))
            except AllocationError as error:
                raise FilterFailedError(f'running "{KEY}" filter plugin: {error}') from error
        if found is None:
            return _NOT_ALL
        if unavailable:
            notes.unavailable |= unavailable
            return _UNAVAILABLE
        notes.found[cluster.nodes.names[row]] = {**notes.shared, **found}
        return SUCCESS

    def _too_slow(self, node: NodeName, error: SearchLimitError) -> Status:
        if not self._slowness_is_error:
            return _TOO_SLOW
        said = f"node {node}: {_TIMED_OUT}"
        raise FilterFailedError(f'running "{KEY}" filter plugin: {said}') from error
