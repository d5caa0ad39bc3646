"""What the cache keeps of one pod, and what of a change to it matters to whom. Pure."""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from kubegang.scheduler.cache.states import PodState
from kubegang.scheduler.framework.pods import NodeName, PodInfo


class CachedPod(NamedTuple):
    """A pod as last seen, and what is known beyond that.

    Attributes:
        pod: the object as the API last showed it.
        node: where it counts; empty while it is pending.
    """

    pod: PodInfo
    node: NodeName
    state: PodState

    def as_counted(self) -> PodInfo:
        """Return the pod as it counts on its node, which the API need not show yet."""
        if self.pod.node_name == self.node:
            return self.pod
        return msgspec.structs.replace(self.pod, node_name=self.node)

    def __str__(self) -> str:
        return f"{self.state.value} on {self.node or 'no node'}"


def counts_alike(old: PodInfo, new: PodInfo) -> bool:
    """Return whether a pod counts on its node as before.

    A confirmed binding and a new status are the most frequent changes by far. They must not
    touch the node's row, or everything kept about that node would be worked out anew.
    """
    return (
        old.requests == new.requests
        and old.labels == new.labels
        and old.terminating == new.terminating
        and old.priority == new.priority
        and old.preemption_policy == new.preemption_policy
        and old.host_ports == new.host_ports
    )


def looks_alike(old: PodInfo, new: PodInfo) -> bool:
    """Return whether nothing changed that preemption reads, and nobody counts."""
    return old.started == new.started and old.preempted == new.preempted
