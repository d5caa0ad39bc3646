"""How well a node fulfils claims with alternatives: earlier alternatives score higher. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from kubegang.api.resource.types import AllocationResult, ResourceClaim
from kubegang.api.scheduling_rules import ResourceClaimRules
from kubegang.scheduler.framework.errors import ScoreFailedError
from kubegang.scheduler.framework.pods import NodeName
from kubegang.scheduler.plugins.dynamicresources.notes import KEY, PodNotes

MOST_ALTERNATIVES: Final = 8
"""A request can have so many (resource/v1, FirstAvailableDeviceRequestMaxSize)."""


def has_alternatives(claims: Iterable[ResourceClaim]) -> bool:
    """Return whether nodes can differ in the alternative that a claim gets there."""
    return any(request.first_available for c in claims for request in c.spec.devices.requests)


def scores_matter(notes: PodNotes, *, rules: ResourceClaimRules) -> bool:
    """Return whether nodes can differ, or the release cannot tell whether they do."""
    return has_alternatives(notes.claims) or _confuses(notes, rules)


def _confuses(notes: PodNotes, rules: ResourceClaimRules) -> bool:
    return rules.scores_by_position and 0 < len(notes.unallocated()) < len(notes.claims)


def score_of(claim: ResourceClaim, allocation: AllocationResult) -> int:
    """Return 8 for a request that gets its first alternative, 7 for the second, and so on."""
    given = {result.request for result in allocation.devices.results}
    return sum(
        MOST_ALTERNATIVES - position
        for request in claim.spec.devices.requests
        for position, alternative in enumerate(request.first_available)
        if f"{request.name}/{alternative.name}" in given
    )


def scores_on(
    notes: PodNotes, nodes: Iterable[NodeName], *, rules: ResourceClaimRules
) -> list[int]:
    """Return the scores of nodes that were found good.

    Raises:
        ScoreFailedError: the release takes what it found for the new claims for that of all.
    """
    if _confuses(notes, rules):
        found = len(notes.unallocated())
        raise ScoreFailedError(
            f'running Score plugins: plugin "{KEY}" failed with: '
            f"number of allocations {found} is smaller than number of claims"
        )
    return [_score_on(notes, node) for node in nodes]


def _score_on(notes: PodNotes, node: NodeName) -> int:
    """Return the score of a node that was found good: of all claims of the pod."""
    found = notes.found.get(node, {})
    given = ((claim, found.get(i) or notes.allocation(i)) for i, claim in enumerate(notes.claims))
    return sum(score_of(claim, allocation) for claim, allocation in given if allocation)
