"""Version profiles and scheduler profiles: the types only.

What one release does is data, in ``app/profiles``. Algorithms get the few plain answers they
need as arguments; none compares version strings.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec

from kubegang.apimachinery.objects import GroupVersion
from kubegang.base.feature_gates import FeatureGates

Component = Literal["apiserver", "controllers", "scheduler", "kubelet"]


class Gate(msgspec.Struct, frozen=True):
    """A feature gate of a release; every component knows every gate, as upstream's do.

    Attributes:
        default: upstream's.
        gang: it belongs to gang scheduling, so ``up`` turns it on unless told otherwise.
        needs: gates that must be on where this one is on.
    """

    name: str
    default: bool = False
    gang: bool = False
    needs: tuple[str, ...] = ()


class PluginWeight(msgspec.Struct, frozen=True):
    """A plugin of a scheduler profile, in the order in which plugins run.

    Attributes:
        gate: the scheduler's gate without which the plugin is not there, or empty.
        points: the extension points at which it runs, named as in KubeSchedulerConfiguration;
            ``None`` is all that it has.
    """

    name: str
    weight: int = 0
    gate: str = ""
    points: frozenset[str] | None = None


class SchedulingRules(msgspec.Struct, frozen=True, kw_only=True):
    """What kube-scheduler of one release does otherwise than that of 1.37; defaults are 1.37's.

    Plain answers to plain questions, for cycle, preemption and plugins.

    Attributes:
        victim_priority: whose priority says whether a member of a pod group may be evicted:
            its ``group``'s (1.37), or its ``own`` (1.36, measured on 1.36.3).
    """

    victim_priority: Literal["group", "own"] = "group"


class SchedulerProfile(msgspec.Struct, frozen=True, kw_only=True):
    """How pods of one schedulerName are decided about.

    Attributes:
        group_cycle: how a group is worked on: ``entity`` (1.37: the group is what the queue
            holds), ``popped-by-member`` (1.36), ``member-by-member`` (1.35).
        initially_scheduled_condition: the PodGroup condition's type in this release.
        percentage_of_nodes_to_score: 0 lets the size of the cluster decide.
        speaking: whether held groups and pods get a condition and an event that say the
            Diagnosis, where upstream is silent (the ``kubegang`` profile).
        rules: what the release does otherwise than 1.37.
    """

    scheduler_name: str
    gates: FeatureGates
    plugins: tuple[PluginWeight, ...]
    group_cycle: Literal["member-by-member", "popped-by-member", "entity"]
    initially_scheduled_condition: str
    percentage_of_nodes_to_score: int = 0
    speaking: bool = False
    rules: SchedulingRules = SchedulingRules()


class VersionProfile(msgspec.Struct, frozen=True, kw_only=True):
    """What one Kubernetes release serves, turns on and promises.

    Attributes:
        name: ``1.37``.
        git_version: what ``/version`` says, ``v1.37.2+kubegang``.
        served: API group versions in discovery order.
        known_gates: the gates of this release that change something here.
        gates: each component's gates, as ``up`` starts them.
    """

    name: str
    git_version: str
    served: tuple[GroupVersion, ...]
    known_gates: tuple[Gate, ...]
    gates: Mapping[Component, FeatureGates]
    schedulers: tuple[SchedulerProfile, ...]
