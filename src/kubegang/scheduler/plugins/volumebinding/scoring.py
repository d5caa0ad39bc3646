"""Ranks nodes by how much of their storage a pod would use. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from kubegang.scheduler.framework.storage import whole_bytes
from kubegang.scheduler.framework.utilization import MAX_UTILIZATION
from kubegang.scheduler.plugins.volumebinding.prospects import Choice


def score_of(choice: Choice, scores: Sequence[int]) -> int:
    """Return a node's score: the mean over the storage classes that the pod uses there.

    Args:
        choice: what is to be done about the claims on the node.
        scores: per utilization.
    """
    uses = _static_uses(choice) if choice.bindings else _dynamic_uses(choice)
    if not uses:
        return 0
    total = sum(scores[_utilization(*use)] for use in uses.values())
    # Halves go away from zero, as Go rounds; scores are not negative.
    return (2 * total + len(uses)) // (2 * len(uses))


def _static_uses(choice: Choice) -> dict[str, tuple[int, int]]:
    """Return per class what is asked of the volumes found, and what they hold."""
    uses: dict[str, tuple[int, int]] = {}
    for claim, volume in choice.bindings:
        asked, held = uses.get(volume.storage_class, (0, 0))
        wanted = whole_bytes(claim.requested or 0)
        uses[volume.storage_class] = (asked + wanted, held + whole_bytes(volume.capacity))
    return uses


def _dynamic_uses(choice: Choice) -> dict[str, tuple[int, int]]:
    """Return per class what is asked of the room, which is the same for all its volumes."""
    uses: dict[str, tuple[int, int]] = {}
    for claim, capacity in choice.provisions:
        if capacity is not None:
            asked, _ = uses.get(claim.storage_class, (0, 0))
            room = whole_bytes(capacity.capacity or 0)
            uses[claim.storage_class] = (asked + whole_bytes(claim.requested or 0), room)
    return uses


def _utilization(asked: int, held: int) -> int:
    return MAX_UTILIZATION if not held or asked > held else asked * MAX_UTILIZATION // held
