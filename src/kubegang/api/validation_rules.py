"""What releases do otherwise about objects that break rules.

The defaults are 1.37's; each field says what was measured.
"""

from __future__ import annotations

import msgspec


class ValidationRules(msgspec.Struct, frozen=True, kw_only=True):
    """How a release checks objects and lists what is wrong.

    Attributes:
        tells_once: an error that two rules find alike is one cause, and changed metadata is
            checked once (1.37.2; 1.36.3 and 1.35.4 list it as often as it is found, and check
            changed metadata as new and as changed, by the rules of all kinds and of this one).
        changed_jobs_only_as_changed: a changed Job is not checked as a new one besides
            (1.37.2; 1.36.3 and 1.35.4 do both, so its selector must be the generated one).
    """

    tells_once: bool = True
    changed_jobs_only_as_changed: bool = True


NEWEST_VALIDATION_RULES = ValidationRules()

OLDER_VALIDATION_RULES = ValidationRules(tells_once=False, changed_jobs_only_as_changed=False)
"""Those of 1.36 and 1.35."""
