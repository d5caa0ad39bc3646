"""Which rules the kinds of the core group have, and the few others that belong to them.

Pure: data only.
"""

from __future__ import annotations

from collections.abc import Mapping

from kubegang.api.validation.core import (
    endpoints,
    limitranges,
    persistentvolumeclaims,
    persistentvolumes,
    podtemplates,
    quotas,
    runtimeclasses,
    secrets,
    services,
)
from kubegang.api.validation.kinds import KindRules
from kubegang.api.validation.metadata import MetadataRules
from kubegang.apimachinery.names import is_dns1035_label, is_dns1123_label, is_dns1123_subdomain
from kubegang.apimachinery.objects import GroupVersionKind

_NAMED = MetadataRules(is_dns1123_subdomain)

CORE_RULES: Mapping[GroupVersionKind, KindRules] = {
    GroupVersionKind("", "v1", "PersistentVolume"): KindRules(
        _NAMED,
        create=persistentvolumes.validate_persistent_volume,
        update=persistentvolumes.validate_persistent_volume_update,
    ),
    GroupVersionKind("", "v1", "PersistentVolumeClaim"): KindRules(
        _NAMED,
        create=persistentvolumeclaims.validate_claim,
        update=persistentvolumeclaims.validate_claim_update,
        status=persistentvolumeclaims.validate_claim_status,
    ),
    GroupVersionKind("", "v1", "Secret"): KindRules(
        _NAMED, create=secrets.validate_secret, update=secrets.validate_secret_update
    ),
    GroupVersionKind("", "v1", "Service"): KindRules(
        MetadataRules(is_dns1123_label),
        create=services.validate_service,
        update=services.validate_service_update,
        status=services.validate_service_status,
        strict_name=("RelaxedServiceNameValidation", is_dns1035_label),
    ),
    GroupVersionKind("", "v1", "Endpoints"): KindRules(
        _NAMED,
        create=endpoints.validate_endpoints,
        update=endpoints.validate_endpoints_update,
    ),
    GroupVersionKind("discovery.k8s.io", "v1", "EndpointSlice"): KindRules(
        _NAMED,
        create=endpoints.validate_endpoint_slice,
        update=endpoints.validate_endpoint_slice_update,
    ),
    GroupVersionKind("", "v1", "LimitRange"): KindRules(
        _NAMED,
        create=limitranges.validate_limit_range,
        update=limitranges.validate_limit_range_update,
    ),
    GroupVersionKind("", "v1", "ResourceQuota"): KindRules(
        _NAMED,
        create=quotas.validate_quota,
        update=quotas.validate_quota_update,
        status=quotas.validate_quota_status,
    ),
    GroupVersionKind("", "v1", "PodTemplate"): KindRules(
        _NAMED,
        create=podtemplates.validate_template,
        update=podtemplates.validate_template_update,
    ),
    GroupVersionKind("node.k8s.io", "v1", "RuntimeClass"): KindRules(
        _NAMED,
        create=runtimeclasses.validate_runtime_class,
        update=runtimeclasses.validate_runtime_class_update,
    ),
}
"""Rules by kind; whether objects live in a namespace is the resource rows' to say."""
