"""Every function of expressions by its name, joined from the modules that compute them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from kubegang.apimachinery.cel import (
    conversions,
    listfunctions,
    networkfunctions,
    operators,
    resourcefunctions,
    stringfunctions,
    timefunctions,
)

at_index = operators.at_index

FUNCTIONS: Final[Mapping[str, Callable[..., Any]]] = {
    **operators.FUNCTIONS,
    **conversions.FUNCTIONS,
    **stringfunctions.FUNCTIONS,
    **listfunctions.FUNCTIONS,
    **networkfunctions.FUNCTIONS,
    **resourcefunctions.FUNCTIONS,
    **timefunctions.FUNCTIONS,
}
