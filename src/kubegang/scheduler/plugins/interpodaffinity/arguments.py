"""The arguments of InterPodAffinity, and the rule they must keep (v1 configuration API)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from kubegang.apimachinery.field import Path, invalid_value
from kubegang.scheduler.framework.arguments import decode_arguments
from kubegang.scheduler.framework.errors import PluginConfigError

_MOST: Final = 100


class InterPodAffinityArgs(msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """The plugin's arguments.

    Attributes:
        hard_pod_affinity_weight: what a placed pod's required affinity adds to nodes near it.
        ignore_preferred_terms_of_existing_pods: placed pods' terms score only for pods that
            have preferred terms themselves.
    """

    hard_pod_affinity_weight: int = 1
    ignore_preferred_terms_of_existing_pods: bool = False


def read_arguments(plugin: str, args: Mapping[str, Any]) -> InterPodAffinityArgs:
    """Return the arguments in typed form.

    Raises:
        PluginConfigError: they cannot be used; the message names the field.
    """
    typed = decode_arguments(plugin, args, InterPodAffinityArgs)
    weight = typed.hard_pod_affinity_weight
    if not 0 <= weight <= _MOST:
        problem = invalid_value(
            Path("hardPodAffinityWeight"), weight, f"not in valid range [0, {_MOST}]"
        )
        raise PluginConfigError(f"arguments of plugin {plugin}: {problem.field}: {problem.message}")
    return typed
