"""The structs that PodGroups, composite groups, templates and Jobs are made of.

Rows of v1beta1 and v1alpha3, which are the same (1.37); ``v1alpha2`` has its own.

Pure: data only.
"""

from __future__ import annotations

from kubegang.api.validation.declarative import Field, Struct, long_name, short_name
from kubegang.apimachinery.names import is_qualified_name

MAX_PRIORITY = 1_000_000_000
MAX_CLAIMS = 4
MAX_TEMPLATES = 8

TOPOLOGY_GATE = "TopologyAwareWorkloadScheduling"
CLAIMS_GATE = "DRAWorkloadResourceClaims"
PREEMPTION_GATE = "PodGroupPreemptionPolicy"
COMPOSITE_GATE = "CompositePodGroup"

_TOPOLOGY_CONSTRAINT = Struct(Field(name="key", required=True, text=is_qualified_name))

CONSTRAINTS = Struct(Field(name="topology", is_list=True, max_items=1, struct=_TOPOLOGY_CONSTRAINT))

CLAIM = Struct(
    Field(name="name", required=True, text=short_name),
    Field(name="resourceClaimName", pointer=True, text=long_name),
    Field(name="resourceClaimTemplateName", pointer=True, text=long_name),
    union=("resourceClaimName", "resourceClaimTemplateName"),
)

CLAIM_STATUS = Struct(
    Field(name="name"),
    Field(name="resourceClaimName", pointer=True, text=long_name),
)

DISRUPTION_MODE = Struct(
    Field(name="single", pointer=True),
    Field(name="all", pointer=True),
    union=("single", "all"),
)


def policy(*, count: str) -> Struct:
    """Return the rules of a scheduling policy whose gang counts in the field ``count``.

    The variant is frozen at creation; the gang's minimum may change.
    """
    gang = Struct(Field(name=count, required=True, minimum=1))
    return Struct(
        Field(name="basic", pointer=True, immutable=True),
        Field(name="gang", pointer=True, set_once=True, struct=gang),
        union=("basic", "gang"),
    )


POLICY = policy(count="minCount")
COMPOSITE_POLICY = policy(count="minGroupCount")

PRIORITY_CLASS_NAME = Field(name="priorityClassName", immutable=True, text=long_name)
PRIORITY = Field(name="priority", pointer=True, immutable=True, maximum=MAX_PRIORITY)
PREEMPTION_POLICY = Field(
    name="preemptionPolicy",
    pointer=True,
    gate=PREEMPTION_GATE,
    immutable=True,
    allowed=("Never", "PreemptLowerPriority"),
)


def claims_field() -> Field:
    """Return the row of a list of resource claims; it is frozen as a whole."""
    return Field(
        name="resourceClaims",
        is_list=True,
        key="name",
        max_items=MAX_CLAIMS,
        immutable=True,
        struct=CLAIM,
    )


def disruption_field(*, required: bool) -> Field:
    """Return the row of a disruption mode: required once defaults have filled it in."""
    return Field(
        name="disruptionMode",
        pointer=True,
        required=required,
        immutable=True,
        struct=DISRUPTION_MODE,
    )
