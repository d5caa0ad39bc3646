"""Version profiles and scheduler profiles: the types only.

What one release does is data, in ``app/profiles``. Algorithms get the few plain answers they
need as arguments; none compares version strings.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec

from kubegang.api.controller_rules import NEWEST_CONTROLLER_RULES, ControllerRules
from kubegang.api.identity_rules import NEWEST_IDENTITY_RULES, IdentityRules
from kubegang.api.scheduling_rules import NEWEST_RULES, SchedulingRules
from kubegang.api.table_rules import NEWEST_TABLE_RULES, TableRules
from kubegang.api.validation_rules import NEWEST_VALIDATION_RULES, ValidationRules
from kubegang.api.warning_rules import NEWEST_WARNING_RULES, WarningRules
from kubegang.apimachinery.objects import GroupVersion
from kubegang.base.feature_gates import FeatureGates

Component = Literal["apiserver", "controllers", "scheduler", "kubelet"]

GroupCycle = Literal["member-by-member", "popped-by-member", "entity"]


class Gate(msgspec.Struct, frozen=True):
    """A feature gate of a release; every component knows every gate, as upstream's do.

    Attributes:
        default: upstream's.
        gang: it belongs to gang scheduling, so ``up`` turns it on unless told otherwise.
        needs: gates that must be on where this one is on.
        stage: ``ALPHA``, ``BETA``, ``DEPRECATED``, or empty for what is general.
        locked: it cannot be changed any more.
    """

    name: str
    default: bool = False
    gang: bool = False
    needs: tuple[str, ...] = ()
    stage: str = ""
    locked: bool = False


class PluginWeight(msgspec.Struct, frozen=True):
    """A plugin of a scheduler profile, in the order in which plugins run.

    Attributes:
        gate: the scheduler's gate without which the plugin is not there, or empty.
    """

    name: str
    weight: int = 0
    gate: str = ""


class PointChanges(msgspec.Struct, frozen=True):
    """What a profile says about one extension point.

    Attributes:
        enabled: plugins named for this point, with their weight and order there.
        disabled: plugins that do not run there, although they run everywhere; ``*`` is all.
    """

    enabled: tuple[PluginWeight, ...] = ()
    disabled: frozenset[str] = frozenset()


NO_CHANGES = PointChanges()


EXTENSION_POINTS = (
    "preEnqueue",
    "queueSort",
    "preFilter",
    "filter",
    "postFilter",
    "preScore",
    "score",
    "reserve",
    "permit",
    "preBind",
    "bind",
    "postBind",
    "placementGenerate",
    "placementScore",
    "podGroupPostFilter",
)
"""The extension points that a configuration of 1.37 can name."""


class SchedulerProfile(msgspec.Struct, frozen=True, kw_only=True):
    """How pods of one schedulerName are decided about.

    Attributes:
        group_cycle: how a group is worked on: ``entity`` (1.37: the group is what the queue
            holds), ``popped-by-member`` (1.36), ``member-by-member`` (1.35).
        initially_scheduled_condition: the PodGroup condition's type in this release.
        pod_group_version: the API version in which this release's components read and write
            PodGroups; empty where there are none (1.35).
        workload_version: the API version of Workloads whose entries are the pod groups
            (1.35); empty where groups have objects.
        percentage_of_nodes_to_score: 0 lets the size of the cluster decide.
        speaking: whether held groups and pods get a condition and an event that say the
            Diagnosis, where upstream is silent (the ``kubegang`` profile).
        plugins: those that run at every extension point that they have.
        points: what is different at single points, named as in KubeSchedulerConfiguration.
        rules: what the release does otherwise than 1.37.
    """

    scheduler_name: str
    gates: FeatureGates
    plugins: tuple[PluginWeight, ...]
    group_cycle: GroupCycle
    initially_scheduled_condition: str
    pod_group_version: str = "v1beta1"
    workload_version: str = ""
    percentage_of_nodes_to_score: int = 0
    speaking: bool = False
    points: Mapping[str, PointChanges] = {}
    rules: SchedulingRules = NEWEST_RULES


class VersionProfile(msgspec.Struct, frozen=True, kw_only=True):
    """What one Kubernetes release serves, turns on and promises.

    Attributes:
        name: ``1.37``.
        git_version: what ``/version`` says, ``v1.37.2+kubegang``.
        served: API group versions in discovery order.
        optional: versions that are served only if ``--runtime-config`` asks for them.
        known_gates: every gate of this release; most change nothing here.
        gates: each component's gates, as ``up`` starts them.
        gates_in_use: the gang-scheduling gates that each component of this release acts on.
        internal_configz: whether ``/configz`` shows the configuration in Go's internal form
            (1.35, measured on 1.35.4).
        absent_metrics: metric families that this release does not have yet.
        extension_points: those that a KubeSchedulerConfiguration of this release can name.
        identity_rules: what the API server does otherwise about users and rights.
        validation_rules: what the API server does otherwise about objects that break rules.
        warning_rules: what the API server says otherwise about valid objects.
        table_rules: what the API server does otherwise about tables.
        controller_rules: what the controllers do otherwise than those of 1.37.
    """

    name: str
    git_version: str
    served: tuple[GroupVersion, ...]
    known_gates: tuple[Gate, ...]
    gates: Mapping[Component, FeatureGates]
    schedulers: tuple[SchedulerProfile, ...]
    optional: tuple[GroupVersion, ...] = ()
    gates_in_use: Mapping[Component, tuple[str, ...]] = {}
    controller_rules: ControllerRules = NEWEST_CONTROLLER_RULES
    identity_rules: IdentityRules = NEWEST_IDENTITY_RULES
    validation_rules: ValidationRules = NEWEST_VALIDATION_RULES
    warning_rules: WarningRules = NEWEST_WARNING_RULES
    table_rules: TableRules = NEWEST_TABLE_RULES
    extension_points: tuple[str, ...] = EXTENSION_POINTS
    internal_configz: bool = False
    absent_metrics: frozenset[str] = frozenset()
