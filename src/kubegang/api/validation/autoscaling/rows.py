"""Which rules HorizontalPodAutoscalers have, the same in both versions.

Pure: data only.
"""

from __future__ import annotations

from collections.abc import Mapping

from kubegang.api.validation.autoscaling import autoscalers
from kubegang.api.validation.kinds import KindRules
from kubegang.api.validation.metadata import MetadataRules
from kubegang.apimachinery.names import is_dns1123_subdomain
from kubegang.apimachinery.objects import GroupVersionKind

_RULES = KindRules(
    MetadataRules(is_dns1123_subdomain),
    create=autoscalers.validate_autoscaler,
    update=autoscalers.validate_autoscaler_update,
    status=autoscalers.validate_autoscaler_status,
)

AUTOSCALING_RULES: Mapping[GroupVersionKind, KindRules] = {
    GroupVersionKind("autoscaling", version, "HorizontalPodAutoscaler"): _RULES
    for version in ("v1", "v2")
}
