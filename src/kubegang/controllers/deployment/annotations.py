"""What a Deployment writes on its ReplicaSets: revisions, and the sizes they were scaled for.

``kubectl rollout history`` and ``undo`` read the revisions. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable

from kubegang.apimachinery.objects import JsonObject
from kubegang.controllers.deployment.strategy import max_surge
from kubegang.controllers.workloads.objects import annotations_of, replicas_of

PREFIX = "deployment.kubernetes.io/"
REVISION = f"{PREFIX}revision"
HISTORY = f"{PREFIX}revision-history"
DESIRED = f"{PREFIX}desired-replicas"
MAXIMUM = f"{PREFIX}max-replicas"

LONGEST_HISTORY = 2000
"""So many characters of former revisions are kept."""

_LARGEST = 2**31 - 1

# The Deployment's own business.
_NOT_COPIED = (
    "kubectl.kubernetes.io/last-applied-configuration",
    "deprecated.deployment.rollback.to",
    REVISION,
    HISTORY,
    DESIRED,
    MAXIMUM,
)


def revision_of(replica_set: JsonObject) -> int:
    """Return a ReplicaSet's revision, 0 if it has none."""
    return _number(annotations_of(replica_set).get(REVISION, "")) or 0


def next_revision(old: Iterable[JsonObject]) -> int:
    """Return the revision of a template that comes after those of the old ReplicaSets."""
    return max((revision_of(entry) for entry in old), default=0) + 1


def replicas_annotation(replica_set: JsonObject, name: str) -> int | None:
    """Return a size that a ReplicaSet was scaled for, ``None`` if it says none."""
    text = annotations_of(replica_set).get(name, "")
    number = int(text) if text.isascii() and text.isdecimal() else None
    return number if number is not None and number <= _LARGEST else None


def size_annotations(deployment: JsonObject) -> dict[str, str]:
    """Return what ReplicaSets say of the Deployment's size."""
    replicas = replicas_of(deployment)
    return {DESIRED: str(replicas), MAXIMUM: str(replicas + max_surge(deployment))}


def new_annotations(
    deployment: JsonObject, present: dict[str, str], *, revision: int
) -> dict[str, str]:
    """Return the annotations of the new ReplicaSet.

    Args:
        deployment: its Deployment, whose annotations are copied.
        present: those it has already.
        revision: the number that follows those of the old ReplicaSets. A larger one that is
            there already stays: some old ReplicaSet has been deleted.
    """
    copied = {k: v for k, v in annotations_of(deployment).items() if k not in _NOT_COPIED}
    annotations = {**present, **copied}
    text = present.get(REVISION, "")
    former = _number(text) if text else 0
    if former is None:
        return dict(present)
    if former >= revision:
        return annotations
    annotations[REVISION] = str(revision)
    if REVISION in present:
        annotations[HISTORY] = _longer_history(present.get(HISTORY, ""), text)
    return annotations


def _longer_history(history: str, revision: str) -> str:
    """Return a list of former revisions with one more, the first ones left out if need be."""
    if not history:
        return revision
    entries = [*history.split(","), revision]
    while len(entries) > 1 and len(",".join(entries)) > LONGEST_HISTORY:
        entries.pop(0)
    return ",".join(entries)


def _number(text: str) -> int | None:
    digits = text.removeprefix("-").removeprefix("+")
    return int(text) if digits.isascii() and digits.isdecimal() else None
