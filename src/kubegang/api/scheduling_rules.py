"""What kube-scheduler of one release does otherwise than that of 1.37.

Plain answers to plain questions, for the queue, the cycle and plugins, so that none of them
compares version strings. Defaults are 1.37's; ``app/profiles`` fills in the rest. Each field
says where its answer comes from.
"""

from __future__ import annotations

from typing import Literal

import msgspec


class PreemptionRules(msgspec.Struct, frozen=True, kw_only=True):
    """Who goes for whom, and who is told what.

    Attributes:
        knows_groups: whether it looks at groups at all; in 1.35 only GangScheduling does.
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
    """

    knows_groups: bool = True
    victim_priority: Literal["group", "own"] = "group"
    spares_victims: Literal["places", "still-fit"] = "places"
    victims_refer_to_pod: bool = False
    tells_found_room: bool = True


class ResourceClaimRules(msgspec.Struct, frozen=True, kw_only=True):
    """How DynamicResources allocates devices, and what it says.

    Attributes:
        no_claims_text: what it adds to the text of a pod without claims that found no node:
            ``no new claims to deallocate`` (measured on 1.36.3), nothing in 1.37.
        nothing_freed_text: the same for a pod with claims of which none can be freed:
            ``still not schedulable`` (1.36.3 and 1.35.4), nothing in 1.37.
        makes_room_for_groups: whether it is asked when a group found no room (1.37); before,
            each member's post filter frees the group's claims.
        promises_bind_nodes: whether a claim that a sibling took in the same cycle keeps a
            member to the nodes of its devices (1.37); before, only claims whose status has
            the allocation do, and a member elsewhere is sent back before it is bound.
        deletions_wake: whether the deletion of a claim may let pods in (1.37).
        siblings_share: whether members of a group share a claim within one cycle (1.36 and
            later).
        config_for_all_names_none: configuration that holds for every request of a claim is
            written without their names (measured on 1.37.2; on 1.36.3 they stay).
        errors_name_the_device: an expression without a value is reported with the device and,
            for missing keys, with advice (measured on 1.37.2; on 1.36.3 not).
        limit_names_the_request: too many devices are reported with the request that was one
            too many (measured on 1.37.2; on 1.36.3 with the claim's total).
        taint_rules_version: the version of resource.k8s.io in which DeviceTaintRules are read
            with the gate DRADeviceTaintRules: v1alpha3 in 1.35, v1beta2 in 1.36.
        slow_searches_fail: whether a search that takes too long on a node ends the attempt, so
            that it is repeated after a pause (1.36); in 1.35.4 only the node is refused.
        scores_by_position: whether a pod of whose claims some are allocated and some are not
            cannot be scored, so that it gets no node where several would do (1.35.4,
            measured).
    """

    no_claims_text: str = ""
    nothing_freed_text: str = ""
    makes_room_for_groups: bool = True
    promises_bind_nodes: bool = True
    deletions_wake: bool = True
    siblings_share: bool = True
    config_for_all_names_none: bool = True
    errors_name_the_device: bool = True
    limit_names_the_request: bool = True
    taint_rules_version: str = "v1"
    slow_searches_fail: bool = True
    scores_by_position: bool = False


class VolumeRules(msgspec.Struct, frozen=True, kw_only=True):
    """What counts of volumes and their drivers.

    Attributes:
        siblings_use_claims: whether a member of a group sees which claims its siblings took
            in the same cycle (1.37); 1.36.3 gives a ReadWriteOncePod volume to two members
            (measured).
        lists_migrated_plugins: whether volumes of an in-tree plugin count against the limits
            of its driver only on nodes whose CSINode lists the plugin as migrated (measured on
            1.35.4).
        missing_driver_by_choice: whether only drivers that say so keep pods off nodes where
            they are not installed (1.36 and later; with the gate VolumeLimitScaling).
    """

    siblings_use_claims: bool = True
    lists_migrated_plugins: bool = False
    missing_driver_by_choice: bool = True


class NodeFeatureRules(msgspec.Struct, frozen=True, kw_only=True):
    """What pods may need of nodes.

    Attributes:
        known: the features, by the names that nodes declare.
        names_missing: whether the text about a node without them names them (measured on
            1.35.4).
    """

    known: tuple[str, ...] = (
        "RestartAllContainersOnContainerExits",
        "UserNamespacesHostNetworkSupport",
        "VolumeBindMountOptions",
    )
    names_missing: bool = False


class BatchingRules(msgspec.Struct, frozen=True, kw_only=True):
    """How the ranking made for one pod is used for the next.

    Attributes:
        rescores: whether a node that was taken and still has room is ranked anew among the
            nodes kept for pods of the same signature (1.37); otherwise they are forgotten
            (measured on 1.36.3 and 1.35.4).
        leaves_nominated: whether pods to which a node is promised are kept out of batching
            (1.37); otherwise one of the kept nodes is used up for them (measured on 1.36.3
            and 1.35.4).
        within_group: whether the members of a group that is decided about as a whole may use
            each other's ranking (1.37; 1.36.3 takes them for pods of distant cycles,
            measured).
    """

    rescores: bool = True
    leaves_nominated: bool = True
    within_group: bool = True


class SchedulingRules(msgspec.Struct, frozen=True, kw_only=True):
    """What one release does otherwise, part by part.

    Attributes:
        gang_check: where GangScheduling enforces the minimum: while a whole group is placed,
            at ``placement-feasible`` (1.37), or member by member at ``permit`` (1.36); in 1.35
            at ``workload-permit``, where groups are entries of Workloads and members wait.
        taints_wake_like_new_nodes: whether a change of a node's taints is worth an attempt to
            every pod that a plugin refused which watches for new nodes but not for taints
            (1.36 and 1.35, measured on 1.36.3).
        balance_is_compared: whether NodeResourcesBalancedAllocation sets the balance with the
            pod against that without it (1.37 and 1.36); 1.35.4 scores the former (measured).
        promise_outlives_failed_binding: whether a pod whose binding fails keeps the node that
            was promised to it in the same attempt: 1.35 compares with the pod as the attempt
            began, which had no promise to take back (measured on 1.35.4).
    """

    gang_check: Literal["placement-feasible", "permit", "workload-permit"] = "placement-feasible"
    taints_wake_like_new_nodes: bool = False
    balance_is_compared: bool = True
    promise_outlives_failed_binding: bool = False
    preemption: PreemptionRules = PreemptionRules()
    resource_claims: ResourceClaimRules = ResourceClaimRules()
    volumes: VolumeRules = VolumeRules()
    node_features: NodeFeatureRules = NodeFeatureRules()
    batching: BatchingRules = BatchingRules()


NEWEST_RULES = SchedulingRules()
