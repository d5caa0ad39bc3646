"""What the ResourceClaim controller is told by gates and by the release."""

from __future__ import annotations

import msgspec

from kubegang.api.controller_rules import ClaimRules


class ClaimSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Gates of kube-controller-manager, and the release's rules.

    Attributes:
        groups: PodGroups are known (GenericWorkload).
        group_claims: PodGroups have claims of their own (DRAWorkloadResourceClaims).
        admin_access: templates may ask for devices that others use (DRAAdminAccess).
        alternatives: templates may have requests with alternatives (DRAPrioritizedList).
        rules: what the release does otherwise.
    """

    groups: bool = True
    group_claims: bool = True
    admin_access: bool = True
    alternatives: bool = True
    rules: ClaimRules = ClaimRules()
