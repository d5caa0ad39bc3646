"""Priority: from class names to numbers, for pods and for groups of pods.

A PodGroup's preemptionPolicy was defaulted before admission, so a class that never preempts
is refused unless the group says so itself; a pod's is simply filled in (measured on 1.37.2).
"""

from __future__ import annotations

from kubegang.apimachinery.objects import JsonObject
from kubegang.apiserver.admission.request import AdmissionRequest, Lookup
from kubegang.base.feature_gates import FeatureGates

_LOWER = "PreemptLowerPriority"


def admit_pod(request: AdmissionRequest, lookup: Lookup, _gates: FeatureGates) -> None:
    """Compute a new pod's priority and preemption policy."""
    spec = request.obj["spec"]
    value, policy = _resolve(request, lookup, spec)
    given = spec.get("priority")
    if given is not None and given != value:
        raise request.refuse(
            f"the integer value of priority ({given}) must not be provided in pod spec; "
            f"priority admission controller computed {value} from the given PriorityClass name"
        )
    spec["priority"] = value
    _check_policy(request, spec, policy, "pod")
    spec["preemptionPolicy"] = policy


def keep_pod_priority(request: AdmissionRequest, _lookup: Lookup, _gates: FeatureGates) -> None:
    """Fill in what an update leaves out: both values are settled at creation."""
    spec, old = request.obj["spec"], (request.old or {}).get("spec", {})
    for name in ("priority", "preemptionPolicy"):
        if spec.get(name) is None and old.get(name) is not None:
            spec[name] = old[name]


def admit_pod_group(request: AdmissionRequest, lookup: Lookup, gates: FeatureGates) -> None:
    """Compute a new PodGroup's priority."""
    _admit_group(request, lookup, gates, "pod group")


def admit_composite_pod_group(
    request: AdmissionRequest, lookup: Lookup, gates: FeatureGates
) -> None:
    """Compute a new CompositePodGroup's priority."""
    _admit_group(request, lookup, gates, "composite pod group")


def only_one_default(request: AdmissionRequest, lookup: Lookup, _gates: FeatureGates) -> None:
    """Refuse a second PriorityClass that is the global default."""
    if not request.obj.get("globalDefault"):
        return
    default = lookup.default_priority_class()
    if default is not None and default.name != request.name:
        raise request.refuse(
            f"PriorityClass {default.name} is already marked as default. Only one default can exist"
        )


def _admit_group(request: AdmissionRequest, lookup: Lookup, gates: FeatureGates, what: str) -> None:
    spec = request.obj.get("spec")
    if spec is None:
        spec = request.obj["spec"] = {}
    value, policy = _resolve(request, lookup, spec)
    given = spec.get("priority")
    if given is not None and given != value:
        raise request.refuse(
            f"priority set in the {what} ({given}) must match the priority computed ({value}) "
            "based on the priority class set in the spec"
        )
    spec["priority"] = value
    if gates.enabled_if_known("PodGroupPreemptionPolicy"):
        _check_policy(request, spec, policy, what)
        spec["preemptionPolicy"] = policy


def _resolve(request: AdmissionRequest, lookup: Lookup, spec: JsonObject) -> tuple[int, str]:
    """Return value and policy of the class that the spec names, or of the global default."""
    name = spec.get("priorityClassName")
    if name:
        found = lookup.priority_class(name)
        if found is None:
            raise request.refuse(f"no PriorityClass with name {name} was found")
        return found.value, found.preemption_policy
    default = lookup.default_priority_class()
    if default is None:
        return 0, _LOWER
    spec["priorityClassName"] = default.name
    return default.value, default.preemption_policy


def _check_policy(request: AdmissionRequest, spec: JsonObject, policy: str, what: str) -> None:
    given = spec.get("preemptionPolicy")
    if given is not None and given != policy:
        raise request.refuse(
            f"the string value of PreemptionPolicy ({given}) must not be provided in {what} "
            f"spec; priority admission controller computed {policy} from the given "
            "PriorityClass name"
        )
