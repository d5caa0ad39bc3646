"""Random roles, bindings and requests: the same steps for a real API server and for ours."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any, NamedTuple

RBAC = "/apis/rbac.authorization.k8s.io/v1"
ASKING = "/apis/authorization.k8s.io/v1"
USERS = ("ann-{ns}", "bob-{ns}", "cid-{ns}", "system:serviceaccount:{ns}:robot")
GROUPS = ("devs", "ops")
VERBS = ("get", "list", "create", "update", "patch", "delete", "*")
RESOURCES = (
    ("", "configmaps"),
    ("", "pods"),
    ("", "pods/log"),
    ("", "secrets"),
    ("", "serviceaccounts/token"),
    ("", "*/status"),
    ("batch", "jobs"),
    ("rbac.authorization.k8s.io", "roles"),
    ("rbac.authorization.k8s.io", "rolebindings"),
    ("rbac.authorization.k8s.io", "clusterroles"),
    ("*", "*"),
)
PATHS = ("/version", "/metrics", "/api", "/healthz/ping", "/nowhere", "/openid/v1/jwks", "/logs/")
NAMES = ("one", "two")


class Step(NamedTuple):
    """One request; ``user`` and ``groups`` are whom an administrator acts as."""

    method: str
    path: str
    body: Any = None
    user: str = ""
    groups: tuple[str, ...] = ()
    content_type: str = "application/json"


class Scene(NamedTuple):
    """What an administrator sets up, and what is asked then."""

    setup: tuple[Step, ...]
    requests: tuple[Step, ...]


def scene_of(seed: int, requests: int) -> Scene:
    """Return the scene of a seed."""
    rng = random.Random(seed)
    namespace = f"scene-{seed}"
    setup = tuple(_setup(rng, seed, namespace))
    return Scene(setup, tuple(_request(rng, seed, namespace) for _ in range(requests)))


def _setup(rng: random.Random, seed: int, namespace: str) -> Iterator[Step]:
    yield Step("POST", "/api/v1/namespaces", {"metadata": {"name": namespace}})
    home = f"/api/v1/namespaces/{namespace}"
    yield Step("POST", f"{home}/serviceaccounts", {"metadata": {"name": "robot"}})
    for name in NAMES:
        yield Step("POST", f"{home}/configmaps", {"metadata": {"name": name}})
    for number in range(3):
        rules = [_rule(rng, paths=True) for _ in range(rng.randint(1, 3))]
        role = {"metadata": {"name": f"s{seed}-{number}"}, "rules": rules}
        yield Step("POST", f"{RBAC}/clusterroles", role)
        rules = [_rule(rng, paths=False) for _ in range(rng.randint(1, 3))]
        role = {"metadata": {"name": f"r{number}"}, "rules": rules}
        yield Step("POST", f"{RBAC}/namespaces/{namespace}/roles", role)
    for number in range(4):
        yield _binding(rng, seed, namespace, number)
    # The last one: once it works, a real server's informers have seen all.
    sentinel = _bound(f"s{seed}-last", "ClusterRole", "cluster-admin", [f"last-{seed}"])
    yield Step("POST", f"{RBAC}/clusterrolebindings", sentinel)


def _rule(rng: random.Random, *, paths: bool) -> dict[str, Any]:
    verbs = rng.sample(VERBS, rng.randint(1, 3))
    if paths and rng.random() < 0.2:
        return {"verbs": verbs, "nonResourceURLs": [rng.choice(PATHS), "/log*"]}
    chosen = rng.sample(RESOURCES[:-1] if rng.random() < 0.9 else RESOURCES, rng.randint(1, 2))
    rule: dict[str, Any] = {
        "verbs": verbs,
        "apiGroups": sorted({group for group, _ in chosen}),
        "resources": [resource for _, resource in chosen],
    }
    if rng.random() < 0.3:
        rule["resourceNames"] = [rng.choice(NAMES)]
    return rule


def _binding(rng: random.Random, seed: int, namespace: str, number: int) -> Step:
    is_local = rng.random() < 0.6
    kind = "Role" if is_local and rng.random() < 0.5 else "ClusterRole"
    role = f"r{rng.randint(0, 3)}" if kind == "Role" else f"s{seed}-{rng.randint(0, 2)}"
    users = [_named(rng.choice(USERS), namespace)]
    binding = _bound(f"s{seed}-{number}", kind, role, users)
    if rng.random() < 0.5:
        binding["subjects"].append({"kind": "Group", "name": f"{rng.choice(GROUPS)}-{seed}"})
    if rng.random() < 0.3:
        robot = {"kind": "ServiceAccount", "name": "robot", "namespace": namespace}
        binding["subjects"].append(robot)
    place = f"{RBAC}/namespaces/{namespace}/rolebindings"
    return Step("POST", place if is_local else f"{RBAC}/clusterrolebindings", binding)


def _bound(name: str, kind: str, role: str, users: list[str]) -> dict[str, Any]:
    return {
        "metadata": {"name": name},
        "roleRef": {"kind": kind, "name": role, "apiGroup": "rbac.authorization.k8s.io"},
        "subjects": [{"kind": "User", "name": user} for user in users],
    }


def _named(user: str, namespace: str) -> str:
    return user.replace("{ns}", namespace)


def _request(rng: random.Random, seed: int, namespace: str) -> Step:
    user = _named(rng.choice(USERS), namespace)
    groups = (f"{rng.choice(GROUPS)}-{seed}",) if rng.random() < 0.3 else ()
    make = rng.choice((_object, _object, _object, _path, _role, _review, _review, _token))
    return make(rng, namespace)._replace(user=user, groups=groups)


def _object(rng: random.Random, namespace: str) -> Step:
    group, plural = rng.choice((("", "configmaps"), ("", "secrets"), ("batch", "jobs")))
    place = (
        f"/api/v1/namespaces/{namespace}"
        if not group
        else f"/apis/{group}/v1/namespaces/{namespace}"
    )
    name = rng.choice((*NAMES, "none"))
    if plural == "secrets" and rng.random() < 0.3:
        return Step("GET", "/api/v1/secrets")
    if plural == "configmaps" and rng.random() < 0.3:
        name = rng.choice(NAMES)
        return Step("GET", f"{place}/pods/{name}/log")
    method = rng.choice(("GET", "LIST", "POST", "PUT", "PATCH", "DELETE"))
    match method:
        case "LIST":
            return Step("GET", f"{place}/{plural}")
        case "POST":
            body = {"metadata": {"name": name}}
            return Step("POST", f"{place}/{plural}?dryRun=All", body)
        case "PUT":
            body = {"metadata": {"name": name}}
            return Step("PUT", f"{place}/{plural}/{name}?dryRun=All", body)
        case "PATCH":
            kind = "application/merge-patch+json"
            return Step("PATCH", f"{place}/{plural}/{name}?dryRun=All", {}, content_type=kind)
        case "DELETE":
            return Step("DELETE", f"{place}/{plural}/{name}?dryRun=All")
    return Step("GET", f"{place}/{plural}/{name}")


def _path(rng: random.Random, _namespace: str) -> Step:
    return Step("HEAD" if rng.random() < 0.2 else "GET", rng.choice(PATHS[:1] + PATHS[4:]))


def _role(rng: random.Random, namespace: str) -> Step:
    """Ask to give away rights, which may be more than one has."""
    place = f"{RBAC}/namespaces/{namespace}"
    if rng.random() < 0.5:
        rules = [_rule(rng, paths=False) for _ in range(rng.randint(1, 2))]
        body = {"metadata": {"name": "given"}, "rules": rules}
        return Step("POST", f"{place}/roles?dryRun=All", body)
    role = rng.choice(("view", "cluster-admin", "system:kube-scheduler", "none-such"))
    body = _bound("given", "ClusterRole", role, ["zoe"])
    return Step("POST", f"{place}/rolebindings?dryRun=All", body)


def _review(rng: random.Random, namespace: str) -> Step:
    kind = rng.random()
    body: dict[str, Any]
    if kind < 0.3:
        body = {"spec": {"namespace": namespace}}
        return Step("POST", f"{ASKING}/selfsubjectrulesreviews", body)
    if kind < 0.5:
        path = {"path": rng.choice(PATHS), "verb": "get"}
        body = {"spec": {"nonResourceAttributes": path}}
        return Step("POST", f"{ASKING}/selfsubjectaccessreviews", body)
    group, resource = rng.choice(RESOURCES[:-1])
    plural, _, part = resource.partition("/")
    attributes = {
        "verb": rng.choice(VERBS[:-1]),
        "group": group,
        "resource": plural,
        "subresource": part,
        "namespace": rng.choice((namespace, "kube-system", "")),
        "name": rng.choice((*NAMES, "")),
    }
    spec = {"resourceAttributes": {key: value for key, value in attributes.items() if value}}
    return Step("POST", f"{ASKING}/selfsubjectaccessreviews", {"spec": spec})


def _token(rng: random.Random, namespace: str) -> Step:
    spec = rng.choice(
        (
            {},
            {"expirationSeconds": 60},
            {"expirationSeconds": 1 << 40},
            {"audiences": ["a", "b"]},
            {"boundObjectRef": {"kind": "Pod", "apiVersion": "v1", "name": "none"}},
            {"boundObjectRef": {"kind": "ConfigMap", "apiVersion": "v1", "name": "one"}},
            {"boundObjectRef": {"kind": "Secret", "apiVersion": "v1"}},
        )
    )
    name = rng.choice(("robot", "robot", "nobody"))
    path = f"/api/v1/namespaces/{namespace}/serviceaccounts/{name}/token"
    return Step("POST", path, {"spec": spec})
