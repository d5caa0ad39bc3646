"""Profiles put together from a release's tables and the gates that somebody chose."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import get_args

import msgspec

from kubegang.api.controller_rules import NEWEST_CONTROLLER_RULES, ControllerRules
from kubegang.api.identity_rules import NEWEST_IDENTITY_RULES, IdentityRules
from kubegang.api.profile import (
    EXTENSION_POINTS,
    Component,
    Gate,
    GroupCycle,
    PluginWeight,
    SchedulerProfile,
    VersionProfile,
)
from kubegang.api.scheduling_rules import NEWEST_RULES, SchedulingRules
from kubegang.api.table_rules import NEWEST_TABLE_RULES, TableRules
from kubegang.api.validation_rules import NEWEST_VALIDATION_RULES, ValidationRules
from kubegang.api.warning_rules import NEWEST_WARNING_RULES, WarningRules
from kubegang.apimachinery.objects import GroupVersion
from kubegang.base.feature_gates import FeatureGates

COMPONENTS: tuple[Component, ...] = get_args(Component)

# Served by every release, in the order in which a real server lists its groups; the gang
# scheduling versions follow scheduling.k8s.io/v1.
_BEFORE_SCHEDULING = (
    GroupVersion("", "v1"),
    GroupVersion("apps", "v1"),
    GroupVersion("events.k8s.io", "v1"),
    GroupVersion("authentication.k8s.io", "v1"),
    GroupVersion("authorization.k8s.io", "v1"),
    GroupVersion("autoscaling", "v2"),
    GroupVersion("autoscaling", "v1"),
    GroupVersion("batch", "v1"),
    GroupVersion("certificates.k8s.io", "v1"),
    GroupVersion("networking.k8s.io", "v1"),
    GroupVersion("policy", "v1"),
    GroupVersion("rbac.authorization.k8s.io", "v1"),
    GroupVersion("storage.k8s.io", "v1"),
    GroupVersion("apiextensions.k8s.io", "v1"),
    GroupVersion("scheduling.k8s.io", "v1"),
)
_AFTER_SCHEDULING = (
    GroupVersion("coordination.k8s.io", "v1"),
    GroupVersion("node.k8s.io", "v1"),
    GroupVersion("discovery.k8s.io", "v1"),
    GroupVersion("resource.k8s.io", "v1"),
)


def release(
    *,
    name: str,
    git_version: str,
    gang_versions: tuple[str, ...],
    gates: tuple[Gate, ...],
    plugins: tuple[PluginWeight, ...],
    group_cycle: GroupCycle,
    initially_scheduled_condition: str,
    pod_group_version: str,
    gates_in_use: Mapping[Component, tuple[str, ...]],
    device_versions: tuple[str, ...] = (),
    workload_version: str = "",
    extension_points: tuple[str, ...] = EXTENSION_POINTS,
    internal_configz: bool = False,
    absent_metrics: Iterable[str] = (),
    rules: SchedulingRules = NEWEST_RULES,
    controller_rules: ControllerRules = NEWEST_CONTROLLER_RULES,
    identity_rules: IdentityRules = NEWEST_IDENTITY_RULES,
    validation_rules: ValidationRules = NEWEST_VALIDATION_RULES,
    warning_rules: WarningRules = NEWEST_WARNING_RULES,
    table_rules: TableRules = NEWEST_TABLE_RULES,
) -> VersionProfile:
    """Return a release's profile as ``up`` starts it: every gang-scheduling gate on.

    The ``kubegang`` scheduler profile works on whole groups in every release, by the rules of
    the newest. ``device_versions`` of resource.k8s.io are served only when asked for.
    """
    on = FeatureGates({gate.name: gate.default or gate.gang for gate in gates})
    default = SchedulerProfile(
        scheduler_name="default-scheduler",
        gates=on,
        plugins=plugins,
        group_cycle=group_cycle,
        initially_scheduled_condition=initially_scheduled_condition,
        pod_group_version=pod_group_version,
        workload_version=workload_version,
        rules=rules,
    )
    own = msgspec.structs.replace(
        default,
        scheduler_name="kubegang",
        group_cycle="entity",
        speaking=True,
        rules=NEWEST_RULES,
    )
    gang = tuple(GroupVersion("scheduling.k8s.io", version) for version in gang_versions)
    return VersionProfile(
        name=name,
        git_version=git_version,
        served=(*_BEFORE_SCHEDULING, *gang, *_AFTER_SCHEDULING),
        optional=tuple(GroupVersion("resource.k8s.io", version) for version in device_versions),
        known_gates=gates,
        gates=dict.fromkeys(COMPONENTS, on),
        schedulers=(default, own),
        gates_in_use=gates_in_use,
        extension_points=extension_points,
        internal_configz=internal_configz,
        absent_metrics=frozenset(absent_metrics),
        controller_rules=controller_rules,
        identity_rules=identity_rules,
        validation_rules=validation_rules,
        warning_rules=warning_rules,
        table_rules=table_rules,
    )


def with_gates(profile: VersionProfile, gates: Mapping[Component, FeatureGates]) -> VersionProfile:
    """Return the profile with other gates; plugins stay where their gate is on."""
    scheduling = gates["scheduler"]
    schedulers = tuple(
        msgspec.structs.replace(
            scheduler,
            gates=scheduling,
            plugins=tuple(
                plugin
                for plugin in scheduler.plugins
                if not plugin.gate or scheduling.enabled(plugin.gate)
            ),
        )
        for scheduler in profile.schedulers
    )
    return msgspec.structs.replace(profile, gates=dict(gates), schedulers=schedulers)
