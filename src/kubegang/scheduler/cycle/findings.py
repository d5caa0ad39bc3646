"""What a cycle saw on its way to a decision, for whoever asks for more than the diagnosis.

``explain`` hands an empty one to ``decide``; live cycles keep nothing of this, since it is
large. Row numbers are good as long as no node comes or goes. Pure.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from kubegang.scheduler.cycle.searchresult import NoNode
from kubegang.scheduler.framework.cluster import Assignment, Placement
from kubegang.scheduler.framework.pods import PodGroupKey, PodInfo


@dataclass(frozen=True, slots=True)
class RefusedMember:
    """A pod that found no node of a placement, and why each node was refused."""

    pod: PodInfo
    placement: Placement
    failure: NoNode


@dataclass(frozen=True, slots=True, kw_only=True)
class TriedPlacement:
    """A placement on which a group was tried.

    Attributes:
        holds: whether the group's minimum found room there.
        placed: the members that did.
    """

    group: PodGroupKey
    placement: Placement
    holds: bool
    placed: tuple[Assignment, ...]


@dataclass(slots=True)
class Findings:
    """Filled by one call of ``decide``."""

    refused: list[RefusedMember] = field(default_factory=list)
    tried: list[TriedPlacement] = field(default_factory=list)
