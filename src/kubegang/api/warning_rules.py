"""What releases say otherwise to whoever writes a valid object.

The defaults are 1.37's and 1.36's; each field says what was measured.
"""

from __future__ import annotations

import msgspec


class WarningRules(msgspec.Struct, frozen=True, kw_only=True):
    """What a release warns of, and in which words.

    Attributes:
        odd_address: what is said of an address with leading zeros, or of IPv4 inside IPv6
            (1.36.3, 1.37.2: it is invalid; 1.35.4: it will be).
        deprecates_external_ips: whether a service's externalIPs are deprecated (KEP-5707;
            1.36.3 and 1.37.2 say so, 1.35.4 does not).
    """

    odd_address: str = "is invalid"
    deprecates_external_ips: bool = True


NEWEST_WARNING_RULES = WarningRules()

OLDEST_WARNING_RULES = WarningRules(
    odd_address="will be considered invalid in a future Kubernetes release",
    deprecates_external_ips=False,
)
"""Those of 1.35."""
