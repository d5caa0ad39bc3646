"""Workload of v1beta1 and v1alpha3 (1.37): its rows, and what rows cannot say.

The four rules over the whole tree of templates: names are unique, at most four levels, one
priority for all, no composite template without children.

Pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from kubegang.api.validation.checks import Errors
from kubegang.api.validation.declarative import (
    Field,
    Struct,
    long_name,
    short_name,
    validate_struct,
)
from kubegang.api.validation.internal_form import invalid_form
from kubegang.api.validation.scheduling import blocks
from kubegang.apimachinery.field import Path, duplicate, invalid_value
from kubegang.apimachinery.names import is_path_segment_name
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.feature_gates import FeatureGates

_SPEC = Path("spec")
_MAX_DEPTH = 4

_LEAVES = "podGroupTemplates"
_COMPOSITES = "compositePodGroupTemplates"

CONTROLLER_REF = Struct(
    Field(name="apiGroup", text=long_name),
    Field(name="kind", required=True, text=is_path_segment_name),
    Field(name="name", required=True, text=is_path_segment_name),
)

_TEMPLATE = Struct(
    Field(name="name", required=True, text=short_name),
    Field(name="schedulingPolicy", struct=blocks.POLICY),
    Field(
        name="schedulingConstraints",
        pointer=True,
        gate=blocks.TOPOLOGY_GATE,
        immutable=True,
        struct=blocks.CONSTRAINTS,
        explicit_null=True,
    ),
    blocks.claims_field(),
    blocks.disruption_field(required=False),
    blocks.PRIORITY_CLASS_NAME,
    blocks.PRIORITY,
    blocks.PREEMPTION_POLICY,
)

_COMPOSITE_TEMPLATE = Struct(
    Field(name="name", required=True, text=short_name),
    Field(name="schedulingPolicy", struct=blocks.COMPOSITE_POLICY),
    Field(name="schedulingConstraints", pointer=True, immutable=True, struct=blocks.CONSTRAINTS),
    blocks.disruption_field(required=False),
    blocks.PRIORITY_CLASS_NAME,
    blocks.PRIORITY,
    blocks.PREEMPTION_POLICY,
)


def _templates_field(name: str, struct: Struct, *, gate: str = "") -> Field:
    return Field(
        name=name,
        is_list=True,
        key="name",
        gate=gate,
        max_items=blocks.MAX_TEMPLATES,
        fixed_items=True,
        struct=struct,
    )


_COMPOSITE_TEMPLATE.extend(
    _templates_field(_LEAVES, _TEMPLATE),
    _templates_field(_COMPOSITES, _COMPOSITE_TEMPLATE),
)

_WORKLOAD = Struct(
    Field(name="controllerRef", pointer=True, immutable=True, struct=CONTROLLER_REF),
    _templates_field(_LEAVES, _TEMPLATE),
    _templates_field(_COMPOSITES, _COMPOSITE_TEMPLATE, gate=blocks.COMPOSITE_GATE),
    union=(_LEAVES, _COMPOSITES),
)


def validate_workload(workload: JsonObject, gates: FeatureGates) -> Errors:
    """Check a new Workload."""
    spec = workload.get("spec") or {}
    yield from _tree(spec)
    yield from validate_struct(_WORKLOAD, spec, None, path=_SPEC, gates=gates, updating=False)


def validate_workload_update(new: JsonObject, old: JsonObject, gates: FeatureGates) -> Errors:
    """Check a changed Workload: templates may be re-ordered, and gang minimums may move."""
    spec = new.get("spec") or {}
    yield from _tree(spec)
    yield from validate_struct(
        _WORKLOAD, spec, old.get("spec") or {}, path=_SPEC, gates=gates, updating=True
    )


def _tree(spec: JsonObject) -> Errors:
    names = {leaf.get("name") for leaf in _leaves(spec)}
    yield from _unique_names(_composites(spec), _SPEC, names)
    yield from _depth(spec)
    yield from _one_priority(spec)
    yield from _children(_composites(spec), _SPEC)


def _leaves(parent: JsonObject) -> Sequence[JsonObject]:
    return parent.get(_LEAVES) or ()


def _composites(parent: JsonObject) -> Sequence[JsonObject]:
    return parent.get(_COMPOSITES) or ()


def _unique_names(templates: Sequence[JsonObject], parent: Path, names: set[Any]) -> Errors:
    """Check names across lists; inside one list the row's own rule reports them."""
    yield from _names_of_list(templates, parent.child(_COMPOSITES), names)
    for position, template in enumerate(templates):
        path = parent.child(_COMPOSITES).index(position)
        yield from _names_of_list(_leaves(template), path.child(_LEAVES), names)
        yield from _unique_names(_composites(template), path, names)


def _names_of_list(templates: Sequence[JsonObject], path: Path, names: set[Any]) -> Errors:
    for position, template in enumerate(templates):
        if template.get("name") in names:
            yield duplicate(path.index(position).child("name"), template.get("name") or "")
    names.update(template.get("name") for template in templates)


def _depth(spec: JsonObject) -> Errors:
    for position, template in enumerate(_composites(spec)):
        if _levels(template) >= _MAX_DEPTH:
            yield invalid_form(
                _SPEC.child(_COMPOSITES).index(position),
                "[CompositePodGroupTemplate]",
                template.get(_COMPOSITES),
                f"maximum template hierarchy depth is {_MAX_DEPTH}",
            )


def _levels(template: JsonObject) -> int:
    return 1 + max(map(_levels, _composites(template)), default=0)


def _one_priority(spec: JsonObject) -> Errors:
    flat = {_priority(leaf) for leaf in _leaves(spec)}
    if len(flat) > 1:
        yield invalid_value(_SPEC, None, "detected multiple priority configurations")
        return
    flat.update(_priority(template) for template in _all_templates(_composites(spec)))
    if len(flat) > 1:
        detail = (
            "all priority and priorityClassName values must be identical, detected multiple values"
        )
        yield invalid_value(_SPEC, None, detail)


def _priority(template: JsonObject) -> tuple[str, int | None]:
    return template.get("priorityClassName") or "", template.get("priority")


def _all_templates(templates: Sequence[JsonObject]) -> Iterator[JsonObject]:
    for template in templates:
        yield template
        yield from _leaves(template)
        yield from _all_templates(_composites(template))


def _children(templates: Sequence[JsonObject], parent: Path) -> Errors:
    for position, template in enumerate(templates):
        path = parent.child(_COMPOSITES).index(position)
        if not _leaves(template) and not _composites(template):
            detail = "must have at least one child PodGroupTemplate or CompositePodGroupTemplate"
            yield invalid_value(path, template.get("name") or "", detail)
        yield from _children(_composites(template), path)
