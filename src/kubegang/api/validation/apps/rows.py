"""Which rules the kinds have that keep pods running.

Pure: data only.
"""

from __future__ import annotations

from collections.abc import Mapping

from kubegang.api.validation.apps import daemonsets, replicas, statefulsets
from kubegang.api.validation.kinds import KindRules
from kubegang.api.validation.metadata import MetadataRules
from kubegang.apimachinery.names import is_dns1123_label, is_dns1123_subdomain
from kubegang.apimachinery.objects import GroupVersionKind

_NAMED = MetadataRules(is_dns1123_subdomain)

APPS_RULES: Mapping[GroupVersionKind, KindRules] = {
    GroupVersionKind("", "v1", "ReplicationController"): KindRules(
        _NAMED,
        create=replicas.validate_replication_controller,
        update=replicas.validate_replication_controller_update,
        status=replicas.validate_replica_status,
    ),
    GroupVersionKind("apps", "v1", "ControllerRevision"): KindRules(
        _NAMED,
        create=statefulsets.validate_revision,
        update=statefulsets.validate_revision_update,
    ),
    GroupVersionKind("apps", "v1", "DaemonSet"): KindRules(
        _NAMED,
        create=daemonsets.validate_daemon_set,
        update=daemonsets.validate_daemon_set_update,
        status=daemonsets.validate_daemon_set_status,
    ),
    GroupVersionKind("apps", "v1", "Deployment"): KindRules(
        _NAMED,
        create=replicas.validate_deployment,
        update=replicas.validate_deployment_update,
        status=replicas.validate_deployment_status,
    ),
    GroupVersionKind("apps", "v1", "ReplicaSet"): KindRules(
        _NAMED,
        create=replicas.validate_replica_set,
        update=replicas.validate_replica_set_update,
        status=replicas.validate_replica_status,
    ),
    GroupVersionKind("apps", "v1", "StatefulSet"): KindRules(
        MetadataRules(is_dns1123_label),
        create=statefulsets.validate_stateful_set,
        update=statefulsets.validate_stateful_set_update,
        status=statefulsets.validate_stateful_set_status,
    ),
}
"""Rules by kind; whether objects live in a namespace is the resource rows' to say."""
