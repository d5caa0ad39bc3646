"""PodDisruptionBudgets as preemption reads them."""

from __future__ import annotations

import msgspec

from kubegang.scheduler.framework.terms import LabelTerms


class DisruptionBudget(msgspec.Struct, frozen=True, kw_only=True):
    """How many more of the selected pods may be disrupted now.

    Attributes:
        selector: which pods of the namespace are meant.
        disruptions_allowed: status.disruptionsAllowed.
        disrupted_pods: names of pods whose eviction is already counted in that number.
    """

    namespace: str
    name: str
    selector: LabelTerms
    disruptions_allowed: int
    disrupted_pods: tuple[str, ...] = ()
