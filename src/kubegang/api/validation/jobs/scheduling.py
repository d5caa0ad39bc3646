"""Gang scheduling of a Job (KEP-5547): ``spec.scheduling`` of 1.37.

Pure.
"""

from __future__ import annotations

from kubegang.api.validation.checks import Errors
from kubegang.api.validation.declarative import Field, Struct, validate_struct
from kubegang.api.validation.scheduling import blocks
from kubegang.apimachinery.field import Path, invalid_value
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.feature_gates import FeatureGates

JOB_GATE = "WorkloadWithJob"

_JOB_SPEC = Path("spec")

# Unlike that of a PodGroup, the gang of a Job may leave its minimum open: it is then the
# parallelism.
_GANG = Struct(Field(name="minCount", pointer=True, minimum=1))

_POLICY = Struct(
    Field(name="basic", pointer=True),
    Field(name="gang", pointer=True, struct=_GANG),
    union=("basic", "gang"),
)

_SCHEDULING = Struct(
    Field(name="schedulingPolicy", pointer=True, set_once=True, struct=_POLICY),
    Field(name="schedulingConstraints", pointer=True, immutable=True, struct=blocks.CONSTRAINTS),
    blocks.disruption_field(required=False),
    blocks.claims_field(),
)

_SPEC = Struct(
    Field(name="scheduling", pointer=True, gate=JOB_GATE, set_once=True, struct=_SCHEDULING)
)


def validate_scheduling(spec: JsonObject, path: Path) -> Errors:
    """Check what rows cannot say: the gang against the parallelism, mode against policy."""
    scheduling = spec.get("scheduling")
    if scheduling is None:
        return
    where, policy = path.child("scheduling"), scheduling.get("schedulingPolicy")
    minimum = ((policy or {}).get("gang") or {}).get("minCount")
    parallelism = 1 if spec.get("parallelism") is None else spec["parallelism"]
    if minimum is not None and minimum > parallelism:
        detail = f"must not be greater than parallelism ({parallelism})"
        yield invalid_value(where.child("schedulingPolicy", "gang", "minCount"), minimum, detail)
    basic = not policy or policy.get("basic") is not None
    if basic and (scheduling.get("disruptionMode") or {}).get("all") is not None:
        detail = "the disruptionMode `all` is not supported with the Basic scheduling policy"
        yield invalid_value(where.child("disruptionMode"), "", detail)


def validate_scheduling_update(spec: JsonObject, old_spec: JsonObject, path: Path) -> Errors:
    """Check that a policy that stays does not turn from basic to gang or back."""
    policy = (spec.get("scheduling") or {}).get("schedulingPolicy")
    old_policy = (old_spec.get("scheduling") or {}).get("schedulingPolicy")
    if policy is None or old_policy is None:
        return
    if (policy.get("basic") is None) != (old_policy.get("basic") is None):
        detail = (
            "the basic/gang policy variant is immutable after creation; "
            "only schedulingPolicy.gang.minCount may be updated"
        )
        yield invalid_value(path.child("scheduling", "schedulingPolicy"), None, detail)


def validate_scheduling_rows(
    spec: JsonObject,
    old_spec: JsonObject | None,
    gates: FeatureGates,
    *,
    path: Path = _JOB_SPEC,
) -> Errors:
    """Check the rows, which come last in upstream's order."""
    if spec.get("scheduling") is None and (old_spec or {}).get("scheduling") is None:
        return
    yield from validate_struct(
        _SPEC, spec, old_spec, path=path, gates=gates, updating=old_spec is not None
    )
