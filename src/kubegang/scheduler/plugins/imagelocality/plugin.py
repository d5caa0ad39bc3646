"""Prefers nodes that already have the pod's images. Pure."""

from __future__ import annotations

from collections.abc import Hashable
from typing import ClassVar, Final

import numpy as np

from kubegang.scheduler.framework.cluster import ClusterView
from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.interface import MAX_NODE_SCORE, PluginContext
from kubegang.scheduler.framework.nodetable import IntArray, RowArray
from kubegang.scheduler.framework.pods import PodInfo
from kubegang.scheduler.framework.status import SKIP, SUCCESS, Status

_MEBIBYTE: Final = 1024 * 1024
_SMALL: Final = 23 * _MEBIBYTE
"""Images of less than this in all score nothing: pulling them takes no time."""
_LARGE_PER_CONTAINER: Final = 1000 * _MEBIBYTE


class ImageLocality:
    """Scores by the size of the images present, weighed down while few nodes have them.

    Without that weight the first node with an image would draw all pods that use it.
    """

    NAME: ClassVar[str] = "ImageLocality"
    ADDITIVE: ClassVar[bool] = True
    SCORES_NODES_ONLY: ClassVar[bool] = True

    def __init__(self, context: PluginContext) -> None:
        """Take no arguments from ``context``."""

    def sign_pod(self, pod: PodInfo) -> Hashable:
        """Return the images, however often each occurs."""
        return frozenset(pod.images)

    def pre_score(
        self, state: CycleState, pod: PodInfo, *, cluster: ClusterView, rows: RowArray
    ) -> Status:
        """Add up, per node, the images it has; skip if no node has any."""
        table = cluster.nodes
        sums: IntArray | None = None
        for image in pod.images:
            size_bytes, having = table.image_nodes(image)
            if not len(having):
                continue
            if sums is None:
                sums = np.zeros(table.size, dtype=np.int64)
            # As upstream: the share first, then cut to whole bytes, in float64.
            sums[having] += int(float(size_bytes) * (len(having) / table.size))
        if sums is None:
            return SKIP
        state.write(self.NAME, sums)
        return SUCCESS

    def score(
        self, state: CycleState, pod: PodInfo, *, cluster: ClusterView, rows: RowArray
    ) -> IntArray:
        """Return 0 for less than 23 MiB, 100 for 1000 MiB per container, and in between."""
        large = _LARGE_PER_CONTAINER * len(pod.images)
        sums: IntArray = np.clip(state.read(self.NAME)[rows], _SMALL, large)
        return (sums - _SMALL) * MAX_NODE_SCORE // (large - _SMALL)
