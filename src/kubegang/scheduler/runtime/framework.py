"""The plugins of one scheduler profile, sorted by extension point.

The cycle knows no plugin by name; it calls the runners here, which ask the plugins in the
profile's order, put their answers together and note who said what. Results that depend on
Node objects or on one node's pods only are kept from pod to pod; that changes how fast an
answer comes, never the answer. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Final

from kubegang.api.profile import PluginWeight
from kubegang.scheduler.framework.binding import (
    PermitPlugin,
    PostBindPlugin,
    PreBindPlugin,
    ReservePlugin,
)
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
    PlacementFeasiblePlugin,
    PlacementGeneratePlugin,
    PlacementScorePlugin,
    Plugin,
    PreEnqueuePlugin,
    PreFilterPlugin,
    PreScorePlugin,
    QueueSortPlugin,
    ScorePlugin,
    SignPodPlugin,
    StaticFilterPlugin,
)
from kubegang.scheduler.framework.postfilter import PodGroupPostFilterPlugin, PostFilterPlugin
from kubegang.scheduler.runtime.maskcache import MaskCache
from kubegang.scheduler.runtime.metering import Meter
from kubegang.scheduler.runtime.namecache import NameCache
from kubegang.scheduler.runtime.points import Points
from kubegang.scheduler.runtime.scorecache import WORTHWHILE_ROWS, ScoreCache

COMPARED_MEMBERS: Final = 16
"""From so many searches in one cycle on, it is found out which of the pods are alike."""


class WeighedScore:
    """A scoring plugin with its weight and, where it has them, its neighbouring points."""

    __slots__ = ("local", "normalizer", "plugin", "pre_score", "weight")

    def __init__(self, plugin: ScorePlugin, weight: int, *, pre_scores: bool) -> None:
        self.plugin = plugin
        self.weight = weight
        self.pre_score = plugin if pre_scores and isinstance(plugin, PreScorePlugin) else None
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
        points: Points | None = None,
        scheduler_name: str = "",
    ) -> None:
        """Sort plugins by the extension points at which they run.

        Args:
            plugins: in the order in which they are asked.
            weights: score weights; 1 where a plugin has none.
            keep_scores_from: the number of nodes from which local scores are kept.
            points: what runs where; without it all plugins run wherever they can.
            scheduler_name: the profile's, for the texts of mistakes.

        Raises:
            PluginConfigError: the plugins make no scheduler, or are named where they cannot be.
        """
        self.plugins = tuple(plugins)
        _require_unique_names(self.plugins)
        points = points or Points(
            plugins,
            everywhere=[PluginWeight(p.NAME, weights.get(p.NAME, 0)) for p in plugins],
            changes={},
        )
        self._sort_deciding(points)
        self._sort_scoring(points)
        self._sort_binding(points)
        self._sort_queueing(points, scheduler_name)
        self._sort_placing(points)
        self.sign_plugins = self._signing()
        self.masks = MaskCache(self.static_filter_plugins)
        self.local_scores = ScoreCache()
        self.node_names = NameCache()
        self.unsigning: SignPodPlugin | None = None
        self.keep_scores_from = keep_scores_from
        self.meter: Meter | None = None
        """Set by whoever wants to know how long the extension points take."""
        self.compare_members_from = COMPARED_MEMBERS

    def _sort_queueing(self, points: Points, scheduler_name: str) -> None:
        self.pre_enqueue_plugins: tuple[PreEnqueuePlugin, ...] = points.at(
            "preEnqueue", PreEnqueuePlugin
        )
        # Every plugin may say what cures its refusals, wherever it runs.
        self.enqueue_plugins = tuple(p for p in self.plugins if isinstance(p, EnqueuePlugin))
        sorters: tuple[QueueSortPlugin, ...] = points.at("queueSort", QueueSortPlugin)
        if len(sorters) != 1:
            raise PluginConfigError(
                "only one queue sort plugin required for profile with scheduler name "
                f'"{scheduler_name}", but got {len(sorters)}'
            )
        self.queue_sort_plugin = sorters[0]

    def _sort_deciding(self, points: Points) -> None:
        self.pre_filter_plugins: tuple[PreFilterPlugin, ...] = points.at(
            "preFilter", PreFilterPlugin
        )
        filters: tuple[FilterPlugin | NodeFilterPlugin, ...] = points.at(
            "filter", FilterPlugin | NodeFilterPlugin
        )
        # In one list, since a node's refusal is the first plugin's that refuses it.
        self.filters = tuple(FilterKind(p) for p in filters)
        self.static_filter_plugins = tuple(p for p in filters if isinstance(p, StaticFilterPlugin))
        self.row_filter_plugins = tuple(
            p
            for p in filters
            if isinstance(p, FilterPlugin) and not isinstance(p, StaticFilterPlugin)
        )
        self.node_filter_plugins = tuple(p for p in filters if isinstance(p, NodeFilterPlugin))
        self._wide_filters = frozenset(
            p.NAME
            for p in (*self.row_filter_plugins, *self.node_filter_plugins)
            if not getattr(p, "OWN_NODE_ONLY", False)
        )
        self.post_filter_plugins: tuple[PostFilterPlugin, ...] = points.at(
            "postFilter", PostFilterPlugin
        )
        self.pod_group_post_filter_plugins: tuple[PodGroupPostFilterPlugin, ...] = points.at(
            "podGroupPostFilter", PodGroupPostFilterPlugin
        )

    def _sort_scoring(self, points: Points) -> None:
        pre_scoring = {p.NAME for p in points.at("preScore", PreScorePlugin)}
        weights = points.weights("score", ScorePlugin, told_as="score")
        self.scores = tuple(
            WeighedScore(p, weights[p.NAME], pre_scores=p.NAME in pre_scoring)
            for p in points.at("score", ScorePlugin)
        )

    def _signing(self) -> tuple[SignPodPlugin, ...] | None:
        """Return the plugins that sign pods; ``None`` if one cannot that would have to."""
        names = {p.NAME for p in self.pre_filter_plugins}
        names.update(kind.name for kind in self.filters)
        names.update(score.plugin.NAME for score in self.scores)
        signing = tuple(p for p in self.plugins if p.NAME in names and isinstance(p, SignPodPlugin))
        return signing if len(signing) == len(names) else None

    def _sort_placing(self, points: Points) -> None:
        self.placement_generate_plugins: tuple[PlacementGeneratePlugin, ...] = points.at(
            "placementGenerate", PlacementGeneratePlugin
        )
        # No configuration names this point.
        self.placement_feasible_plugins = tuple(
            p for p in self.plugins if isinstance(p, PlacementFeasiblePlugin)
        )
        weights = points.weights("placementScore", PlacementScorePlugin, told_as="placement score")
        self.placement_scores = tuple(
            WeighedPlacementScore(p, weights[p.NAME])
            for p in points.at("placementScore", PlacementScorePlugin)
        )

    def _sort_binding(self, points: Points) -> None:
        self.reserve_plugins: tuple[ReservePlugin, ...] = points.at("reserve", ReservePlugin)
        self.permit_plugins: tuple[PermitPlugin, ...] = points.at("permit", PermitPlugin)
        self.pre_bind_plugins: tuple[PreBindPlugin, ...] = points.at("preBind", PreBindPlugin)
        self.bind_plugins: tuple[BindPlugin, ...] = points.at("bind", BindPlugin)
        self.post_bind_plugins: tuple[PostBindPlugin, ...] = points.at("postBind", PostBindPlugin)

    def check_complete(self, scheduler_name: str) -> None:
        """Refuse plugins with which no pod could be scheduled.

        Raises:
            PluginConfigError: nobody binds, or several propose placements.
        """
        profile = f'for profile with scheduler name "{scheduler_name}"'
        if not self.bind_plugins:
            raise PluginConfigError(f"at least one bind plugin is needed {profile}")
        if len(self.placement_generate_plugins) > 1:
            raise PluginConfigError(f"at most one placement generate plugin is allowed {profile}")

    def is_local(self, state: CycleState) -> bool:
        """Return whether what the filters say about a node depends on that node alone."""
        return self._wide_filters <= state.skip_filter

    def skipped_filters(self, state: CycleState, *, own_node_only: bool) -> Set[str]:
        """Return the filters that are not to be asked."""
        return state.skip_filter | self._wide_filters if own_node_only else state.skip_filter


def _require_unique_names(plugins: Sequence[Plugin]) -> None:
    names = [plugin.NAME for plugin in plugins]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise PluginConfigError(f"plugins listed twice: {', '.join(twice)}")
