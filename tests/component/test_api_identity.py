"""Users, service accounts, roles and impersonation on the whole API server."""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Any

import pytest

from kubegang.apiserver.policybootstrap import ensure_policy
from kubegang.app.policy import policy_of
from kubegang.app.profiles.table import profile_named
from tests.component.apiharness import CONFIG_MAPS, PODS, Api, Reply, config_map, pod, run

RBAC = "/apis/rbac.authorization.k8s.io/v1"
RBAC_GROUP = "rbac.authorization.k8s.io"
ACCOUNTS = "/api/v1/namespaces/default/serviceaccounts"
REVIEWS = "/apis/authentication.k8s.io/v1"
ASKING = "/apis/authorization.k8s.io/v1"
OWN = f"{REVIEWS}/selfsubjectreviews"


def roles_test(scenario: Any) -> Any:
    """Make a scenario a test on a server where roles decide."""

    def test() -> None:
        async def main(api: Api) -> None:
            await ensure_policy(api.backend, policy_of(profile_named("1.37")))
            await scenario(api)

        run(main, roles=True)

    test.__name__ = scenario.__name__
    test.__doc__ = scenario.__doc__
    return test


def role(name: str, *rules: dict[str, Any], kind: str = "ClusterRole") -> dict[str, Any]:
    return {"kind": kind, "metadata": {"name": name}, "rules": list(rules)}


def rule(verbs: str, resources: str, group: str = "", **more: Any) -> dict[str, Any]:
    return {
        "verbs": verbs.split(","),
        "resources": resources.split(","),
        "apiGroups": [group],
        **more,
    }


def binding(name: str, role_name: str, *users: str, kind: str = "ClusterRole") -> dict[str, Any]:
    subjects = [{"kind": "User", "name": user} for user in users]
    ref = {"kind": kind, "name": role_name, "apiGroup": RBAC_GROUP}
    return {"metadata": {"name": name}, "roleRef": ref, "subjects": subjects}


async def as_user(api: Api, user: str, method: str, target: str, body: Any = None) -> Reply:
    return await api.send(method, target, body, headers={"impersonate-user": user})


async def token_of(api: Api, account: str, spec: dict[str, Any] | None = None) -> str:
    reply = await api.post(f"{ACCOUNTS}/{account}/token", {"spec": spec or {}})
    assert reply.status == 201, reply.body
    return str(reply.object["status"]["token"])


async def with_token(api: Api, token: str, method: str, target: str, body: Any = None) -> Reply:
    headers = {"authorization": f"Bearer {token}"}
    return await api.send(method, target, body, headers=headers, user=None)


@roles_test
async def test_a_user_without_roles_is_told_what_was_asked_for(api: Api) -> None:
    reply = await as_user(api, "bob", "GET", f"{PODS}/x")
    assert reply.status == 403
    assert reply.message == (
        'pods "x" is forbidden: User "bob" cannot get resource "pods" in API group "" '
        'in the namespace "default"'
    )
    assert reply.object["details"] == {"name": "x", "kind": "pods"}


@roles_test
async def test_a_role_allows_what_it_says_from_the_moment_it_is_bound(api: Api) -> None:
    await api.create(f"{RBAC}/clusterroles", role("reader", rule("list", "pods")))
    assert (await as_user(api, "bob", "GET", PODS)).status == 403
    await api.create(f"{RBAC}/clusterrolebindings", binding("b", "reader", "bob"))
    assert (await as_user(api, "bob", "GET", PODS)).status == 200
    assert (await as_user(api, "bob", "POST", PODS, pod("p"))).status == 403
    await api.delete(f"{RBAC}/clusterrolebindings/b")
    assert (await as_user(api, "bob", "GET", PODS)).status == 403


