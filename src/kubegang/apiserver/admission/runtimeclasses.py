"""RuntimeClass: a pod gets the overhead, the node selector and the tolerations of its class.

Texts and the order of tolerations measured on 1.37.2.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.quantity import Quantity
from kubegang.apiserver.admission.request import AdmissionRequest, Lookup
from kubegang.base.feature_gates import FeatureGates

_OTHER_OVERHEAD = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead"
_NO_OVERHEAD = "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead"


def fill_in_class(request: AdmissionRequest, lookup: Lookup, _gates: FeatureGates) -> None:
    """Give a new pod what its class says.

    Raises:
        ForbiddenError: there is no such class, or the pod says something else.
    """
    spec = request.obj["spec"]
    runtime_class = _class_of(request, lookup)
    fixed = _overhead_of(runtime_class)
    if fixed:
        if spec.get("overhead") and not _same(spec["overhead"], fixed):
            raise request.refuse(_OTHER_OVERHEAD)
        spec["overhead"] = dict(fixed)
    scheduling = (runtime_class or {}).get("scheduling")
    if scheduling is not None:
        _select_nodes(request, scheduling.get("nodeSelector") or {})
        tolerations = [*(spec.get("tolerations") or ()), *(scheduling.get("tolerations") or ())]
        if tolerations:
            spec["tolerations"] = merged_tolerations(tolerations)


def check_overhead(request: AdmissionRequest, lookup: Lookup, _gates: FeatureGates) -> None:
    """Refuse a pod whose overhead is not that of its class.

    Raises:
        ForbiddenError: it is not.
    """
    overhead, fixed = request.obj["spec"].get("overhead"), None
    if request.obj["spec"].get("runtimeClassName"):
        fixed = _overhead_of(_class_of(request, lookup))
    if fixed and not _same(overhead or {}, fixed):
        raise request.refuse(_OTHER_OVERHEAD)
    if overhead and not fixed:
        raise request.refuse(_NO_OVERHEAD)


def merged_tolerations(tolerations: Sequence[JsonObject]) -> list[JsonObject]:
    """Return tolerations without those that another one includes; of equals the first stays."""
    merged: list[JsonObject] = []
    for position, toleration in enumerate(tolerations):
        later = [one for one in tolerations[position + 1 :] if one != toleration]
        if not any(_includes(other, toleration) for other in (*merged, *later)):
            merged.append(toleration)
    return merged


def _includes(wide: JsonObject, narrow: JsonObject) -> bool:
    """Return whether one toleration tolerates all that another one does."""
    if wide == narrow:
        return True
    operator, narrow_operator = wide.get("operator") or "Equal", narrow.get("operator") or "Equal"
    any_key = not wide.get("key") and operator == "Exists"
    if not any_key and (wide.get("key") or "") != (narrow.get("key") or ""):
        return False
    if wide.get("effect") and wide["effect"] != narrow.get("effect"):
        return False
    limit, seconds = wide.get("tolerationSeconds"), narrow.get("tolerationSeconds")
    shorter = limit is not None and (seconds is None or seconds > limit)
    if wide.get("effect") == "NoExecute" and shorter:
        return False
    if operator == "Equal":
        same = (wide.get("value") or "") == (narrow.get("value") or "")
        return narrow_operator == "Equal" and same
    return operator == "Exists"


def _class_of(request: AdmissionRequest, lookup: Lookup) -> JsonObject | None:
    name = request.obj["spec"].get("runtimeClassName")
    if not name:
        return None
    runtime_class = lookup.runtime_class(name)
    if runtime_class is None:
        raise request.refuse(f'pod rejected: RuntimeClass "{name}" not found')
    return runtime_class


def _select_nodes(request: AdmissionRequest, wanted: Mapping[str, str]) -> None:
    spec = request.obj["spec"]
    selector = spec.get("nodeSelector") or {}
    for key, value in wanted.items():
        if selector.get(key, value) != value:
            raise request.refuse(
                f"conflict: runtimeClass.scheduling.nodeSelector[{key}] = {value}; "
                f"pod.spec.nodeSelector[{key}] = {selector[key]}"
            )
    if wanted:
        spec["nodeSelector"] = {**selector, **wanted}


def _overhead_of(runtime_class: JsonObject | None) -> Mapping[str, str]:
    fixed: Mapping[str, str] = ((runtime_class or {}).get("overhead") or {}).get("podFixed") or {}
    return fixed


def _same(amounts: Mapping[str, Any], others: Mapping[str, Any]) -> bool:
    return _canonical(amounts) == _canonical(others)


def _canonical(amounts: Mapping[str, Any]) -> dict[str, str]:
    return {name: Quantity.parse(amount).canonical() for name, amount in amounts.items()}
