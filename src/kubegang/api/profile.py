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


class SchedulingRules(msgspec.Struct, frozen=True, kw_only=True):
    """What kube-scheduler of one release does otherwise than that of 1.37; defaults are 1.37's.

    Plain answers to plain questions, for cycle, preemption and plugins.

    Attributes:
        gang_check: where GangScheduling enforces the minimum: while a whole group is placed,
            at ``placement-feasible`` (1.37), or member by member at ``permit`` (1.36); in 1.35
            at ``workload-permit``, where groups are entries of Workloads and members wait.
        victim_priority: whose priority says whether a member of a pod group may be evicted:
            its ``group``'s (1.37), or its ``own`` (1.36, measured on 1.36.3). With the latter
            the group's counts only where a group preempts a group as a whole, and single pods
            that preempt do not look at groups at all.
        spares_victims: how a group's preemption finds out who may stay: the members must
            keep their ``places`` (1.37), or the group must ``still-fit`` somehow, tried anew
            with every unit that is put back (1.36, measured on 1.36.3).
        victims_refer_to_pod: whether the event on the victim of a single pod refers to that
            pod (1.35.4; 1.36.3 and 1.37.2 refer to groups only; all measured).
        tells_found_room: whether a pod that others are evicted for is told so (1.37; 1.36.3
            shows the node text alone, measured).
        no_claims_text: what DynamicResources adds to the text of a pod without claims that
            found no node: ``no new claims to deallocate`` (measured on 1.36.3), nothing in
            1.37.
        claims_make_room_for_groups: whether DynamicResources is asked when a group found no
            room (1.37).
        taints_wake_like_new_nodes: whether a change of a node's taints is worth an attempt to
            every pod that a plugin refused which watches for new nodes but not for taints
            (1.36 and 1.35, measured on 1.36.3).
        balance_is_compared: whether NodeResourcesBalancedAllocation sets the balance with the
            pod against that without it (1.37 and 1.36); 1.35.4 scores the former (measured).
        siblings_use_claims: whether a member of a group sees which claims its siblings took
            in the same cycle (1.37); 1.36.3 gives a ReadWriteOncePod volume to two members
            (measured).
        lists_migrated_plugins: whether volumes of an in-tree plugin count against the limits
            of its driver only on nodes whose CSINode lists the plugin as migrated (measured on
            1.35.4).
        missing_driver_by_choice: whether only drivers that say so keep pods off nodes where
            they are not installed (1.36 and later; with the gate VolumeLimitScaling).
        node_features: what pods may need of nodes, by the names that nodes declare.
        names_missing_features: whether the text about a node without them names them (measured
            on 1.35.4).
        batch_rescores: whether a node that was taken and still has room is ranked anew among
            the nodes kept for pods of the same signature (1.37); otherwise they are forgotten
            (measured on 1.36.3 and 1.35.4).
        batch_leaves_nominated: whether pods to which a node is promised are kept out of
            batching (1.37); otherwise one of the kept nodes is used up for them (measured on
            1.36.3 and 1.35.4).
        batch_within_group: whether the members of a group that is decided about as a whole
            may use each other's ranking (1.37; 1.36.3 takes them for pods of distant cycles,
            measured).
    """

    gang_check: Literal["placement-feasible", "permit", "workload-permit"] = "placement-feasible"
    victim_priority: Literal["group", "own"] = "group"
    spares_victims: Literal["places", "still-fit"] = "places"
    victims_refer_to_pod: bool = False
    tells_found_room: bool = True
    no_claims_text: str = ""
    claims_make_room_for_groups: bool = True
    taints_wake_like_new_nodes: bool = False
    balance_is_compared: bool = True
    siblings_use_claims: bool = True
    lists_migrated_plugins: bool = False
    missing_driver_by_choice: bool = True
    node_features: tuple[str, ...] = (
        "RestartAllContainersOnContainerExits",
        "UserNamespacesHostNetworkSupport",
        "VolumeBindMountOptions",
    )
    names_missing_features: bool = False
    batch_rescores: bool = True
    batch_leaves_nominated: bool = True
    batch_within_group: bool = True


NEWEST_RULES = SchedulingRules()


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
    group_cycle: Literal["member-by-member", "popped-by-member", "entity"]
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
        known_gates: every gate of this release; most change nothing here.
        gates: each component's gates, as ``up`` starts them.
        internal_configz: whether ``/configz`` shows the configuration in Go's internal form
            (1.35, measured on 1.35.4).
        absent_metrics: metric families that this release does not have yet.
        extension_points: those that a KubeSchedulerConfiguration of this release can name.
    """

    name: str
    git_version: str
    served: tuple[GroupVersion, ...]
    known_gates: tuple[Gate, ...]
    gates: Mapping[Component, FeatureGates]
    schedulers: tuple[SchedulerProfile, ...]
    extension_points: tuple[str, ...] = EXTENSION_POINTS
    internal_configz: bool = False
    absent_metrics: frozenset[str] = frozenset()
