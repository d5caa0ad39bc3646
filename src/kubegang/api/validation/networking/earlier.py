"""What releases before 1.37 tell of network policies.

Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from kubegang.api.validation.rewording import rewording
from kubegang.apimachinery.field import FieldError, Path, invalid_value
from kubegang.apimachinery.objects import JsonObject


def _first_port(error: FieldError, place: re.Match[str], obj: JsonObject) -> Iterable[FieldError]:
    """Show the port from which a range goes instead of the one where it ends."""
    rule = obj["spec"][place[1]][int(place[2])]
    shown = rule["ports"][int(place[3])]["port"]
    return (invalid_value(Path(error.field), shown, "must be greater than or equal to `port`"),)


POLICIES_BEFORE_1_37: Final = (
    rewording(
        r"spec\.(\w+)\[(\d+)\]\.ports\[(\d+)\]\.endPort",
        "must be greater than or equal to `port`",
        _first_port,
        kinds="NetworkPolicy",
    ),
)
