"""What releases do otherwise about tables, which ``kubectl get`` prints.

The defaults are 1.37's; each field says what was measured.
"""

from __future__ import annotations

import msgspec


class TableRules(msgspec.Struct, frozen=True, kw_only=True):
    """How a release fills tables.

    Attributes:
        definitions_have_columns: a CustomResourceDefinition's table has its scope and versions,
            and in its wide form its names (1.37.2; 1.36.3 and 1.35.4 show the name and when it
            was created).
        one_default_class: only the storage class that claims get is marked, and only in a
            list (1.37.2; 1.36.3 and 1.35.4 mark each that wants to be the default).
        default_ingress_class: ingress classes that want to be the default are marked (1.37.2 and
            1.36.3; not by 1.35.4).
    """

    definitions_have_columns: bool = True
    one_default_class: bool = True
    default_ingress_class: bool = True


NEWEST_TABLE_RULES = TableRules()

OLDER_TABLE_RULES = TableRules(definitions_have_columns=False, one_default_class=False)
"""Those of 1.36."""

OLDEST_TABLE_RULES = msgspec.structs.replace(OLDER_TABLE_RULES, default_ingress_class=False)
"""Those of 1.35."""
