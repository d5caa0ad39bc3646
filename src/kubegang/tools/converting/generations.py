"""The generations of the API as data: which release has which version and which fields.

Sources: the served OpenAPI documents of 1.35, 1.36 and 1.37, and KEP-4671.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from kubegang.tools.converting.batch import SCHEDULING, Batch
from kubegang.tools.converting.podplaces import pod_places
from kubegang.tools.converting.report import Generation

Release = Literal["1.35", "1.36", "1.37"]

RELEASE_OF: Mapping[str, Release] = {
    "v1alpha1": "1.35",
    "v1alpha2": "1.36",
    "v1alpha3": "1.37",
    "v1beta1": "1.37",
}

GENERATION_OF: Mapping[Release, Generation] = {
    "1.35": "v1alpha1",
    "1.36": "v1alpha2",
    "1.37": "v1beta1",
}
"""The version that clients of a release use first."""

MODE_OF_WORD: Mapping[str, str] = {"Pod": "single", "PodGroup": "all"}
"""``disruptionMode`` is a word in 1.36 and an object with one member in 1.37."""

WORD_OF_MODE: Mapping[str, str] = {mode: word for word, mode in MODE_OF_WORD.items()}

GANG_KINDS = ("Workload", "PodGroup", "CompositePodGroup")


def source_release(batch: Batch) -> Release | None:
    """Return the release the objects were written for; None if they do not say or disagree."""
    if batch.source:
        return RELEASE_OF[batch.source]
    found: set[Release] = {
        RELEASE_OF[item.gvk.version]
        for item in batch.of(SCHEDULING, *GANG_KINDS)
        if not item.new and item.gvk.version in RELEASE_OF
    }
    if any("workloadRef" in place.spec for place in pod_places(batch)):
        found.add("1.35")
    if any("scheduling" in item.spec for item in batch.of("batch", "Job")):
        found.add("1.37")
    return found.pop() if len(found) == 1 else None
