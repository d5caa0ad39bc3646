"""Where the pods lie that a constraint is about. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from kubegang.scheduler.framework.cluster import ClusterView
from kubegang.scheduler.framework.domains import DomainCache, Domains
from kubegang.scheduler.framework.nodeselection import demanded_nodes
from kubegang.scheduler.framework.nodetable import BoolArray, NodeTable
from kubegang.scheduler.framework.podcounts import PodCondition, PodCounts, PodMatcher
from kubegang.scheduler.framework.pods import PodInfo
from kubegang.scheduler.framework.taints import keeps_off
from kubegang.scheduler.framework.terms import LabelTerms, SpreadConstraint


class CountedConstraint(NamedTuple):
    """A constraint with the domains and the pods that count for it."""

    constraint: SpreadConstraint
    domains: Domains
    pods: PodCounts


def count_constraints(
    cache: DomainCache,
    cluster: ClusterView,
    pod: PodInfo,
    constraints: Sequence[SpreadConstraint],
    *,
    every_key: bool,
) -> list[CountedConstraint]:
    """Return the constraints of a pod with what counts for them.

    Args:
        cache: remembers domains.
        cluster: nodes and pods.
        pod: whose constraints they are.
        constraints: all that are looked at together.
        every_key: whether nodes that lack a label of any constraint count for none.
    """
    keys = tuple(c.topology_key for c in constraints) if every_key else ()
    return [
        CountedConstraint(
            constraint,
            _domains(cache, cluster.nodes, pod, constraint, keys=keys),
            cluster.pods_matching(_matcher(constraint.selector, pod.namespace)),
        )
        for constraint in constraints
    ]


def _matcher(selector: LabelTerms, namespace: str) -> PodMatcher:
    # A selector without requirements counts no pods, although it selects every one: so does
    # upstream. Pods that are going away do not count either.
    condition = PodCondition(selector or None, frozenset((namespace,)))
    return PodMatcher((condition,), terminating_too=False)


def _domains(
    cache: DomainCache,
    table: NodeTable,
    pod: PodInfo,
    constraint: SpreadConstraint,
    *,
    keys: tuple[str, ...],
) -> Domains:
    affinity = pod.affinity if constraint.honors_affinity else None
    tolerations = pod.tolerations if constraint.honors_taints else None

    def eligible() -> BoolArray:
        mask = np.ones(table.size, dtype=np.bool_)
        for key in keys:
            mask &= table.label(key).ids >= 0
        if affinity is not None:
            mask &= demanded_nodes(table, affinity)
        if tolerations is not None:
            kept_off = [keeps_off(taints, tolerations) for taints in table.taint_sets]
            mask &= ~np.array(kept_off, dtype=np.bool_)[table.taint_set_ids]
        return mask

    wish = (keys, affinity and (affinity.selector, affinity.required), tolerations)
    return cache.among(table, constraint.topology_key, wish=wish, eligible=eligible)
