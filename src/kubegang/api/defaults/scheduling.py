"""Defaults of the scheduling group, per API version where versions differ.

In place, on wire objects. Pure otherwise.
"""

from __future__ import annotations

from kubegang.api.defaults.members import member
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.feature_gates import FeatureGates

_PREEMPTION_GATE = "PodGroupPreemptionPolicy"


def default_priority_class(priority_class: JsonObject, _gates: FeatureGates) -> None:
    """A class preempts unless it says Never."""
    if priority_class.get("preemptionPolicy") is None:
        priority_class["preemptionPolicy"] = "PreemptLowerPriority"


def default_group(group: JsonObject, gates: FeatureGates) -> None:
    """Fill in a PodGroup or CompositePodGroup of v1beta1 or v1alpha3.

    The preemption policy is filled in before Priority admission looks at it (measured on
    1.37.2), so a group that names a class with policy Never must say Never itself.
    """
    spec = member(group, "spec")
    if spec.get("disruptionMode") is None:
        spec["disruptionMode"] = {"single": {}}
    if spec.get("preemptionPolicy") is None and gates.enabled_if_known(_PREEMPTION_GATE):
        spec["preemptionPolicy"] = "PreemptLowerPriority"


def default_v1alpha2_group(group: JsonObject, _gates: FeatureGates) -> None:
    """Fill in a PodGroup of v1alpha2, whose disruption mode is a word.

    It is written whether or not WorkloadAwarePreemption is on (measured on 1.36.3).
    """
    spec = member(group, "spec")
    if not spec.get("disruptionMode"):
        spec["disruptionMode"] = "Pod"
