"""Which warnings belong to which kind, and when they are given. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from kubegang.api.warning_rules import NEWEST_WARNING_RULES, WarningRules
from kubegang.api.warnings import cluster, networks, pods, policies, secrets, storage, workloads
from kubegang.api.warnings.kinds import KindWarnings
from kubegang.apimachinery.objects import GroupResource, JsonObject

_ROWS: Final[Mapping[GroupResource, KindWarnings]] = {
    GroupResource("", "endpoints"): networks.ENDPOINTS,
    GroupResource("", "nodes"): cluster.NODES,
    GroupResource("", "persistentvolumeclaims"): storage.CLAIMS,
    GroupResource("", "persistentvolumes"): storage.VOLUMES,
    GroupResource("", "pods"): pods.PODS,
    GroupResource("", "podtemplates"): workloads.POD_TEMPLATES,
    GroupResource("", "replicationcontrollers"): workloads.CONTROLLERS,
    GroupResource("", "resourcequotas"): cluster.QUOTAS,
    GroupResource("", "secrets"): secrets.SECRETS,
    GroupResource("", "serviceaccounts"): cluster.ACCOUNTS,
    GroupResource("", "services"): networks.SERVICES,
    GroupResource("apps", "daemonsets"): workloads.DAEMON_SETS,
    GroupResource("apps", "deployments"): workloads.REPLICATED,
    GroupResource("apps", "replicasets"): workloads.REPLICATED,
    GroupResource("apps", "statefulsets"): workloads.STATEFUL_SETS,
    GroupResource("batch", "cronjobs"): workloads.CRON_JOBS,
    GroupResource("batch", "jobs"): workloads.JOBS,
    GroupResource("discovery.k8s.io", "endpointslices"): networks.SLICES,
    GroupResource("networking.k8s.io", "ingresses"): policies.INGRESSES,
    GroupResource("networking.k8s.io", "networkpolicies"): policies.POLICIES,
    GroupResource("node.k8s.io", "runtimeclasses"): cluster.RUNTIME_CLASSES,
    GroupResource("resource.k8s.io", "resourceslices"): cluster.RESOURCE_SLICES,
    GroupResource("storage.k8s.io", "csidrivers"): storage.DRIVERS,
    GroupResource("storage.k8s.io", "csistoragecapacities"): storage.CAPACITIES,
    GroupResource("storage.k8s.io", "storageclasses"): storage.CLASSES,
}

_UPDATED_LIKE_THE_OBJECT: Final = ("", "scale")


def create_warnings(
    obj: JsonObject, resource: GroupResource, rules: WarningRules = NEWEST_WARNING_RULES
) -> list[str]:
    """Return what is said about a new object."""
    row = _ROWS.get(resource)
    return [] if row is None else list(row.create(obj, rules))


def update_warnings(
    new: JsonObject,
    old: JsonObject,
    resource: GroupResource,
    *,
    subresource: str = "",
    rules: WarningRules = NEWEST_WARNING_RULES,
) -> list[str]:
    """Return what is said about a changed object; about most subresources that is nothing."""
    row = _ROWS.get(resource)
    if row is None:
        return []
    if subresource == "status":
        return list(row.status(new, old, rules))
    return list(row.update(new, old, rules)) if subresource in _UPDATED_LIKE_THE_OBJECT else []
