"""Which rules the kinds of the resource group have.

Pure: data only.
"""

from __future__ import annotations

from collections.abc import Mapping

from kubegang.api.validation.devices import claims, slices, taintrules
from kubegang.api.validation.kinds import KindRules
from kubegang.api.validation.metadata import MetadataRules
from kubegang.apimachinery.names import is_dns1123_subdomain
from kubegang.apimachinery.objects import GroupVersionKind

_NAMED = MetadataRules(is_dns1123_subdomain)

_GROUP = "resource.k8s.io"

DEVICE_RULES: Mapping[GroupVersionKind, KindRules] = {
    GroupVersionKind(_GROUP, "v1", "DeviceClass"): KindRules(
        _NAMED, create=claims.validate_device_class, update=claims.validate_device_class_update
    ),
    **{
        GroupVersionKind(_GROUP, version, "DeviceTaintRule"): KindRules(
            _NAMED,
            create=taintrules.validate_taint_rule,
            update=taintrules.validate_taint_rule_update,
            status=taintrules.validate_taint_rule_status,
        )
        for version in ("v1", "v1beta2", "v1alpha3")
    },
    GroupVersionKind(_GROUP, "v1", "ResourceClaim"): KindRules(
        _NAMED,
        create=claims.validate_claim,
        update=claims.validate_claim_update,
        status=claims.validate_claim_status,
    ),
    GroupVersionKind(_GROUP, "v1", "ResourceClaimTemplate"): KindRules(
        _NAMED, create=claims.validate_template, update=claims.validate_template_update
    ),
    GroupVersionKind(_GROUP, "v1", "ResourceSlice"): KindRules(
        _NAMED, create=slices.validate_slice, update=slices.validate_slice_update
    ),
}
"""Rules by kind; whether objects live in a namespace is the resource rows' to say."""
