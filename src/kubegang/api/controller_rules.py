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


class ControllerRules(msgspec.Struct, frozen=True, kw_only=True):
    """What the controllers of one release do, each group of fields with its source."""

    claims: ClaimRules = ClaimRules()


NEWEST_CONTROLLER_RULES = ControllerRules()
