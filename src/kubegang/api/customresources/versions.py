"""The order of API versions: ``v10`` before ``v2`` before ``v1beta1`` before anything else.

Upstream's "kube-aware" order: stable versions first, then beta, then alpha, each newest
first; names of another form come last, by the alphabet. Pure.
"""

from __future__ import annotations

import re
from typing import Final

_FORM: Final = re.compile(r"v([1-9][0-9]*)(?:(alpha|beta)([1-9][0-9]*))?")
_STAGES: Final = {None: 0, "beta": 1, "alpha": 2}


def version_key(version: str) -> tuple[int, int, int, str]:
    """Return what versions are sorted by, the preferred one first."""
    found = _FORM.fullmatch(version)
    if found is None:
        return (3, 0, 0, version)
    return (_STAGES[found[2]], -int(found[1]), -int(found[3] or 0), "")
