"""Defaults of volumes, claims and storage classes.

In place, on wire objects. Pure otherwise.
"""

from __future__ import annotations

from kubegang.api.defaults.members import member
from kubegang.api.defaults.quantities import round_amounts, round_requirements
from kubegang.api.defaults.volumes import default_volume_source
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.feature_gates import FeatureGates

_SCALING_GATE = "VolumeLimitScaling"


def default_persistent_volume(volume: JsonObject, _gates: FeatureGates) -> None:
    """A volume is kept when its claim goes, and holds files."""
    spec = member(volume, "spec")
    if not spec.get("persistentVolumeReclaimPolicy"):
        spec["persistentVolumeReclaimPolicy"] = "Retain"
    if spec.get("volumeMode") is None:
        spec["volumeMode"] = "Filesystem"
    for name in list(spec):
        default_volume_source(name, spec[name])
    round_amounts(spec.get("capacity"))
    status = volume.get("status")
    if status is not None and not status.get("phase"):
        status["phase"] = "Pending"


def default_claim(claim: JsonObject, _gates: FeatureGates) -> None:
    """A claim wants a volume for files."""
    default_claim_spec(member(claim, "spec"))
    status = claim.get("status")
    if status is None:
        return
    if not status.get("phase"):
        status["phase"] = "Pending"
    round_amounts(status.get("capacity"))
    round_amounts(status.get("allocatedResources"))


def default_claim_spec(spec: JsonObject) -> None:
    """Fill in the spec of a claim, also of one that is made from a template."""
    if spec.get("volumeMode") is None:
        spec["volumeMode"] = "Filesystem"
    round_requirements(spec.get("resources"))


def default_storage_class(storage_class: JsonObject, _gates: FeatureGates) -> None:
    """Volumes of a class are bound at once and deleted with their claim."""
    if storage_class.get("reclaimPolicy") is None:
        storage_class["reclaimPolicy"] = "Delete"
    if storage_class.get("volumeBindingMode") is None:
        storage_class["volumeBindingMode"] = "Immediate"


def default_csi_driver(driver: JsonObject, gates: FeatureGates) -> None:
    """A driver attaches volumes, and does nothing that it is not asked for."""
    spec = member(driver, "spec")
    for name, value in (
        ("attachRequired", True),
        ("podInfoOnMount", False),
        ("storageCapacity", False),
        ("fsGroupPolicy", "ReadWriteOnceWithFSType"),
        ("requiresRepublish", False),
        ("seLinuxMount", False),
    ):
        if spec.get(name) is None:
            spec[name] = value
    if not spec.get("volumeLifecycleModes"):
        spec["volumeLifecycleModes"] = ["Persistent"]
    # New in 1.37.
    if gates.enabled_if_known(_SCALING_GATE) and spec.get("preventPodSchedulingIfMissing") is None:
        spec["preventPodSchedulingIfMissing"] = False
