"""The plugins of one scheduler profile, sorted by extension point.

The cycle knows no plugin by name; it calls the runners here, which ask the plugins in the
profile's order, put their answers together and note who said what. Results that depend on
Node objects or on one node's pods only are kept from pod to pod; that changes how fast an
answer comes, never the answer. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set

from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.errors import PluginConfigError
from kubegang.scheduler.framework.interface import (
    BindPlugin,
    EnqueuePlugin,
    FilterPlugin,
    LocalScorePlugin,
    NodeFilterPlugin,
    NormalizePlacementScorePlugin,
    NormalizeScorePlugin,
    OwnNodeFilterPlugin,
    PlacementFeasiblePlugin,
    PlacementGeneratePlugin,
    PlacementScorePlugin,
    Plugin,
    PreEnqueuePlugin,
    PreFilterPlugin,
    PreScorePlugin,
    QueueSortPlugin,
    ScorePlugin,
    StaticFilterPlugin,
)
from kubegang.scheduler.framework.postfilter import PodGroupPostFilterPlugin, PostFilterPlugin
from kubegang.scheduler.runtime.maskcache import MaskCache
from kubegang.scheduler.runtime.scorecache import WORTHWHILE_ROWS, ScoreCache


class WeighedScore:
    """A scoring plugin with its weight and, where it has them, its neighbouring points."""

    __slots__ = ("local", "normalizer", "plugin", "pre_score", "weight")

    def __init__(self, plugin: ScorePlugin, weight: int) -> None:
        self.plugin = plugin
        self.weight = weight
        self.pre_score = plugin if isinstance(plugin, PreScorePlugin) else None
        self.normalizer = plugin if isinstance(plugin, NormalizeScorePlugin) else None
        self.local = plugin if isinstance(plugin, LocalScorePlugin) else None


class FilterKind:
    """A filtering plugin, and which kind it is: asked for rows, once per version, or per node."""

    __slots__ = ("by_node", "by_rows", "name", "static")

    def __init__(self, plugin: FilterPlugin | NodeFilterPlugin) -> None:
        self.name = plugin.NAME
        self.static = plugin if isinstance(plugin, StaticFilterPlugin) else None
        self.by_rows = plugin if isinstance(plugin, FilterPlugin) else None
        self.by_node = plugin if isinstance(plugin, NodeFilterPlugin) else None


class WeighedPlacementScore:
    """A plugin that scores placements, with its weight and its normalisation."""

    __slots__ = ("normalizer", "plugin", "weight")

    def __init__(self, plugin: PlacementScorePlugin, weight: int) -> None:
        self.plugin = plugin
        self.weight = weight
        self.normalizer = plugin if isinstance(plugin, NormalizePlacementScorePlugin) else None


class Framework:
    """One profile's plugins; frozen after construction, except for its caches."""

    def __init__(
        self,
        plugins: Sequence[Plugin],
        *,
        weights: Mapping[str, int],
        keep_scores_from: int = WORTHWHILE_ROWS,
    ) -> None:
        """Sort plugins by what they implement.

        Args:
            plugins: in the order in which they are asked.
            weights: score weights; 1 where a plugin has none.
            keep_scores_from: the number of nodes from which local scores are kept.

        Raises:
            PluginConfigError: not exactly one plugin sorts the queue, or a name occurs twice.
        """
        self.plugins = tuple(plugins)
        _require_unique_names(self.plugins)
        self.pre_enqueue_plugins = tuple(p for p in plugins if isinstance(p, PreEnqueuePlugin))
        self.enqueue_plugins = tuple(p for p in plugins if isinstance(p, EnqueuePlugin))
        self.queue_sort_plugin = _only_one(
            tuple(p for p in plugins if isinstance(p, QueueSortPlugin))
        )
        self.pre_filter_plugins = tuple(p for p in plugins if isinstance(p, PreFilterPlugin))
        # In one list, since a node's refusal is the first plugin's that refuses it.
        self.filters = tuple(
            FilterKind(p) for p in plugins if isinstance(p, FilterPlugin | NodeFilterPlugin)
        )
        self.static_filter_plugins = tuple(p for p in plugins if isinstance(p, StaticFilterPlugin))
        self.row_filter_plugins = tuple(
            p
            for p in plugins
            if isinstance(p, FilterPlugin) and not isinstance(p, StaticFilterPlugin)
        )
        self.node_filter_plugins = tuple(p for p in plugins if isinstance(p, NodeFilterPlugin))
        self._wide_filters = frozenset(
            p.NAME
            for p in (*self.row_filter_plugins, *self.node_filter_plugins)
            if not isinstance(p, OwnNodeFilterPlugin)
        )
        self.post_filter_plugins = tuple(p for p in plugins if isinstance(p, PostFilterPlugin))
        self.pod_group_post_filter_plugins = tuple(
            p for p in plugins if isinstance(p, PodGroupPostFilterPlugin)
        )
        self.scores = tuple(
            WeighedScore(p, weights.get(p.NAME) or 1) for p in plugins if isinstance(p, ScorePlugin)
        )
        self.placement_generate_plugins = tuple(
            p for p in plugins if isinstance(p, PlacementGeneratePlugin)
        )
        self.placement_feasible_plugins = tuple(
            p for p in plugins if isinstance(p, PlacementFeasiblePlugin)
        )
        self.placement_scores = tuple(
            WeighedPlacementScore(p, weights.get(p.NAME) or 1)
            for p in plugins
            if isinstance(p, PlacementScorePlugin)
        )
        self.bind_plugins = tuple(p for p in plugins if isinstance(p, BindPlugin))
        self.masks = MaskCache(self.static_filter_plugins)
        self.local_scores = ScoreCache()
        self.keep_scores_from = keep_scores_from

    def is_local(self, state: CycleState) -> bool:
        """Return whether what the filters say about a node depends on that node alone."""
        return self._wide_filters <= state.skip_filter

    def skipped_filters(self, state: CycleState, *, own_node_only: bool) -> Set[str]:
        """Return the filters that are not to be asked."""
        return state.skip_filter | self._wide_filters if own_node_only else state.skip_filter


def _only_one(sorters: tuple[QueueSortPlugin, ...]) -> QueueSortPlugin:
    if len(sorters) != 1:
        names = ", ".join(plugin.NAME for plugin in sorters) or "none"
        raise PluginConfigError(f"exactly one plugin must sort the queue, found: {names}")
    return sorters[0]


def _require_unique_names(plugins: Sequence[Plugin]) -> None:
    names = [plugin.NAME for plugin in plugins]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise PluginConfigError(f"plugins listed twice: {', '.join(twice)}")
