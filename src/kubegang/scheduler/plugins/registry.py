"""The table of plugins that a profile may name.

Within the scheduler only ``frameworks.py`` looks at it: it resolves a profile's list once, at
start-up. Nothing registers itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from kubegang.api.scheduling_rules import NEWEST_RULES, SchedulingRules
from kubegang.base.feature_gates import FeatureGates
from kubegang.scheduler.framework.errors import PluginConfigError
from kubegang.scheduler.framework.interface import Plugin, PluginContext
from kubegang.scheduler.plugins.defaultbinder.plugin import DefaultBinder
from kubegang.scheduler.plugins.defaultpreemption.plugin import DefaultPreemption
from kubegang.scheduler.plugins.dynamicresources.plugin import (
    DynamicResources,
    dynamic_resources,
)
from kubegang.scheduler.plugins.gangscheduling.permitting import PermittingGangScheduling
from kubegang.scheduler.plugins.gangscheduling.plugin import GangScheduling
from kubegang.scheduler.plugins.gangscheduling.workloads import WorkloadGangScheduling
from kubegang.scheduler.plugins.imagelocality.plugin import ImageLocality
from kubegang.scheduler.plugins.interpodaffinity.plugin import InterPodAffinity
from kubegang.scheduler.plugins.nodeaffinity.plugin import NodeAffinity
from kubegang.scheduler.plugins.nodedeclaredfeatures.plugin import NodeDeclaredFeatures
from kubegang.scheduler.plugins.nodename.plugin import NodeName
from kubegang.scheduler.plugins.nodeports.plugin import NodePorts
from kubegang.scheduler.plugins.noderesources.balancedallocation import (
    NodeResourcesBalancedAllocation,
)
from kubegang.scheduler.plugins.noderesources.fit import NodeResourcesFit
from kubegang.scheduler.plugins.nodeunschedulable.plugin import NodeUnschedulable
from kubegang.scheduler.plugins.nodevolumelimits.plugin import NodeVolumeLimits
from kubegang.scheduler.plugins.podgrouppodscount.plugin import PodGroupPodsCount
from kubegang.scheduler.plugins.podtopologyspread.plugin import PodTopologySpread
from kubegang.scheduler.plugins.prioritysort.plugin import PrioritySort
from kubegang.scheduler.plugins.schedulinggates.plugin import SchedulingGates
from kubegang.scheduler.plugins.tainttoleration.plugin import TaintToleration
from kubegang.scheduler.plugins.topologyplacementgenerator.plugin import (
    TopologyPlacementGenerator,
)
from kubegang.scheduler.plugins.volumebinding.plugin import VolumeBinding
from kubegang.scheduler.plugins.volumerestrictions.plugin import VolumeRestrictions
from kubegang.scheduler.plugins.volumezone.plugin import VolumeZone

PluginFactory = Callable[[PluginContext], Plugin]


def gang_scheduling(context: PluginContext) -> Plugin:
    """Return GangScheduling as the release has it."""
    match context.rules.gang_check:
        case "permit":
            return PermittingGangScheduling(context)
        case "workload-permit":
            return WorkloadGangScheduling(context)
        case _:
            return GangScheduling(context)


PLUGINS: Final[Mapping[str, PluginFactory]] = {
    SchedulingGates.NAME: SchedulingGates,
    PrioritySort.NAME: PrioritySort,
    NodeName.NAME: NodeName,
    NodeUnschedulable.NAME: NodeUnschedulable,
    TaintToleration.NAME: TaintToleration,
    NodeAffinity.NAME: NodeAffinity,
    NodePorts.NAME: NodePorts,
    NodeResourcesFit.NAME: NodeResourcesFit,
    VolumeRestrictions.NAME: VolumeRestrictions,
    NodeVolumeLimits.NAME: NodeVolumeLimits,
    VolumeBinding.NAME: VolumeBinding,
    VolumeZone.NAME: VolumeZone,
    PodTopologySpread.NAME: PodTopologySpread,
    InterPodAffinity.NAME: InterPodAffinity,
    DynamicResources.NAME: dynamic_resources,
    DefaultPreemption.NAME: DefaultPreemption,
    NodeResourcesBalancedAllocation.NAME: NodeResourcesBalancedAllocation,
    ImageLocality.NAME: ImageLocality,
    DefaultBinder.NAME: DefaultBinder,
    NodeDeclaredFeatures.NAME: NodeDeclaredFeatures,
    GangScheduling.NAME: gang_scheduling,
    TopologyPlacementGenerator.NAME: TopologyPlacementGenerator,
    PodGroupPodsCount.NAME: PodGroupPodsCount,
}


def build_plugins(
    names: Sequence[str],
    *,
    gates: FeatureGates,
    args: Mapping[str, Mapping[str, Any]],
    plugins: Mapping[str, PluginFactory] = PLUGINS,
    rules: SchedulingRules = NEWEST_RULES,
) -> tuple[Plugin, ...]:
    """Return the named plugins, in order.

    Args:
        names: as a profile lists them.
        gates: the scheduler's feature gates.
        args: ``pluginConfig`` arguments by plugin name; those of other plugins do not matter.
        plugins: what may be named; more than the built-in ones with plugins of others.
        rules: what the release does otherwise than 1.37.

    Raises:
        PluginConfigError: a name is unknown, or arguments cannot be used.
    """
    unknown = sorted({name for name in names if name not in plugins})
    if unknown:
        known = ", ".join(sorted(plugins))
        raise PluginConfigError(f"unknown plugins: {', '.join(unknown)}; known: {known}")
    return tuple(
        _built(name, plugins[name], PluginContext(gates, args.get(name, {}), rules))
        for name in names
    )


def _built(name: str, factory: PluginFactory, context: PluginContext) -> Plugin:
    try:
        return factory(context)
    except PluginConfigError as error:
        raise PluginConfigError(f'initializing plugin "{name}": {error}') from error
