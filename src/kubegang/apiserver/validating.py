"""What is wrong with an object that is about to be stored, or odd about it. Pure."""

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
from kubegang.api.warning_rules import NEWEST_WARNING_RULES, WarningRules
from kubegang.api.warnings import table as warning_table
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
    special = rules_of(info.group_resource)
    rules = special.validity
    if of_status or subresource in special.own_subresources:
        return validate_status_update(
            new, old, info.gvk, gates, subresource=subresource, rules=rules, release=release
        )
    return validate_update(new, old, info.gvk, gates, rules=rules, release=release)


def early_warnings(obj: JsonObject, info: ResourceInfo) -> list[str]:
    """Return what whoever creates an object is warned of, even if it is refused in the end."""
    warnings = rules_of(info.group_resource).early_warnings
    return [] if warnings is None else list(warnings(obj))


def create_warnings(
    obj: JsonObject, info: ResourceInfo, *, release: WarningRules = NEWEST_WARNING_RULES
) -> list[str]:
    """Return what whoever creates a valid object is warned of."""
    if custom_of(info):
        return object_warnings(obj, None)
    warnings = rules_of(info.group_resource).warnings
    if warnings is not None:
        return warnings(obj, None)
    return warning_table.create_warnings(obj, info.group_resource, release)


def update_warnings(
    new: JsonObject,
    old: JsonObject,
    info: ResourceInfo,
    *,
    subresource: str,
    release: WarningRules = NEWEST_WARNING_RULES,
) -> list[str]:
    """Return what whoever changes a valid object is warned of, given the stored one."""
    if custom_of(info):
        return object_warnings(new, old)
    warnings = rules_of(info.group_resource).warnings
    if warnings is not None:
        return warnings(new, old)
    return warning_table.update_warnings(
        new, old, info.group_resource, subresource=subresource, rules=release
    )
