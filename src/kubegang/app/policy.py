"""The roles and bindings of the embedded cluster: the release's own, and those of our parts.

Our components use upstream's identities and its bootstrap roles. Only the simulated nodes have
a role of kubegang's: one identity plays all of them, which no role of upstream's foresees.
"""

from __future__ import annotations

from starlette.applications import Starlette

from kubegang.api.bootstrap_policy import bootstrap_policy
from kubegang.api.profile import VersionProfile
from kubegang.apimachinery.objects import JsonObject
from kubegang.apiserver.policybootstrap import ensure_policy

NODES_USER = "system:node:kubegang"
NODES_ROLE = "kubegang:simulated-nodes"

_GROUP = "rbac.authorization.k8s.io"
_LABELS = {"kubernetes.io/bootstrapping": "rbac-defaults"}
_AUTO_UPDATE = {"rbac.authorization.kubernetes.io/autoupdate": "true"}
_NODE_RULES = (
    ("", ("nodes",), ("create", "get", "list", "patch", "update", "watch")),
    ("", ("nodes/status",), ("patch", "update")),
    ("", ("pods",), ("delete", "get", "list", "patch", "update", "watch")),
    ("", ("pods/status",), ("patch", "update")),
    ("", ("events",), ("create", "patch", "update")),
    ("coordination.k8s.io", ("leases",), ("create", "get", "list", "patch", "update", "watch")),
    (
        "resource.k8s.io",
        ("resourceslices",),
        ("create", "delete", "get", "list", "patch", "update", "watch"),
    ),
    ("resource.k8s.io", ("resourceclaims",), ("get", "list", "watch")),
)


def policy_of(profile: VersionProfile) -> list[JsonObject]:
    """Return the roles and bindings of a release and of our components."""
    objects = bootstrap_policy(profile.name, profile.gates["apiserver"])
    return [*objects, _nodes_role(), _nodes_binding()]


async def ensure_roles(app: Starlette, profile: VersionProfile) -> None:
    """Put the roles and bindings of an API server right, if they decide there."""
    if app.state.roles:
        await ensure_policy(app.state.backend, policy_of(profile))


def _nodes_role() -> JsonObject:
    rules = [
        {"apiGroups": [group], "resources": list(resources), "verbs": list(verbs)}
        for group, resources, verbs in _NODE_RULES
    ]
    return {**_head("ClusterRole", NODES_ROLE), "rules": rules}


def _nodes_binding() -> JsonObject:
    return {
        **_head("ClusterRoleBinding", NODES_ROLE),
        "roleRef": {"apiGroup": _GROUP, "kind": "ClusterRole", "name": NODES_ROLE},
        "subjects": [{"apiGroup": _GROUP, "kind": "User", "name": NODES_USER}],
    }


def _head(kind: str, name: str) -> JsonObject:
    metadata = {"name": name, "labels": dict(_LABELS), "annotations": dict(_AUTO_UPDATE)}
    return {"apiVersion": f"{_GROUP}/v1", "kind": kind, "metadata": metadata}
