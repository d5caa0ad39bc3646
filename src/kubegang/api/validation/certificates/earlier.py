"""What releases before 1.37 tell of requests for certificates.

Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from kubegang.api.validation.rewording import rewording
from kubegang.apimachinery.field import FieldError, Path, invalid_value
from kubegang.apimachinery.objects import JsonObject

_DECISIONS: Final = ("Approved", "Denied")


def _second(error: FieldError, _: re.Match[str], obj: JsonObject) -> Iterable[FieldError]:
    """Show the decision that came second."""
    kinds = [one.get("type") for one in obj["status"]["conditions"]]
    shown = next(kind for kind in reversed(kinds) if kind in _DECISIONS)
    detail = "Approved and Denied conditions are mutually exclusive"
    return (invalid_value(Path(error.field), shown, detail),)


REQUESTS_BEFORE_1_37: Final = (
    rewording(r"status\.conditions", "at most one of", _second, kinds="CertificateSigningRequest"),
)
