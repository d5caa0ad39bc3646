"""What gates and arguments say about DynamicResources."""

from __future__ import annotations

from typing import Final, NamedTuple

from kubegang.apimachinery.godurations import parse_go_duration
from kubegang.scheduler.framework.arguments import decode_arguments
from kubegang.scheduler.framework.errors import PluginConfigError
from kubegang.scheduler.framework.interface import PluginContext
from kubegang.scheduler.plugins.dynamicresources.allocating import device_features
from kubegang.scheduler.plugins.dynamicresources.arguments import DynamicResourcesArgs
from kubegang.scheduler.plugins.dynamicresources.notes import KEY
from kubegang.scheduler.plugins.dynamicresources.requests import DeviceFeatures

_BINDING_SECONDS: Final = 600.0


class Settings(NamedTuple):
    """What holds for every pod.

    Attributes:
        features: the gates that matter to allocation.
        group_claims: whether claims can be a group's (DRAWorkloadResourceClaims).
        extended: whether devices can stand behind extended resources (DRAExtendedResource).
        by_topology: whether groups can have a topology key.
        binding_seconds: how long devices may take to be made ready.
    """

    features: DeviceFeatures
    group_claims: bool
    extended: bool
    by_topology: bool
    binding_seconds: float

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
            binding_seconds=_seconds(args.binding_timeout),
        )


def _seconds(duration: str | None) -> float:
    if duration is None:
        return _BINDING_SECONDS
    try:
        return parse_go_duration(duration) / 1e9
    except ValueError as error:
        raise PluginConfigError(f"arguments of plugin {KEY}: bindingTimeout: {error}") from error
