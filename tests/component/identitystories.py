"""Stories of the controllers of identity, roles and quotas, and of replication controllers."""

from __future__ import annotations

from kubegang.apimachinery.objects import JsonObject
from kubegang.app.controllers.everykind import QUOTA
from kubegang.client.resources import (
    CONFIGMAPS,
    NAMESPACES,
    PODS,
    REPLICATIONCONTROLLERS,
    SERVICEACCOUNTS,
)
from kubegang.controllers.clusterroleaggregation.controller import CLUSTERROLES
from kubegang.controllers.resourcequota.controller import RESOURCEQUOTAS
from tests.component.jobobjects import NS, Users, bare_pod
from tests.component.storyrows import Row
from tests.component.workloadobjects import LABELS, template

ROOT_CA = "kube-root-ca.crt"


async def namespace_loses_what_it_was_given(users: Users) -> None:
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team"}}
    await users.api.create(NAMESPACES, namespace)
    await users.wait(5)
    await users.api.delete(SERVICEACCOUNTS, "default", "team")
    await users.api.patch(CONFIGMAPS, ROOT_CA, "team", patch={"data": {"ca.crt": "another"}})


async def role_is_gathered(users: Users) -> None:
    label = {"rbac.authorization.k8s.io/aggregate-to-view": "true"}
    rule = {"apiGroups": ["x.io"], "resources": ["things"], "verbs": ["get"]}
    role: JsonObject = {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRole",
        "metadata": {"name": "things", "labels": label},
        "rules": [rule],
    }
    await users.api.create(CLUSTERROLES, role)
    await users.wait(5)
    patch = {"rules": [{**rule, "verbs": ["get", "list"]}]}
    await users.api.patch(CLUSTERROLES, "things", patch=patch)


async def quota_counts_pods(users: Users) -> None:
    quota: JsonObject = {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": "q"},
        "spec": {"hard": {"pods": "3"}},
    }
    await users.api.create(RESOURCEQUOTAS, quota, NS)
    await users.wait(5)
    for name in ("a", "b"):
        await users.submit(bare_pod(name))
    await users.wait(5)
    await users.api.delete(PODS, "a", NS, grace_period_seconds=0)


async def replication_controller_shrinks(users: Users) -> None:
    made: JsonObject = {
        "apiVersion": "v1",
        "kind": "ReplicationController",
        "metadata": {"name": "web"},
        "spec": {"replicas": 2, "selector": dict(LABELS), "template": template()},
    }
    await users.api.create(REPLICATIONCONTROLLERS, made, NS)
    await users.wait(5)
    await users.api.patch(REPLICATIONCONTROLLERS, "web", NS, patch={"spec": {"replicas": 1}})


ROWS: dict[str, Row] = {
    "a namespace loses what it was given": Row(
        namespace_loses_what_it_was_given,
        ("serviceaccount-controller", "root-ca-certificate-publisher-controller"),
        (SERVICEACCOUNTS, CONFIGMAPS),
    ),
    "a role is gathered": Row(
        role_is_gathered, ("clusterrole-aggregation-controller",), (CLUSTERROLES,)
    ),
    "a quota counts pods": Row(quota_counts_pods, (QUOTA,), (RESOURCEQUOTAS, PODS)),
    "a replication controller shrinks": Row(
        replication_controller_shrinks,
        ("replicationcontroller-controller",),
        (REPLICATIONCONTROLLERS, PODS),
    ),
}
