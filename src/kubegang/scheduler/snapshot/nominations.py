"""Pods that wait for a node which preemption promised them, by node.

They count nowhere, but nobody of lower or equal priority may take what they wait for. Pure.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from kubegang.scheduler.framework.pods import NodeName, PodInfo, PodUid

_NOBODY: Final[Collection[PodInfo]] = ()


class Nominations:
    """At most one promised node per pod."""

    def __init__(self) -> None:
        self._on_node: dict[NodeName, dict[PodUid, PodInfo]] = {}
        self._nodes: dict[PodUid, NodeName] = {}

    def __bool__(self) -> bool:
        return bool(self._nodes)

    def set(self, pod: PodInfo, node: NodeName) -> None:
        """Promise a node to a pod, in place of an earlier one."""
        if self._nodes.get(pod.uid) != node:
            self.remove(pod.uid)
        self._nodes[pod.uid] = node
        self._on_node.setdefault(node, {})[pod.uid] = pod

    def remove(self, uid: PodUid) -> None:
        """Take a promise back; nothing happens if there is none."""
        node = self._nodes.pop(uid, None)
        if node is None:
            return
        promised = self._on_node[node]
        del promised[uid]
        if not promised:
            del self._on_node[node]

    def on(self, node: NodeName) -> Collection[PodInfo]:
        """Return the pods to which a node is promised, in the order of the promises."""
        promised = self._on_node.get(node)
        return promised.values() if promised else _NOBODY

    def nodes(self) -> Collection[NodeName]:
        """Return all promised nodes."""
        return self._on_node.keys()

    def node_of(self, uid: PodUid) -> NodeName | None:
        """Return the node that is promised to a pod, or ``None``."""
        return self._nodes.get(uid)
