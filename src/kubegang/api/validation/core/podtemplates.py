"""Pod templates as objects of their own.

Pure.
"""

from __future__ import annotations

from kubegang.api.validation.checks import Errors
from kubegang.api.validation.pods.create import validate_pod_template
from kubegang.apimachinery.field import Path
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.feature_gates import FeatureGates


def validate_template(template: JsonObject, gates: FeatureGates) -> Errors:
    """Check a new template."""
    yield from validate_pod_template(template.get("template") or {}, Path("template"), gates)


def validate_template_update(new: JsonObject, old: JsonObject, gates: FeatureGates) -> Errors:
    """Check a changed template: everything may change."""
    old_spec = (old.get("template") or {}).get("spec")
    path = Path("template")
    yield from validate_pod_template(new.get("template") or {}, path, gates, old_spec=old_spec)
