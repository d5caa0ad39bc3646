"""Which rules the kinds of networking.k8s.io have.

Pure.
"""

from __future__ import annotations

from collections.abc import Mapping

from kubegang.api.validation.kinds import KindRules
from kubegang.api.validation.metadata import MetadataRules
from kubegang.api.validation.networking import classes, ingresses, policies
from kubegang.apimachinery.names import is_dns1123_subdomain
from kubegang.apimachinery.objects import GroupVersionKind

_GROUP = "networking.k8s.io"
_NAMED = MetadataRules(is_dns1123_subdomain)


NETWORKING_RULES: Mapping[GroupVersionKind, KindRules] = {
    GroupVersionKind(_GROUP, "v1", "Ingress"): KindRules(
        _NAMED,
        create=ingresses.validate_ingress,
        update=ingresses.validate_ingress_update,
        status=ingresses.validate_ingress_status,
        metadata_as_new=True,
    ),
    GroupVersionKind(_GROUP, "v1", "IngressClass"): KindRules(
        _NAMED,
        create=classes.validate_ingress_class,
        update=classes.validate_ingress_class_update,
        metadata_as_new=True,
    ),
    GroupVersionKind(_GROUP, "v1", "NetworkPolicy"): KindRules(
        _NAMED,
        create=policies.validate_network_policy,
        update=policies.validate_network_policy_update,
    ),
}
