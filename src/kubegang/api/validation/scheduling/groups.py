"""PodGroup and CompositePodGroup of v1beta1 and v1alpha3 (1.37).

Pure.
"""

from __future__ import annotations

from collections.abc import Sequence

from kubegang.api.validation.checks import Errors
from kubegang.api.validation.conditions import validate_conditions
from kubegang.api.validation.declarative import (
    Field,
    Struct,
    long_name,
    short_name,
    validate_struct,
)
from kubegang.api.validation.scheduling import blocks
from kubegang.apimachinery.field import Path, invalid_value, required
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.feature_gates import FeatureGates

_SPEC = Path("spec")
_STATUS = Path("status")

_WORKLOAD_REF = Struct(
    Field(name="workloadName", required=True, text=long_name),
    Field(name="templateName", required=True, text=short_name),
)

_POD_GROUP = Struct(
    Field(
        name="parentCompositePodGroupName",
        pointer=True,
        gate=blocks.COMPOSITE_GATE,
        immutable=True,
        text=long_name,
    ),
    Field(name="workloadRef", pointer=True, immutable=True, struct=_WORKLOAD_REF),
    Field(name="schedulingPolicy", struct=blocks.POLICY),
    Field(
        name="schedulingConstraints",
        pointer=True,
        gate=blocks.TOPOLOGY_GATE,
        immutable_with_gate=True,
        struct=blocks.CONSTRAINTS,
    ),
    blocks.claims_field(),
    blocks.disruption_field(required=True),
    blocks.PRIORITY_CLASS_NAME,
    blocks.PRIORITY,
    blocks.PREEMPTION_POLICY,
)

_COMPOSITE = Struct(
    Field(name="parentCompositePodGroupName", pointer=True, immutable=True, text=long_name),
    Field(name="workloadRef", pointer=True, required=True, immutable=True, struct=_WORKLOAD_REF),
    Field(name="schedulingPolicy", immutable=True, struct=blocks.COMPOSITE_POLICY),
    Field(name="schedulingConstraints", pointer=True, immutable=True, struct=blocks.CONSTRAINTS),
    blocks.disruption_field(required=True),
    blocks.PRIORITY_CLASS_NAME,
    blocks.PRIORITY,
    blocks.PREEMPTION_POLICY,
)

_CLAIM_STATUSES = Struct(
    Field(
        name="resourceClaimStatuses",
        is_list=True,
        key="name",
        max_items=blocks.MAX_CLAIMS,
        struct=blocks.CLAIM_STATUS,
    )
)


def validate_pod_group(group: JsonObject, gates: FeatureGates) -> Errors:
    """Check a new PodGroup."""
    spec = group.get("spec") or {}
    # Written by hand upstream, and only on create: the tag for it is not enforced in 1.37.
    if spec.get("parentCompositePodGroupName") is not None and spec.get("workloadRef") is None:
        detail = "must be set when parentCompositePodGroupName is set"
        yield required(_SPEC.child("workloadRef"), detail)
    yield from validate_struct(_POD_GROUP, spec, None, path=_SPEC, gates=gates, updating=False)


def validate_pod_group_update(new: JsonObject, old: JsonObject, gates: FeatureGates) -> Errors:
    """Check a changed PodGroup: only the gang's minimum may move."""
    yield from validate_struct(
        _POD_GROUP,
        new.get("spec") or {},
        old.get("spec") or {},
        path=_SPEC,
        gates=gates,
        updating=True,
    )


def validate_composite(group: JsonObject, gates: FeatureGates) -> Errors:
    """Check a new CompositePodGroup."""
    yield from validate_struct(
        _COMPOSITE, group.get("spec") or {}, None, path=_SPEC, gates=gates, updating=False
    )


def validate_composite_update(new: JsonObject, old: JsonObject, gates: FeatureGates) -> Errors:
    """Check a changed CompositePodGroup, whose spec is frozen."""
    yield from validate_struct(
        _COMPOSITE,
        new.get("spec") or {},
        old.get("spec") or {},
        path=_SPEC,
        gates=gates,
        updating=True,
    )


def validate_pod_group_status(new: JsonObject, old: JsonObject, gates: FeatureGates) -> Errors:
    """Check a PodGroup's conditions and the claims made for it."""
    status = new.get("status") or {}
    yield from validate_conditions(status.get("conditions") or (), _STATUS.child("conditions"))
    claims = (new.get("spec") or {}).get("resourceClaims") or ()
    yield from _claims_known(status.get("resourceClaimStatuses") or (), claims)
    yield from validate_struct(
        _CLAIM_STATUSES,
        status,
        old.get("status") or {},
        path=_STATUS,
        gates=gates,
        updating=True,
    )


def validate_composite_status(new: JsonObject, _old: JsonObject, _gates: FeatureGates) -> Errors:
    """Check a CompositePodGroup's conditions."""
    conditions = (new.get("status") or {}).get("conditions") or ()
    yield from validate_conditions(conditions, _STATUS.child("conditions"))


def _claims_known(statuses: Sequence[JsonObject], claims: Sequence[JsonObject]) -> Errors:
    names = {claim.get("name") for claim in claims}
    for position, status in enumerate(statuses):
        name = status.get("name") or ""
        if name not in names:
            detail = "must match the name of an entry in `spec.resourceClaims`"
            path = _STATUS.child("resourceClaimStatuses").index(position).child("name")
            yield invalid_value(path, name, detail)
