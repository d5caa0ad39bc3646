"""Fields of features that are switched off: dropped silently, before validation.

A field stays if the stored object already uses it, so that switching a gate off does not
destroy data; the rules say per gate which fields those are. Sources: the KEPs of the gates;
measured on 1.37.2 (label patches keep stored fields, no warning is ever sent).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from kubegang.api.canonical import canonicalize
from kubegang.api.dropping_rules import (
    JOB_RULES,
    KIND_RULES,
    POD_SPEC_PATHS,
    POD_SPEC_RULES,
    TEMPLATE_RULES,
    Rule,
)
from kubegang.apimachinery.objects import GroupVersionKind, JsonObject
from kubegang.base.feature_gates import FeatureGates

__all__ = ["canonicalize", "drop_disabled_fields"]


def drop_disabled_fields(
    new: JsonObject, old: JsonObject | None, gvk: GroupVersionKind, gates: FeatureGates
) -> None:
    """Drop from ``new``, in place, what the gates do not allow and ``old`` does not use.

    ``old`` is the stored object, ``None`` on create.
    """
    for path in POD_SPEC_PATHS.get((gvk.group, gvk.kind), ()):
        _apply(POD_SPEC_RULES, _at(new, path), _at(old, path), gates=gates)
    for path in _JOB_SPEC_PATHS.get((gvk.group, gvk.kind), ()):
        _apply(JOB_RULES, _at(new, path), _at(old, path), gates=gates)
    _apply(KIND_RULES.get((gvk.group, gvk.kind), ()), new, old, gates=gates)
    if (gvk.group, gvk.kind) == ("scheduling.k8s.io", "Workload"):
        _drop_in_workload(_at(new, "spec"), _at(old, "spec"), gates)


_JOB_SPEC_PATHS = {("batch", "Job"): ("spec",), ("batch", "CronJob"): ("spec.jobTemplate.spec",)}


def _off(gate: str, gates: FeatureGates) -> bool:
    # A gate that this release does not list is either locked on by now, or its fields do not
    # exist yet.
    return gate in gates and not gates.enabled(gate)


def _apply(
    rules: Sequence[Rule],
    new: JsonObject | None,
    old: JsonObject | None,
    *,
    gates: FeatureGates,
) -> None:
    if new is None:
        return
    for rule in rules:
        if _off(rule.gate, gates) and not _uses(old, rule.in_use or rule.fields):
            for field in rule.fields:
                _drop(new, field, rule)


def _drop(obj: JsonObject, field: str, rule: Rule) -> None:
    if rule.with_empty_parent:
        _drop_with_empty_parent(obj, field)
        return
    for parent, name in _holders(obj, field):
        if rule.becomes:
            parent[name] = rule.becomes
        else:
            parent.pop(name, None)


def _drop_with_empty_parent(obj: JsonObject, field: str) -> None:
    container, _, member = field.rpartition(".")
    for holder, name in _holders(obj, container):
        parent = holder.get(name)
        # One that was empty before stays, as it does upstream.
        if isinstance(parent, dict) and parent.pop(member, None) is not None and not parent:
            del holder[name]


def _uses(obj: JsonObject | None, fields: Sequence[str]) -> bool:
    """Return whether any of the fields is set; an empty list or map is not."""
    if obj is None:
        return False
    return any(
        parent.get(name) not in (None, [], "")
        for field in fields
        for parent, name in _holders(obj, field)
    )


def _holders(obj: JsonObject, field: str) -> Iterator[tuple[JsonObject, str]]:
    """Yield every object that holds the last member of a path, with that member's name.

    ``[]`` after a member stands for each of its items.
    """
    head, dot, rest = field.partition(".")
    if not dot:
        yield obj, head
        return
    if head.endswith("[]"):
        items = obj.get(head[:-2]) or ()
        children = [item for item in items if isinstance(item, dict)]
    else:
        child = obj.get(head)
        children = [child] if isinstance(child, dict) else []
    for child in children:
        yield from _holders(child, rest)


def _at(obj: JsonObject | None, path: str) -> JsonObject | None:
    """Return the object at a plain path, if it is there."""
    value: Any = obj
    for name in path.split("."):
        if not isinstance(value, dict):
            return None
        value = value.get(name)
    return value if isinstance(value, dict) else None


def _drop_in_workload(spec: JsonObject | None, old: JsonObject | None, gates: FeatureGates) -> None:
    """Drop in the templates of a Workload.

    PodGroup templates are compared with the stored ones by their place in the list, composite
    templates by name: upstream's rule, so re-ordering the former with a gate off loses fields.
    """
    if spec is None:
        return
    old = old or {}
    if _off("CompositePodGroup", gates) and not old.get("compositePodGroupTemplates"):
        spec.pop("compositePodGroupTemplates", None)
    old_templates = old.get("podGroupTemplates") or []
    for position, template in enumerate(spec.get("podGroupTemplates") or []):
        stored = old_templates[position] if position < len(old_templates) else None
        _apply(TEMPLATE_RULES, template, stored, gates=gates)
    by_name = {item.get("name"): item for item in old.get("compositePodGroupTemplates") or []}
    for template in spec.get("compositePodGroupTemplates") or []:
        stored = by_name.get(template.get("name"))
        _apply(_COMPOSITE_RULES, template, stored, gates=gates)
        _drop_in_workload(template, stored, gates)


# A composite template has no claims, and its topology constraint hangs on no gate of its own.
_COMPOSITE_RULES = tuple(rule for rule in TEMPLATE_RULES if rule.gate == "PodGroupPreemptionPolicy")
