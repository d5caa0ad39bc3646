"""Masks of static filters, kept until a Node object changes. Pure.

Requests, tolerations and affinity of pods rarely repeat together but often one by one, so
each plugin's mask is kept under its own part of the pod, and their conjunction under the
parts taken together.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Final

import numpy as np

from kubegang.scheduler.framework.cluster import ClusterView
from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.interface import StaticFilterPlugin
from kubegang.scheduler.framework.nodetable import ALL_ROWS, BoolArray, NodeTable
from kubegang.scheduler.framework.pods import PodInfo

_KEPT: Final = 2048
"""Masks kept at most; a cluster whose pods have more distinct demands starts over."""


class MaskCache:
    """Remembers masks for one node table at one version."""

    def __init__(self, plugins: Sequence[StaticFilterPlugin]) -> None:
        self._plugins = tuple(plugins)
        self._table: NodeTable | None = None
        self._version = -1
        self._single: dict[tuple[str, Hashable], BoolArray] = {}
        self._combined: dict[tuple[Hashable, ...], BoolArray] = {}

    def mask(self, state: CycleState, pod: PodInfo, *, cluster: ClusterView) -> BoolArray:
        """Return the nodes that pass all static filters; do not change the array."""
        self._forget_if_stale(cluster.nodes)
        keys = tuple([plugin.filter_key(pod) for plugin in self._plugins])
        mask = self._combined.get(keys)
        if mask is None:
            mask = np.ones(cluster.nodes.size, dtype=np.bool_)
            for plugin, key in zip(self._plugins, keys, strict=True):
                if key is not None:
                    mask &= self._mask_of(plugin, key, state=state, pod=pod, cluster=cluster)
            mask.flags.writeable = False
            self._combined[keys] = mask
        return mask

    def mask_of(
        self, plugin: StaticFilterPlugin, state: CycleState, *, pod: PodInfo, cluster: ClusterView
    ) -> BoolArray:
        """Return the nodes that pass one static filter; do not change the array."""
        self._forget_if_stale(cluster.nodes)
        key = plugin.filter_key(pod)
        return self._mask_of(plugin, key, state=state, pod=pod, cluster=cluster)

    def _mask_of(
        self,
        plugin: StaticFilterPlugin,
        key: Hashable,
        *,
        state: CycleState,
        pod: PodInfo,
        cluster: ClusterView,
    ) -> BoolArray:
        mask = self._single.get((plugin.NAME, key))
        if mask is None:
            mask = plugin.filter(state, pod, cluster=cluster, rows=ALL_ROWS)
            mask.flags.writeable = False
            self._single[plugin.NAME, key] = mask
        return mask

    def _forget_if_stale(self, table: NodeTable) -> None:
        # Another table may have reached the same version by another way.
        if self._table is table and self._version == table.version and self._has_room():
            return
        self._table = table
        self._version = table.version
        self._single.clear()
        self._combined.clear()

    def _has_room(self) -> bool:
        return len(self._single) < _KEPT and len(self._combined) < _KEPT
