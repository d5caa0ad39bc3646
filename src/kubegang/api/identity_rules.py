"""What releases do otherwise about users and their rights.

The defaults are 1.37's; each field says what was measured.
"""

from __future__ import annotations

import msgspec


class IdentityRules(msgspec.Struct, frozen=True, kw_only=True):
    """How a release answers about identity and authorization.

    Attributes:
        constrained_impersonation: impersonation may be granted for single requests, and
            refusals name those verbs (KEP-5284; 1.36.3 and 1.37.2 do, 1.35.4 does not).
        names_authorizer: a refusal's reason begins with ``rbac: `` (1.37.2; 1.36.3 and 1.35.4
            have the reason alone).
        tells_attributes_together: a review with both or none of its attributes is told at its
            spec (1.37.2; 1.36.3 and 1.35.4 tell it at one of the two).
    """

    constrained_impersonation: bool = True
    names_authorizer: bool = True
    tells_attributes_together: bool = True


NEWEST_IDENTITY_RULES = IdentityRules()

RULES_OF_1_36 = IdentityRules(names_authorizer=False, tells_attributes_together=False)
RULES_OF_1_35 = IdentityRules(
    names_authorizer=False, tells_attributes_together=False, constrained_impersonation=False
)
