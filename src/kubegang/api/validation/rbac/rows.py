"""Which rules roles and bindings have.

Pure: data only.
"""

from __future__ import annotations

from collections.abc import Mapping

from kubegang.api.validation.kinds import KindRules
from kubegang.api.validation.metadata import MetadataRules
from kubegang.api.validation.rbac import bindings, roles
from kubegang.apimachinery.names import is_path_segment_name
from kubegang.apimachinery.objects import GroupVersionKind

_NAMED = MetadataRules(is_path_segment_name)

RBAC_RULES: Mapping[GroupVersionKind, KindRules] = {
    GroupVersionKind(bindings.GROUP, "v1", "Role"): KindRules(
        _NAMED, create=roles.validate_role, update=roles.validate_role_update
    ),
    GroupVersionKind(bindings.GROUP, "v1", "ClusterRole"): KindRules(
        _NAMED, create=roles.validate_cluster_role, update=roles.validate_cluster_role_update
    ),
    GroupVersionKind(bindings.GROUP, "v1", "RoleBinding"): KindRules(
        _NAMED,
        create=bindings.validate_role_binding,
        update=bindings.validate_role_binding_update,
    ),
    GroupVersionKind(bindings.GROUP, "v1", "ClusterRoleBinding"): KindRules(
        _NAMED,
        create=bindings.validate_cluster_role_binding,
        update=bindings.validate_cluster_role_binding_update,
    ),
}
