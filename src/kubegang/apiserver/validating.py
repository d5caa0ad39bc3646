"""What is wrong with an object that is about to be stored, by the rules of its kind. Pure."""

from __future__ import annotations

from kubegang.api.customresources.rows import custom_of
from kubegang.api.customresources.warnings import object_warnings
from kubegang.api.scheme import ResourceInfo
from kubegang.api.validation.table import (
    validate_create,
    validate_status_update,
    validate_update,
)
from kubegang.api.validation_rules import NEWEST_VALIDATION_RULES, ValidationRules
from kubegang.apimachinery.field import FieldError
from kubegang.apimachinery.objects import JsonObject
from kubegang.apiserver.strategies.table import rules_of
from kubegang.base.feature_gates import FeatureGates


def create_errors(
    obj: JsonObject,
    info: ResourceInfo,
    gates: FeatureGates,
    *,
    release: ValidationRules = NEWEST_VALIDATION_RULES,
) -> list[FieldError]:
    """Return what is wrong with a new object."""
    if custom := custom_of(info):
        return custom.create_errors(obj)
    rules = rules_of(info.group_resource).validity
    return validate_create(obj, info.gvk, gates, rules=rules, release=release)


def update_errors(
    new: JsonObject,
    old: JsonObject,
    info: ResourceInfo,
    gates: FeatureGates,
    *,
    subresource: str,
    release: ValidationRules = NEWEST_VALIDATION_RULES,
) -> list[FieldError]:
    """Return what is wrong with a changed object, given the stored one."""
    of_status = subresource == "status"
    if custom := custom_of(info):
        return custom.status_errors(new, old) if of_status else custom.update_errors(new, old)
    rules = rules_of(info.group_resource).validity
    validate = validate_status_update if of_status else validate_update
    return validate(new, old, info.gvk, gates, rules=rules, release=release)


def warnings_of(new: JsonObject, old: JsonObject | None, info: ResourceInfo) -> list[str]:
    """Return what whoever writes a valid object is warned of."""
    if custom_of(info):
        return object_warnings(new, old)
    warnings = rules_of(info.group_resource).warnings
    return [] if warnings is None else warnings(new, old)
