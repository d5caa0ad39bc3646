"""Which volume a claim gets: the one promised to it, else the smallest that will do. Pure.

Volumes with fewer access modes are looked at first, as kube-controller-manager does.
"""

from __future__ import annotations

from collections.abc import Iterable

from kubegang.apimachinery.labels import label_selector_of
from kubegang.apimachinery.objects import JsonObject
from kubegang.controllers.persistentvolumes.objects import (
    attributes_class_of,
    capacity_of,
    class_of,
    is_promised_to,
    mode_of,
    name_of,
    phase_of,
    reference_of,
    wanted_by,
)


def best_volume(
    claim: JsonObject, volumes: Iterable[JsonObject], *, left_to_scheduler: bool
) -> JsonObject | None:
    """Return the volume for an unbound claim, or ``None``.

    Args:
        claim: names no volume.
        volumes: all there are.
        left_to_scheduler: only a volume that is promised already will do.
    """
    by_modes: dict[tuple[str, ...], list[JsonObject]] = {}
    wanted = set(claim["spec"].get("accessModes") or ())
    for volume in sorted(volumes, key=name_of):
        modes = tuple(sorted(volume["spec"].get("accessModes") or ()))
        if wanted <= set(modes) and _may_have(claim, volume):
            by_modes.setdefault(modes, []).append(volume)
    for modes in sorted(by_modes, key=len):
        found = _best_of(claim, by_modes[modes], left_to_scheduler=left_to_scheduler)
        if found is not None:
            return found
    return None


def mismatch(claim: JsonObject, volume: JsonObject) -> str:
    """Return why a claim cannot have the volume that it names, or an empty text."""
    if volume["metadata"].get("deletionTimestamp"):
        return f'the volume is marked for deletion "{name_of(volume)}"'
    if capacity_of(volume).value() < wanted_by(claim).value():
        return "requested PV is too small"
    if class_of(volume) != class_of(claim):
        return "storageClassName does not match"
    if attributes_class_of(volume) != attributes_class_of(claim):
        return "volumeAttributesClassName does not match"
    if mode_of(volume) != mode_of(claim):
        return "incompatible volumeMode"
    modes = set(claim["spec"].get("accessModes") or ())
    if not modes <= set(volume["spec"].get("accessModes") or ()):
        return "incompatible accessMode"
    return ""


def _best_of(
    claim: JsonObject, volumes: list[JsonObject], *, left_to_scheduler: bool
) -> JsonObject | None:
    promised = [volume for volume in volumes if reference_of(volume) is not None]
    if promised:
        return promised[0]
    if left_to_scheduler:
        return None
    return min((v for v in volumes if _is_free_for(claim, v)), key=capacity_of, default=None)


def _may_have(claim: JsonObject, volume: JsonObject) -> bool:
    return (
        (reference_of(volume) is None or is_promised_to(volume, claim))
        and capacity_of(volume) >= wanted_by(claim)
        and mode_of(volume) == mode_of(claim)
        and attributes_class_of(volume) == attributes_class_of(claim)
        and not volume["metadata"].get("deletionTimestamp")
    )


def _is_free_for(claim: JsonObject, volume: JsonObject) -> bool:
    if phase_of(volume) != "Available" or class_of(volume) != class_of(claim):
        return False
    selector = claim["spec"].get("selector")
    labels = volume["metadata"].get("labels") or {}
    return selector is None or label_selector_of(selector).matches(labels)
