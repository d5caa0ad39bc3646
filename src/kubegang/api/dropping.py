"""Fields of features that are switched off: dropped silently, before validation.

A field stays if the stored object already uses it, so that switching a gate off does not
destroy data; the rules say per gate which fields those are. Sources: the KEPs of the gates;
measured on 1.37.2 (label patches keep stored fields, no warning is ever sent).
"""

from __future__ import annotations

from typing import Any

from kubegang.api.canonical import canonicalize
from kubegang.api.dropping_rules import (
    COMPOSITE_TEMPLATE_RULES,
    JOB_RULES,
    JOB_SPEC_PATHS,
    KIND_RULES,
    POD_SPEC_PATHS,
    POD_SPEC_RULES,
    TEMPLATE_RULES,
)
from kubegang.api.gated_fields import is_off
from kubegang.apimachinery.objects import GroupVersionKind, JsonObject
from kubegang.base.feature_gates import FeatureGates

__all__ = ["canonicalize", "drop_disabled_fields"]


def drop_disabled_fields(
    new: JsonObject, old: JsonObject | None, gvk: GroupVersionKind, gates: FeatureGates
) -> None:
    """Drop from ``new``, in place, what the gates do not allow and ``old`` does not use.

    ``old`` is the stored object, ``None`` on create.
    """
    key = (gvk.group, gvk.kind)
    for path in POD_SPEC_PATHS.get(key, ()):
        POD_SPEC_RULES.drop(_at(new, path), _at(old, path), gates)
    for path in JOB_SPEC_PATHS.get(key, ()):
        JOB_RULES.drop(_at(new, path), _at(old, path), gates)
    if key in KIND_RULES:
        KIND_RULES[key].drop(new, old, gates)
    if key == ("scheduling.k8s.io", "Workload"):
        _drop_in_workload(_at(new, "spec"), _at(old, "spec"), gates)


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
    if is_off("CompositePodGroup", gates) and not old.get("compositePodGroupTemplates"):
        spec.pop("compositePodGroupTemplates", None)
    old_templates = old.get("podGroupTemplates") or []
    for position, template in enumerate(spec.get("podGroupTemplates") or []):
        stored = old_templates[position] if position < len(old_templates) else None
        TEMPLATE_RULES.drop(template, stored, gates)
    by_name = {item.get("name"): item for item in old.get("compositePodGroupTemplates") or []}
    for template in spec.get("compositePodGroupTemplates") or []:
        stored = by_name.get(template.get("name"))
        COMPOSITE_TEMPLATE_RULES.drop(template, stored, gates)
        _drop_in_workload(template, stored, gates)
