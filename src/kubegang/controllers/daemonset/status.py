"""What a DaemonSet reports about its nodes and pods. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from kubegang.apimachinery.objects import JsonObject
from kubegang.controllers.daemonset.fitting import fit_of
from kubegang.controllers.daemonset.pods import (
    ByNode,
    is_pod_available,
    is_updated,
    oldest_first,
)
from kubegang.controllers.workloads.availability import is_ready
from kubegang.controllers.workloads.objects import counted, name_of, status_of

# These are written even if they are 0.
_ALWAYS = (
    "currentNumberScheduled",
    "numberMisscheduled",
    "desiredNumberScheduled",
    "numberReady",
)


def new_status(
    daemon_set: JsonObject,
    nodes: Sequence[JsonObject],
    present: ByNode,
    *,
    revision: str,
    observed: bool,
    now: float,
) -> JsonObject:
    """Return the status of a set.

    Args:
        daemon_set: the set.
        nodes: all nodes.
        present: its pods by node.
        revision: the label of pods of the present template.
        observed: whether the present spec was acted on.
        now: seconds since the epoch.
    """
    fitting = [node for node in nodes if fit_of(daemon_set, node).runs]
    names = {name_of(node) for node in fitting}
    first = [oldest_first(present[name])[0] for name in sorted(names) if present.get(name)]
    ready = [pod for pod in first if is_ready(pod)]
    available = sum(1 for pod in ready if is_pod_available(daemon_set, pod, now))
    numbers = {
        "currentNumberScheduled": len(first),
        "numberMisscheduled": sum(
            1 for node in nodes if name_of(node) not in names and present.get(name_of(node))
        ),
        "desiredNumberScheduled": len(fitting),
        "numberReady": len(ready),
        "updatedNumberScheduled": sum(1 for pod in first if is_updated(daemon_set, pod, revision)),
        "numberAvailable": available,
        "numberUnavailable": len(fitting) - available,
        "observedGeneration": daemon_set["metadata"].get("generation", 0)
        if observed
        else counted(daemon_set, "observedGeneration"),
    }
    kept = {k: v for k, v in status_of(daemon_set).items() if k not in numbers}
    return {**kept, **{k: v for k, v in numbers.items() if v or k in _ALWAYS}}
