"""What releases before 1.37 tell of HorizontalPodAutoscalers.

Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from kubegang.api.validation.rewording import not_told, rewording
from kubegang.apimachinery.field import FieldError, Path, invalid_value, required
from kubegang.apimachinery.objects import JsonObject

_KIND: Final = "HorizontalPodAutoscaler"
_MOST: Final = r"spec\.maxReplicas"


def _with_reason(error: FieldError, _: re.Match[str], _obj: JsonObject) -> Iterable[FieldError]:
    return (required(Path(error.field), "must be set and greater than 0"),)


def _not_above_zero(error: FieldError, _: re.Match[str], obj: JsonObject) -> Iterable[FieldError]:
    shown = (obj.get("spec") or {}).get("maxReplicas") or 0
    return (invalid_value(Path(error.field), shown, "must be greater than 0"),)


AUTOSCALERS_BEFORE_1_37: Final = (
    rewording(r"status\.conditions\[\d+\]\.observedGeneration", "", not_told, kinds=_KIND),
)
AUTOSCALERS_OF_1_36: Final = (rewording(_MOST, "^Required", _with_reason, kinds=_KIND),)
AUTOSCALERS_OF_1_35: Final = (
    rewording(_MOST, "^Required|or equal to 1$", _not_above_zero, kinds=_KIND),
)
