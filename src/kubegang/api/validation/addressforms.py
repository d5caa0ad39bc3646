"""Addresses and ranges that only old clients can read (KEP-4858).

The rules refuse them; with the gate off, which is how 1.35 comes, nothing is said.

Pure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from kubegang.api.gated_fields import is_off
from kubegang.apimachinery.field import FieldError
from kubegang.base.feature_gates import FeatureGates

_GATE = "StrictIPCIDRValidation"
_ABOUT_FORM = re.compile(
    "must not have leading 0s|must not (be|have) an IPv4-mapped IPv6 address"
    "|must not have bits set beyond the prefix length"
)


def takes_any_form(gates: FeatureGates) -> bool:
    """Return whether such addresses are fine."""
    return is_off(_GATE, gates)


def is_only_about_form(error: FieldError) -> bool:
    """Return whether an error is about how an address is written."""
    return _ABOUT_FORM.search(error.message) is not None


def told_with(gates: FeatureGates, errors: Sequence[FieldError]) -> list[FieldError]:
    """Return the errors that are told."""
    if not errors or not takes_any_form(gates):
        return list(errors)
    return [error for error in errors if not is_only_about_form(error)]
