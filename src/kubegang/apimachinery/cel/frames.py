"""One evaluation of an expression: its variables, and what it has cost so far."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kubegang.apimachinery.cel.runtime import CostLimitError


class Frame:
    """Variables and cost of one evaluation; stopped when it costs too much."""

    __slots__ = ("cost", "limit", "variables")

    def __init__(self, variables: dict[str, Any], limit: int) -> None:
        self.variables = variables
        self.cost = 0
        self.limit = limit

    def charge(self, cost: int) -> None:
        """Count a cost.

        Raises:
            CostLimitError: it is too much.
        """
        self.cost += cost
        if self.cost > self.limit:
            raise CostLimitError


Step = Callable[[Frame], Any]
"""A part of an expression, ready to be computed."""
