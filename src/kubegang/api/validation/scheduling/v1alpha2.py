"""PodGroup and Workload of v1alpha2 (1.36).

Policies are frozen altogether, templates as one list; the disruption mode is a word.

Pure.
"""

from __future__ import annotations

from kubegang.api.validation.checks import Errors
from kubegang.api.validation.declarative import (
    Field,
    Struct,
    long_name,
    short_name,
    validate_struct,
)
from kubegang.api.validation.scheduling import blocks
from kubegang.api.validation.scheduling.workloads import CONTROLLER_REF
from kubegang.apimachinery.field import Path
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.feature_gates import FeatureGates

_SPEC = Path("spec")
_PREEMPTION_GATE = "WorkloadAwarePreemption"

_GANG = Struct(Field(name="minCount", required=True, minimum=1))
_POLICY = Struct(
    Field(name="basic", pointer=True),
    Field(name="gang", pointer=True, struct=_GANG),
    union=("basic", "gang"),
)

_WORKLOAD_MEMBER = Struct(
    Field(name="workloadName", required=True, text=long_name),
    Field(name="podGroupTemplateName", required=True, text=short_name),
)
_TEMPLATE_REF = Struct(
    Field(name="workload", pointer=True, struct=_WORKLOAD_MEMBER), union=("workload",)
)


def _preemption_fields(*, immutable: bool) -> tuple[Field, ...]:
    """Return the rows that need the gate of workload-aware preemption (KEP-5710)."""
    return (
        Field(
            name="disruptionMode",
            pointer=True,
            gate=_PREEMPTION_GATE,
            filled_in="Pod",
            immutable_with_gate=immutable,
            allowed=("Pod", "PodGroup"),
        ),
        Field(
            name="priorityClassName",
            gate=_PREEMPTION_GATE,
            immutable_with_gate=immutable,
            text=long_name,
        ),
        Field(
            name="priority",
            pointer=True,
            gate=_PREEMPTION_GATE,
            immutable_with_gate=immutable,
            maximum=blocks.MAX_PRIORITY,
        ),
    )


_POD_GROUP = Struct(
    Field(name="podGroupTemplateRef", pointer=True, immutable=True, struct=_TEMPLATE_REF),
    Field(name="schedulingPolicy", immutable=True, struct=_POLICY),
    Field(
        name="schedulingConstraints",
        pointer=True,
        gate=blocks.TOPOLOGY_GATE,
        immutable_with_gate=True,
        struct=blocks.CONSTRAINTS,
    ),
    blocks.claims_field(),
    *_preemption_fields(immutable=True),
)

_TEMPLATE = Struct(
    Field(name="name", required=True, text=short_name),
    Field(name="schedulingPolicy", struct=_POLICY),
    Field(
        name="schedulingConstraints",
        pointer=True,
        gate=blocks.TOPOLOGY_GATE,
        struct=blocks.CONSTRAINTS,
        explicit_null=True,
    ),
    blocks.claims_field(),
    *_preemption_fields(immutable=False),
)

_WORKLOAD = Struct(
    Field(name="controllerRef", pointer=True, immutable=True, struct=CONTROLLER_REF),
    Field(
        name="podGroupTemplates",
        is_list=True,
        key="name",
        required=True,
        immutable=True,
        max_items=blocks.MAX_TEMPLATES,
        struct=_TEMPLATE,
    ),
)


def validate_pod_group(group: JsonObject, gates: FeatureGates) -> Errors:
    """Check a new PodGroup."""
    yield from _rows(_POD_GROUP, group, None, gates)


def validate_pod_group_update(new: JsonObject, old: JsonObject, gates: FeatureGates) -> Errors:
    """Check a changed PodGroup, whose spec is frozen."""
    yield from _rows(_POD_GROUP, new, old, gates)


def validate_workload(workload: JsonObject, gates: FeatureGates) -> Errors:
    """Check a new Workload."""
    yield from _rows(_WORKLOAD, workload, None, gates)


def validate_workload_update(new: JsonObject, old: JsonObject, gates: FeatureGates) -> Errors:
    """Check a changed Workload, whose spec is frozen."""
    yield from _rows(_WORKLOAD, new, old, gates)


def _rows(rules: Struct, new: JsonObject, old: JsonObject | None, gates: FeatureGates) -> Errors:
    yield from validate_struct(
        rules,
        new.get("spec") or {},
        None if old is None else old.get("spec") or {},
        path=_SPEC,
        gates=gates,
        updating=old is not None,
    )