@roles_test
async def test_a_binding_of_a_namespace_reaches_no_further(api: Api) -> None:
    path = f"{RBAC}/namespaces/default"
    named = rule("get", "configmaps", resourceNames=["mine"])
    await api.create(f"{path}/roles", role("r", named, kind="Role"))
    await api.create(f"{path}/rolebindings", binding("b", "r", "bob", kind="Role"))
    await api.create(CONFIG_MAPS, config_map("mine"))
    assert (await as_user(api, "bob", "GET", f"{CONFIG_MAPS}/mine")).status == 200
    assert (await as_user(api, "bob", "GET", f"{CONFIG_MAPS}/other")).status == 403
    elsewhere = CONFIG_MAPS.replace("default", "kube-system")
    assert (await as_user(api, "bob", "GET", f"{elsewhere}/mine")).status == 403


@roles_test
async def test_a_role_that_is_missing_is_named_in_the_refusal(api: Api) -> None:
    await api.create(f"{RBAC}/clusterrolebindings", binding("b", "gone", "bob"))
    reply = await as_user(api, "bob", "GET", PODS)
    assert reply.message.endswith(
        'namespace "default": rbac: RBAC: clusterrole.rbac.authorization.k8s.io "gone" not found'
    )


@roles_test
async def test_nobody_gives_away_what_they_do_not_hold(api: Api) -> None:
    await api.create(
        f"{RBAC}/clusterroles",
        role("maker", rule("create", "clusterroles", RBAC_GROUP), rule("get", "pods")),
    )
    await api.create(f"{RBAC}/clusterrolebindings", binding("b", "maker", "bob"))
    held = role("held", rule("get", "pods"))
    assert (await as_user(api, "bob", "POST", f"{RBAC}/clusterroles", held)).status == 201
    more = role("more", rule("get,list", "pods,secrets"))
    reply = await as_user(api, "bob", "POST", f"{RBAC}/clusterroles", more)
    assert reply.status == 403
    assert reply.message == (
        'clusterroles.rbac.authorization.k8s.io "more" is forbidden: user "bob" '
        '(groups=["system:authenticated"]) is attempting to grant RBAC permissions not '
        "currently held:\n"
        '{APIGroups:[""], Resources:["pods"], Verbs:["list"]}\n'
        '{APIGroups:[""], Resources:["secrets"], Verbs:["get", "list"]}'
    )


@roles_test
async def test_a_token_names_its_service_account(api: Api) -> None:
    account = await api.create(ACCOUNTS, {"metadata": {"name": "robot"}})
    token = await token_of(api, "robot")
    reply = await with_token(api, token, "POST", OWN, {})
    info = reply.object["status"]["userInfo"]
    assert info["username"] == "system:serviceaccount:default:robot"
    assert info["uid"] == account["metadata"]["uid"]
    assert info["groups"] == [
        "system:serviceaccounts",
        "system:serviceaccounts:default",
        "system:authenticated",
    ]
    assert (await with_token(api, token, "GET", PODS)).status == 403


@roles_test
async def test_a_token_dies_with_its_account_and_its_pod(api: Api) -> None:
    await api.create(ACCOUNTS, {"metadata": {"name": "robot"}})
    await api.create(PODS, pod("p", serviceAccountName="robot"))
    spec = {"boundObjectRef": {"kind": "Pod", "apiVersion": "v1", "name": "p"}}
    bound, free = await token_of(api, "robot", spec), await token_of(api, "robot")
    assert (await with_token(api, bound, "POST", OWN, {})).status == 201
    await api.delete(f"{PODS}/p", {"gracePeriodSeconds": 0})
    assert (await with_token(api, bound, "POST", OWN, {})).status == 401
    assert (await with_token(api, free, "POST", OWN, {})).status == 201
    await api.delete(f"{ACCOUNTS}/robot")
    assert (await with_token(api, free, "POST", OWN, {})).status == 401


