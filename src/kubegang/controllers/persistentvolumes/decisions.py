"""What is to be done about a claim, and about a volume. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Final, Literal, NamedTuple

from kubegang.api.core.volumeannotations import BIND_COMPLETED, PROVISIONED_BY, SELECTED_NODE
from kubegang.apimachinery.objects import JsonObject
from kubegang.controllers.persistentvolumes.matching import best_volume, mismatch
from kubegang.controllers.persistentvolumes.objects import (
    class_of,
    has_annotation,
    is_promised_to,
    mode_of,
    name_of,
    phase_of,
    reference_of,
    volume_name_of,
    waits_for_pod,
)


class Happening(NamedTuple):
    """An event to be written about the object that was looked at."""

    type_: Literal["Normal", "Warning"]
    reason: str
    message: str


class ClaimPlan(NamedTuple):
    """What is to be done about a claim.

    Attributes:
        action: ``bind`` it to the volume; have it ``pend``, or say that it is ``lost``; have a
            volume made for it (``provision``).
        happening: what is told besides.
    """

    action: Literal["bind", "pend", "lost", "provision"]
    volume: JsonObject | None = None
    happening: Happening | None = None


class VolumePlan(NamedTuple):
    """What is to be done about a volume.

    Attributes:
        action: have it be in a ``phase``; ``release`` it, and reclaim it; ``unbind`` it; or
            leave that to the claim (``ask-claim``).
    """

    action: Literal["phase", "release", "unbind", "ask-claim"]
    phase: str = ""


class Removal(NamedTuple):
    """What is to be done about a volume that was released.

    Attributes:
        remove: its object is to be deleted.
        problem: why it cannot be removed, although its policy says so.
    """

    remove: bool = False
    problem: str = ""


_REMOVABLE: Final = re.compile("/tmp/.+")

_NO_VOLUME: Final = Happening(
    "Normal",
    "FailedBinding",
    "no persistent volumes available for this claim and no storage class is set",
)


def plan_claim(
    claim: JsonObject,
    *,
    volumes: Collection[JsonObject],
    volume_named: Callable[[str], JsonObject | None],
    storage_class: JsonObject | None,
    waiting_pods: Sequence[str],
) -> ClaimPlan:
    """Return what is to be done about a claim.

    Args:
        claim: as last seen.
        volumes: all there are.
        volume_named: finds one of them.
        storage_class: the claim's, if there is one.
        waiting_pods: names of the pods without a node that use the claim.
    """
    name = volume_name_of(claim)
    if has_annotation(claim, BIND_COMPLETED):
        return _plan_bound(claim, volume_named(name) if name else None)
    if name:
        return _plan_named(claim, volume_named(name))
    delayed = waits_for_pod(storage_class)
    volume = best_volume(claim, volumes, left_to_scheduler=delayed)
    if volume is not None:
        return ClaimPlan("bind", volume)
    if delayed and not has_annotation(claim, SELECTED_NODE):
        return ClaimPlan("pend", happening=_waiting(waiting_pods))
    return ClaimPlan("provision") if class_of(claim) else ClaimPlan("pend", happening=_NO_VOLUME)


def plan_volume(volume: JsonObject, claim: JsonObject | None) -> VolumePlan:
    """Return what is to be done about a volume.

    Args:
        volume: as last seen.
        claim: the one that it names, if that exists and is the very one.
    """
    reference = reference_of(volume)
    if reference is None or not reference.get("uid"):
        return VolumePlan("phase", "Available")
    if claim is None:
        return VolumePlan("release")
    name = volume_name_of(claim)
    if not name:
        return VolumePlan("ask-claim")
    if name == name_of(volume):
        return VolumePlan("phase", "Bound")
    policy = volume["spec"].get("persistentVolumeReclaimPolicy")
    if has_annotation(volume, PROVISIONED_BY) and policy == "Delete":
        return VolumePlan("release")
    return VolumePlan("unbind")


def plan_removal(volume: JsonObject) -> Removal:
    """Return what is to be done about a released volume; drivers remove their own."""
    spec = volume["spec"]
    keeps = spec.get("persistentVolumeReclaimPolicy") != "Delete"
    if keeps or "csi" in spec or has_annotation(volume, PROVISIONED_BY):
        return Removal()
    if "hostPath" not in spec:
        name = name_of(volume)
        return Removal(
            problem=f'error getting deleter volume plugin for volume "{name}": '
            "no deletable volume plugin matched"
        )
    path = spec["hostPath"].get("path", "")
    if not _REMOVABLE.search(path):
        text = f"host_path deleter only supports /tmp/.+ but received provided {path}"
        return Removal(problem=text)
    return Removal(remove=True)


def incompatible(volume: JsonObject, claim: JsonObject) -> tuple[Happening, Happening] | None:
    """Return what is told about a volume and its claim if their modes can never meet."""
    if mode_of(volume) == mode_of(claim):
        return None
    about_volume = (
        f'Cannot bind PersistentVolume to requested PersistentVolumeClaim "{name_of(claim)}" '
        "due to incompatible volumeMode."
    )
    about_claim = (
        f'Cannot bind PersistentVolume "{name_of(volume)}" to requested PersistentVolumeClaim '
        "due to incompatible volumeMode."
    )
    return (
        Happening("Warning", "VolumeMismatch", about_volume),
        Happening("Warning", "VolumeMismatch", about_claim),
    )


def is_over(volume: JsonObject) -> bool:
    """Return whether a volume was released, or its removal failed; that is not said twice."""
    return phase_of(volume) in ("Released", "Failed")


def waiting_names(pods: Iterable[JsonObject]) -> list[str]:
    """Return the names of pods that have no node, sorted."""
    return sorted(name_of(pod) for pod in pods if not pod["spec"].get("nodeName"))


def _plan_bound(claim: JsonObject, volume: JsonObject | None) -> ClaimPlan:
    if volume is None:
        named = volume_name_of(claim)
        what = "its PersistentVolume" if named else "reference to PersistentVolume"
        text = f"Bound claim has lost {what}. Data on the volume is lost!"
        return ClaimPlan("lost", happening=Happening("Warning", "ClaimLost", text))
    reference = reference_of(volume)
    if reference is None or reference.get("uid") == claim["metadata"]["uid"]:
        return ClaimPlan("bind", volume)
    text = "Two claims are bound to the same volume, this one is bound incorrectly"
    return ClaimPlan("lost", happening=Happening("Warning", "ClaimMisbound", text))


def _plan_named(claim: JsonObject, volume: JsonObject | None) -> ClaimPlan:
    if volume is None:
        return ClaimPlan("pend")
    if reference_of(volume) is None:
        problem = mismatch(claim, volume)
        if not problem:
            return ClaimPlan("bind", volume)
        text = f'Cannot bind to requested volume "{name_of(volume)}": {problem}'
        return ClaimPlan("pend", happening=Happening("Warning", "VolumeMismatch", text))
    if is_promised_to(volume, claim):
        return ClaimPlan("bind", volume)
    text = f'volume "{name_of(volume)}" already bound to a different claim.'
    return ClaimPlan("pend", happening=Happening("Warning", "FailedBinding", text))


def _waiting(pods: Sequence[str]) -> Happening:
    if not pods:
        text = "waiting for first consumer to be created before binding"
        return Happening("Normal", "WaitForFirstConsumer", text)
    noun = "pods" if len(pods) > 1 else "pod"
    text = f"waiting for {noun} {','.join(pods)} to be scheduled"
    return Happening("Normal", "WaitForPodScheduled", text)
