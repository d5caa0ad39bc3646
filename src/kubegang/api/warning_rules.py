"""What releases say otherwise to whoever writes a valid object.

The defaults are 1.37's and 1.36's; each field says what was measured.
"""

from __future__ import annotations

import msgspec

from kubegang.base.feature_gates import FeatureGates


class WarningRules(msgspec.Struct, frozen=True, kw_only=True):
    """What a release warns of, and in which words.

    Attributes:
        odd_address: what is said of an address with leading zeros, or of IPv4 inside IPv6
            (1.36.3, 1.37.2: it is invalid; 1.35.4: it will be).
        deprecates_external_ips: whether a service's externalIPs are deprecated (KEP-5707;
            1.36.3 and 1.37.2 say so, 1.35.4 does not).
        git_repo: what is said of volumes of that kind; the gate GitRepoVolumeDriver decides.
        advises_token_secrets: whether CSI drivers that ask for tokens are told to take them as
            secrets; the gate CSIServiceAccountTokenSecrets decides.
    """

    odd_address: str = "is invalid"
    deprecates_external_ips: bool = True
    git_repo: str = "deprecated in v1.11, and disabled by default in v1.33+"
    advises_token_secrets: bool = True


NEWEST_WARNING_RULES = WarningRules()

OLDEST_WARNING_RULES = WarningRules(
    odd_address="will be considered invalid in a future Kubernetes release",
    deprecates_external_ips=False,
)
"""Those of 1.35."""


def with_gates(rules: WarningRules, gates: FeatureGates) -> WarningRules:
    """Return what is warned of with these gates; both can be changed in 1.35 only."""
    if gates.enabled_if_known("GitRepoVolumeDriver"):
        rules = msgspec.structs.replace(rules, git_repo="deprecated in v1.11")
    if not gates.get("CSIServiceAccountTokenSecrets", True):
        rules = msgspec.structs.replace(rules, advises_token_secrets=False)
    return rules
