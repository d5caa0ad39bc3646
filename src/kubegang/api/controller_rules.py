"""What kube-controller-manager of one release does otherwise than that of 1.37.

As for the scheduler: plain answers to plain questions. Defaults are 1.37's; ``app/profiles``
fills in the rest. Each field says where its answer comes from.
"""

from __future__ import annotations

import msgspec


class ClaimRules(msgspec.Struct, frozen=True, kw_only=True):
    """How the ResourceClaim controller makes and releases claims.

    Attributes:
        group_matters_without_claims: whether the PodGroup that a pod names has to be known
            even with DRAWorkloadResourceClaims off, so that a claim that belongs to the group
            is made for nobody (1.37); 1.36.3 then makes one for each pod (both measured).
        template_wakes: whether a new template makes the controller look at the pods that
            name it (1.36); 1.35.4 finds it at its next attempt.
        looks_at_every_claim: whether a claim that somebody else has to make leaves a pod's
            other claims alone (1.36); 1.35.4 waits for it before it makes those after it.
        releases_beside_unknown: whether an entry in ``reservedFor`` of a kind that the
            controller does not know stays and the others are looked at (1.36); 1.35.4 leaves
            the whole claim alone, and tries again and again.
    """

    group_matters_without_claims: bool = True
    template_wakes: bool = True
    looks_at_every_claim: bool = True
    releases_beside_unknown: bool = True


class DeviceTaintRules(msgspec.Struct, frozen=True, kw_only=True):
    """How pods are evicted whose devices are tainted (source: kube-controller-manager).

    Attributes:
        looks_at_extended_resources: whether the claim that was made for a pod's extended
            resources counts (1.37).
        remembers_evicted: whether a pod that was deleted is left alone until it is gone
            (1.36); 1.35.4 counts it again with each of its claims' changes.
        looks_beyond_missing_pods: whether a claim's other users are looked at when one of
            them is not there (1.36); 1.35.4 stops at it.
        rules_version: the version of resource.k8s.io in which DeviceTaintRules are read.
    """

    looks_at_extended_resources: bool = True
    remembers_evicted: bool = True
    looks_beyond_missing_pods: bool = True
    rules_version: str = "v1"


class ControllerRules(msgspec.Struct, frozen=True, kw_only=True):
    """What the controllers of one release do, each group of fields with its source.

    Attributes:
        claims: of the ResourceClaim controller.
        device_taints: of the eviction of pods with tainted devices.
        deployments_wait_for_selected: whether Recreate waits only for those old pods that the
            Deployment still selects (1.35.4); later for all that its ReplicaSets own (both
            measured).
    """

    claims: ClaimRules = ClaimRules()
    device_taints: DeviceTaintRules = DeviceTaintRules()
    deployments_wait_for_selected: bool = False


NEWEST_CONTROLLER_RULES = ControllerRules()
