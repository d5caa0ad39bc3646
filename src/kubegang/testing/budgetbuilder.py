"""The builder of PodDisruptionBudgets."""

from __future__ import annotations

import dataclasses

from kubegang.api.meta import LabelSelector
from kubegang.api.policy.types import (
    PodDisruptionBudget,
    PodDisruptionBudgetSpec,
    PodDisruptionBudgetStatus,
)
from kubegang.apimachinery.objects import JsonObject
from kubegang.scheduler.framework.budgets import DisruptionBudget
from kubegang.scheduler.framework.workloadconversion import disruption_budget
from kubegang.testing.building import Builder, as_json, replaced


@dataclasses.dataclass(frozen=True)
class BudgetBuilder(Builder):
    """Builds PodDisruptionBudgets."""

    spec: PodDisruptionBudgetSpec
    status: PodDisruptionBudgetStatus

    def selecting(self, **labels: str) -> BudgetBuilder:
        """Mean the pods with these labels."""
        return dataclasses.replace(self, spec=replaced(self.spec, selector=LabelSelector(labels)))

    def allowing(self, disruptions: int) -> BudgetBuilder:
        """Let so many more of them be disrupted."""
        return self._with_status(disruptions_allowed=disruptions)

    def disrupted(self, *pods: str) -> BudgetBuilder:
        """Note pods whose eviction is counted already."""
        return self._with_status(disrupted_pods=dict.fromkeys(pods))

    def _with_status(self, **changes: object) -> BudgetBuilder:
        return dataclasses.replace(self, status=replaced(self.status, **changes))

    def obj(self) -> PodDisruptionBudget:
        """Return the typed form."""
        return PodDisruptionBudget(metadata=self.metadata, spec=self.spec, status=self.status)

    def json(self) -> JsonObject:
        """Return what a client would send."""
        return as_json("policy/v1", "PodDisruptionBudget", self.obj())

    def info(self) -> DisruptionBudget:
        """Return the scheduler's view."""
        return disruption_budget(self.obj())
