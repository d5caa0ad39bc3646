"""How much nodes are liked for the pods around them: own wishes, and those of others. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from kubegang.scheduler.framework.cluster import ClusterView
from kubegang.scheduler.framework.domains import DomainCache
from kubegang.scheduler.framework.interface import MAX_NODE_SCORE
from kubegang.scheduler.framework.nodetable import IntArray, NodeTable, RowArray
from kubegang.scheduler.framework.pods import PodInfo
from kubegang.scheduler.plugins.interpodaffinity.arguments import InterPodAffinityArgs
from kubegang.scheduler.plugins.interpodaffinity.terms import CountedTerm, count_term


class WeighedPods(NamedTuple):
    """Pods that each add ``weight`` to the nodes of their domain."""

    weight: int
    term: CountedTerm


def weigh_pods(cluster: ClusterView, pod: PodInfo, args: InterPodAffinityArgs) -> list[WeighedPods]:
    """Return all that makes nodes liked or disliked for a pod."""
    own = pod.pod_affinity.preferred if pod.pod_affinity is not None else ()
    if args.ignore_preferred_terms_of_existing_pods and not own:
        return []
    weighed = [WeighedPods(weight, count_term(cluster, term)) for weight, term in own]
    # What others require or prefer holds for this pod too, if they mean it.
    if args.hard_pod_affinity_weight:
        for held in cluster.terms_about("required", pod):
            term = CountedTerm(held.term.topology_key, held.holders)
            weighed.append(WeighedPods(args.hard_pod_affinity_weight, term))
    for held in cluster.terms_about("preferred", pod):
        term = CountedTerm(held.term.topology_key, held.holders)
        weighed.append(WeighedPods(held.weight, term))
    return weighed


def sums_of_weights(
    table: NodeTable, cache: DomainCache, weighed: Sequence[WeighedPods], *, rows: RowArray
) -> IntArray:
    """Return the sum per node; may be below zero."""
    total = np.zeros(len(rows), dtype=np.int64)
    for weight, term in weighed:
        domains = cache.of(table, term.topology_key)
        total += weight * term.pods.over(domains)[domains.ids[rows]]
    return total


def scale_between_extremes(sums: IntArray) -> IntArray:
    """Return 0 for the least and 100 for the most liked; all 0 if they are equal."""
    least, most = int(sums.min()), int(sums.max())
    if most == least:
        return np.zeros(len(sums), dtype=np.int64)
    # As upstream: float64, then cut.
    shares = (sums - least) / float(most - least)
    scores: IntArray = (float(MAX_NODE_SCORE) * shares).astype(np.int64)
    return scores
