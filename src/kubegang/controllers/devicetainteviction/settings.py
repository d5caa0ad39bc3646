"""What the device taint eviction controller is told by gates and by the release."""

from __future__ import annotations

import msgspec

from kubegang.api.controller_rules import DeviceTaintRules


class DeviceTaintSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Gates of kube-controller-manager, and the release's rules.

    Attributes:
        group_claims: PodGroups have claims of their own (DRAWorkloadResourceClaims).
        rules: what the release does otherwise.
    """

    group_claims: bool = True
    rules: DeviceTaintRules = DeviceTaintRules()
