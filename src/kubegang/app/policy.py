"""The roles and bindings of the embedded cluster: the release's own, and those of our parts.

Our components use upstream's identities and its bootstrap roles. Two have a role of kubegang's:
the simulated nodes, since one identity plays all of them, which no role of upstream's foresees,
and the page, which reads what scheduling depends on and writes nothing. A page that was
allowed to change the cluster is another user, with the rights for just what it offers.
"""

from __future__ import annotations

from collections.abc import Sequence

from starlette.applications import Starlette

from kubegang.api.bootstrap_policy import bootstrap_policy
from kubegang.api.profile import VersionProfile
from kubegang.apimachinery.objects import JsonObject
from kubegang.apiserver.policybootstrap import ensure_policy
from kubegang.app.clusterlive import GANG_GROUP, OPTIONAL, READ

NODES_USER = "system:node:kubegang"
NODES_ROLE = "kubegang:simulated-nodes"
PAGE_USER = "kubegang:page"
PAGE_ROLE = "kubegang:page"
CHANGING_PAGE_USER = "kubegang:changing-page"
CHANGING_PAGE_ROLE = "kubegang:changing-page"

_GROUP = "rbac.authorization.k8s.io"
_READING = ("get", "list", "watch")
_GANG_RESOURCES = ("compositepodgroups", "podgroups", "workloads")
_LABELS = {"kubernetes.io/bootstrapping": "rbac-defaults"}
_AUTO_UPDATE = {"rbac.authorization.kubernetes.io/autoupdate": "true"}
_Rule = tuple[str, tuple[str, ...], tuple[str, ...]]

_NODE_RULES: tuple[_Rule, ...] = (
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


_PAGE_CHANGES: tuple[_Rule, ...] = (
    ("", ("nodes",), ("patch",)),
    ("", ("pods",), ("delete",)),
    ("batch", ("jobs",), ("delete",)),
    (GANG_GROUP, ("podgroups",), ("delete",)),
)


def page_user(*, allow_changes: bool) -> str:
    """Return as whom the page asks."""
    return CHANGING_PAGE_USER if allow_changes else PAGE_USER


def policy_of(profile: VersionProfile) -> list[JsonObject]:
    """Return the roles and bindings of a release and of our components."""
    objects = bootstrap_policy(profile.name, profile.gates["apiserver"])
    return [
        *objects,
        _role(NODES_ROLE, _NODE_RULES),
        _binding(NODES_ROLE, NODES_USER),
        _role(PAGE_ROLE, _page_rules()),
        _binding(PAGE_ROLE, PAGE_USER, CHANGING_PAGE_USER),
        _role(CHANGING_PAGE_ROLE, _PAGE_CHANGES),
        _binding(CHANGING_PAGE_ROLE, CHANGING_PAGE_USER),
    ]


async def ensure_roles(app: Starlette, profile: VersionProfile) -> None:
    """Put the roles and bindings of an API server right, if they decide there."""
    if app.state.roles:
        await ensure_policy(app.state.backend, policy_of(profile))


def _page_rules() -> list[_Rule]:
    resources: dict[str, list[str]] = {GANG_GROUP: list(_GANG_RESOURCES)}
    for resource in (*READ, *OPTIONAL):
        resources.setdefault(resource.group, []).append(resource.plural)
    return [(group, tuple(sorted(names)), _READING) for group, names in sorted(resources.items())]


def _role(name: str, rules: Sequence[_Rule]) -> JsonObject:
    written = [
        {"apiGroups": [group], "resources": list(resources), "verbs": list(verbs)}
        for group, resources, verbs in rules
    ]
    return {**_head("ClusterRole", name), "rules": written}


def _binding(role: str, *users: str) -> JsonObject:
    return {
        **_head("ClusterRoleBinding", role),
        "roleRef": {"apiGroup": _GROUP, "kind": "ClusterRole", "name": role},
        "subjects": [{"apiGroup": _GROUP, "kind": "User", "name": user} for user in users],
    }


def _head(kind: str, name: str) -> JsonObject:
    metadata = {"name": name, "labels": dict(_LABELS), "annotations": dict(_AUTO_UPDATE)}
    return {"apiVersion": f"{_GROUP}/v1", "kind": kind, "metadata": metadata}
