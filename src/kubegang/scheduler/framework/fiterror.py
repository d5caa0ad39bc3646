"""The sentence that says why no node fits, as kube-scheduler writes it.

Tools of others read it, so it matches byte for byte: reasons with the number of nodes each
removed, in the order of the printed words (so 10 comes before 2). Pure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from kubegang.scheduler.framework.interface import Refusal
from kubegang.scheduler.framework.status import Status

NO_NODES = "no nodes available to schedule pods"
"""What a pod is told when the cluster has no node at all."""


def count_reasons(refusals: Iterable[Refusal]) -> Counter[str]:
    """Return how many nodes each reason removed; a node with two reasons counts twice."""
    counts: Counter[str] = Counter()
    for refusal in refusals:
        for reason in refusal.status.reasons:
            counts[reason] += len(refusal.rows)
    return counts


def fit_error(nodes: int, reasons: Mapping[str, int]) -> str:
    """Return ``0/4 nodes are available: 3 Too many pods, 1 Insufficient cpu.``, sorted."""
    text = f"0/{nodes} nodes are available:"
    entries = sorted(f"{count} {reason}" for reason, count in reasons.items())
    return f"{text} {', '.join(entries)}." if entries else text


def refused_before_nodes(nodes: int, reason: str) -> str:
    """Return the sentence for a pod that is refused before any node is looked at."""
    return f"0/{nodes} nodes are available: {reason}."


def one_node_error(status: Status) -> str:
    """Return the sentence for a pod that is refused although its node was chosen already."""
    return fit_error(1, Counter(status.reasons))


def chosen_node_error(status: Status) -> str:
    """Return what a pod is told that loses a chosen node, be it by a refusal or an error."""
    return one_node_error(status) if status.is_rejected else status.as_error


def refused_by(status: Status) -> tuple[str, ...]:
    """Return the plugin that refuses, if one does, as a queue wants to know it."""
    return (status.plugin,) if status.is_rejected and status.plugin else ()
