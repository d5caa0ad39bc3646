"""What gates and arguments say about DynamicResources."""

from __future__ import annotations

import math
from typing import Final, NamedTuple

from kubegang.apimachinery.godurations import parse_go_duration
from kubegang.base.feature_gates import FeatureGates
from kubegang.scheduler.framework.arguments import decode_arguments
from kubegang.scheduler.framework.errors import PluginConfigError
from kubegang.scheduler.framework.interface import PluginContext
from kubegang.scheduler.plugins.dynamicresources.allocating import device_features
from kubegang.scheduler.plugins.dynamicresources.arguments import DynamicResourcesArgs
from kubegang.scheduler.plugins.dynamicresources.notes import KEY
from kubegang.scheduler.plugins.dynamicresources.requests import DeviceFeatures

_BINDING_SECONDS: Final = 600.0
_FILTER_SECONDS: Final = 10.0

STEPS_PER_SECOND: Final = 100_000
"""So many devices a search looks at in a second of ``filterTimeout``: about as many as it does
look at on a usual machine. Decisions read no clock, so that they can be repeated."""


class Settings(NamedTuple):
    """What holds for every pod.

    Attributes:
        features: the gates that matter to allocation.
        group_claims: whether claims can be a group's (DRAWorkloadResourceClaims).
        extended: whether devices can stand behind extended resources (DRAExtendedResource).
        by_topology: whether groups can have a topology key.
        binding_seconds: how long devices may take to be made ready.
        most_steps: so many devices may be looked at in the search on one node.
    """

    features: DeviceFeatures
    group_claims: bool
    extended: bool
    by_topology: bool
    binding_seconds: float
    most_steps: float

    @classmethod
    def of(cls, context: PluginContext) -> Settings:
        """Read them.

        Raises:
            PluginConfigError: the arguments cannot be used.
        """
        args = decode_arguments(KEY, context.args, DynamicResourcesArgs)
        gates = context.gates
        return cls(
            features=device_features(gates),
            group_claims=gates.enabled_if_known("DRAWorkloadResourceClaims"),
            extended=gates.enabled_if_known("DRAExtendedResource"),
            by_topology=gates.enabled_if_known("TopologyAwareWorkloadScheduling"),
            binding_seconds=_seconds("bindingTimeout", args.binding_timeout, _BINDING_SECONDS),
            most_steps=_most_steps(args.filter_timeout, gates),
        )


def _most_steps(duration: str | None, gates: FeatureGates) -> float:
    seconds = _seconds("filterTimeout", duration, _FILTER_SECONDS)
    if not seconds or not gates.enabled_if_known("DRASchedulerFilterTimeout"):
        return math.inf
    return seconds * STEPS_PER_SECOND


def _seconds(argument: str, duration: str | None, usual: float) -> float:
    if duration is None:
        return usual
    try:
        return parse_go_duration(duration) / 1e9
    except ValueError as error:
        raise PluginConfigError(f"arguments of plugin {KEY}: {argument}: {error}") from error
