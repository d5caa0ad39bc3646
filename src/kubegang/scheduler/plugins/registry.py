"""The table of plugins that a profile may name.

Within the scheduler only ``scheduler.py`` looks at it: it resolves a profile's list once, at
start-up. Nothing registers itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from kubegang.base.feature_gates import FeatureGates
from kubegang.scheduler.framework.errors import PluginConfigError
from kubegang.scheduler.framework.interface import Plugin, PluginContext
from kubegang.scheduler.plugins.defaultbinder.plugin import DefaultBinder
from kubegang.scheduler.plugins.defaultpreemption.plugin import DefaultPreemption
from kubegang.scheduler.plugins.dynamicresources.plugin import DynamicResources
from kubegang.scheduler.plugins.gangscheduling.plugin import GangScheduling
from kubegang.scheduler.plugins.imagelocality.plugin import ImageLocality
from kubegang.scheduler.plugins.interpodaffinity.plugin import InterPodAffinity
from kubegang.scheduler.plugins.nodeaffinity.plugin import NodeAffinity
from kubegang.scheduler.plugins.nodename.plugin import NodeName
from kubegang.scheduler.plugins.nodeports.plugin import NodePorts
from kubegang.scheduler.plugins.noderesources.balancedallocation import (
    NodeResourcesBalancedAllocation,
)
from kubegang.scheduler.plugins.noderesources.fit import NodeResourcesFit
from kubegang.scheduler.plugins.nodeunschedulable.plugin import NodeUnschedulable
from kubegang.scheduler.plugins.podgrouppodscount.plugin import PodGroupPodsCount
from kubegang.scheduler.plugins.podtopologyspread.plugin import PodTopologySpread
from kubegang.scheduler.plugins.prioritysort.plugin import PrioritySort
from kubegang.scheduler.plugins.schedulinggates.plugin import SchedulingGates
from kubegang.scheduler.plugins.tainttoleration.plugin import TaintToleration
from kubegang.scheduler.plugins.topologyplacementgenerator.plugin import (
    TopologyPlacementGenerator,
)

PluginFactory = Callable[[PluginContext], Plugin]

PLUGINS: Final[Mapping[str, PluginFactory]] = {
    SchedulingGates.NAME: SchedulingGates,
    PrioritySort.NAME: PrioritySort,
    NodeName.NAME: NodeName,
    NodeUnschedulable.NAME: NodeUnschedulable,
    TaintToleration.NAME: TaintToleration,
    NodeAffinity.NAME: NodeAffinity,
    NodePorts.NAME: NodePorts,
    NodeResourcesFit.NAME: NodeResourcesFit,
    PodTopologySpread.NAME: PodTopologySpread,
    InterPodAffinity.NAME: InterPodAffinity,
    DynamicResources.NAME: DynamicResources,
    DefaultPreemption.NAME: DefaultPreemption,
    NodeResourcesBalancedAllocation.NAME: NodeResourcesBalancedAllocation,
    ImageLocality.NAME: ImageLocality,
    DefaultBinder.NAME: DefaultBinder,
    GangScheduling.NAME: GangScheduling,
    TopologyPlacementGenerator.NAME: TopologyPlacementGenerator,
    PodGroupPodsCount.NAME: PodGroupPodsCount,
}


NOT_BUILT: Final = frozenset(
    {
        "VolumeRestrictions",
        "NodeVolumeLimits",
        "VolumeBinding",
        "VolumeZone",
        "NodeDeclaredFeatures",
    }
)
"""Plugins of kube-scheduler that do not exist here yet. The releases' tables name them in
their places; what pods ask of them is not looked at."""


def build_plugins(
    names: Sequence[str],
    *,
    gates: FeatureGates,
    args: Mapping[str, Mapping[str, Any]],
    plugins: Mapping[str, PluginFactory] = PLUGINS,
) -> tuple[Plugin, ...]:
    """Return the named plugins, in order; those of ``NOT_BUILT`` are left out.

    Args:
        names: as a profile lists them.
        gates: the scheduler's feature gates.
        args: ``pluginConfig`` arguments by plugin name.
        plugins: what may be named; more than the built-in ones with plugins of others.

    Raises:
        PluginConfigError: a name is unknown, or arguments cannot be used.
    """
    known_names = NOT_BUILT.union(plugins)
    unknown = sorted({name for name in (*names, *args) if name not in known_names})
    if unknown:
        known = ", ".join(sorted(known_names))
        raise PluginConfigError(f"unknown plugins: {', '.join(unknown)}; known: {known}")
    return tuple(
        plugins[name](PluginContext(gates=gates, args=args.get(name, {})))
        for name in names
        if name in plugins
    )