@roles_test
async def test_a_token_for_others_is_none_for_the_api(api: Api) -> None:
    await api.create(ACCOUNTS, {"metadata": {"name": "robot"}})
    token = await token_of(api, "robot", {"audiences": ["vault"]})
    assert (await with_token(api, token, "POST", OWN, {})).status == 401
    review = {"spec": {"token": token, "audiences": ["vault", "x"]}}
    status = (await api.post(f"{REVIEWS}/tokenreviews", review)).object["status"]
    assert status["authenticated"] is True
    assert status["audiences"] == ["vault"]


def _changed(token: str, part: int, value: Any) -> str:
    parts = token.split(".")
    encoded = urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()
    return ".".join([*parts[:part], encoded, *parts[part + 1 :]])


@roles_test
async def test_no_malformed_token_is_more_than_a_wrong_one(api: Api) -> None:
    await api.create(ACCOUNTS, {"metadata": {"name": "robot"}})
    token = await token_of(api, "robot")
    claims = json.loads(urlsafe_b64decode(token.split(".")[1] + "=="))
    bad = [
        "a.b.c",
        "..",
        token + "x",
        token[:-10],
        _changed(token, 0, {"alg": "none"}),
        _changed(token, 0, {"alg": "HS256", "kid": 5}),
        _changed(token, 0, []),
        _changed(token, 1, {**claims, "sub": "system:serviceaccount:default:admin"}),
        _changed(token, 1, "text"),
        "\u00e4.\u00e4.\u00e4",
        "x" * 100_000,
    ]
    for one in bad:
        reply = await with_token(api, one, "GET", PODS)
        assert (reply.status, reply.message) == (401, "Unauthorized"), one


@roles_test
async def test_odd_claims_that_the_key_signed_are_refused_too(api: Api) -> None:
    issuer = "https://kubernetes.default.svc"
    for claims in (
        {},
        {"iss": issuer},
        {"iss": issuer, "aud": [issuer], "kubernetes.io": "x"},
        {"iss": issuer, "aud": issuer, "kubernetes.io": {"namespace": 5}},
        {"iss": issuer, "aud": [5], "jti": {}},
        {"iss": "kubernetes/serviceaccount"},
        {"iss": issuer, "aud": {"a": 1}, "exp": "never"},
    ):
        token = api.backend.signing_key.sign(claims)
        assert (await with_token(api, token, "GET", PODS)).status == 401, claims


@pytest.mark.parametrize(
    ("headers", "code"),
    [
        ({"impersonate-group": "g"}, 400),
        ({"impersonate-extra-%zz%ff": "v"}, 400),
        ({"impersonate-user": "bob", "impersonate-extra-": "v"}, 403),
        ({"impersonate-user": "\u00ff"}, 403),
    ],
)
def test_odd_impersonation_headers_never_break_the_server(
    headers: dict[str, str], code: int
) -> None:
    async def main(api: Api) -> None:
        assert (await api.get(PODS, headers=headers)).status == code

    run(main, roles=True)


@roles_test
async def test_a_user_is_told_their_own_rules(api: Api) -> None:
    await api.create(f"{RBAC}/clusterroles", role("reader", rule("list", "pods")))
    await api.create(f"{RBAC}/clusterrolebindings", binding("b", "reader", "bob"))
    body = {"spec": {"namespace": "default"}}
    reply = await as_user(api, "bob", "POST", f"{ASKING}/selfsubjectrulesreviews", body)
    rules = reply.object["status"]["resourceRules"]
    assert {"verbs": ["list"], "apiGroups": [""], "resources": ["pods"]} in rules


@roles_test
async def test_a_start_gives_back_what_roles_lost_and_keeps_what_they_gained(api: Api) -> None:
    path = f"{RBAC}/clusterroles/system:kube-scheduler"
    stored = (await api.get(path)).object
    gained = rule("get", "configmaps")
    await api.put(path, {**stored, "rules": [*stored["rules"][1:], gained]})
    await ensure_policy(api.backend, policy_of(profile_named("1.37")))
    rules = (await api.get(path)).object["rules"]
    assert stored["rules"][0] in rules
    assert gained in rules
