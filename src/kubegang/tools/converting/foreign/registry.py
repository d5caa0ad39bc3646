"""Which other schedulers' objects are known."""

from __future__ import annotations

from kubegang.tools.converting.batch import Batch
from kubegang.tools.converting.foreign import kai, schedulerplugins, volcano, volcanojobs
from kubegang.tools.converting.foreign.kueue import bring_in_kueue
from kubegang.tools.converting.foreign.yunikorn import bring_in_yunikorn

FOREIGN_KINDS = frozenset(
    {
        (kai.GROUP, "PodGroup"),
        (schedulerplugins.GROUP, "PodGroup"),
        (volcano.GROUP, "PodGroup"),
        (volcanojobs.GROUP, "Job"),
    }
)
"""Group and kind; pods that are only marked by labels and annotations are plain pods."""


def bring_in(batch: Batch) -> None:
    """Bring all of them to the 1.37 form."""
    volcanojobs.bring_in_volcano_jobs(batch)
    volcano.bring_in_volcano_groups(batch)
    schedulerplugins.bring_in_scheduler_plugins(batch)
    kai.bring_in_kai(batch)
    bring_in_yunikorn(batch)
    bring_in_kueue(batch)
