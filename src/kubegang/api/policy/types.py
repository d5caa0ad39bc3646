"""PodDisruptionBudget, as eviction and preemption read it."""

from __future__ import annotations

from collections.abc import Mapping

from kubegang.api.meta import Condition, Form, LabelSelector, ObjectMeta


class PodDisruptionBudgetSpec(Form, frozen=True):
    """``spec`` of a budget; amounts are counts or percentages such as ``50%``."""

    min_available: int | str | None = None
    max_unavailable: int | str | None = None
    selector: LabelSelector | None = None
    unhealthy_pod_eviction_policy: str | None = None


class PodDisruptionBudgetStatus(Form, frozen=True):
    """``status`` of a budget."""

    observed_generation: int = 0
    disrupted_pods: Mapping[str, str | None] = {}
    disruptions_allowed: int = 0
    current_healthy: int = 0
    desired_healthy: int = 0
    expected_pods: int = 0
    conditions: tuple[Condition, ...] = ()


class PodDisruptionBudget(Form, frozen=True):
    """How many of the selected pods may be missing at once."""

    metadata: ObjectMeta = ObjectMeta()
    spec: PodDisruptionBudgetSpec = PodDisruptionBudgetSpec()
    status: PodDisruptionBudgetStatus = PodDisruptionBudgetStatus()
