"""Reviews: what may be asked, and what the answers are."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from starlette.applications import Starlette

from kubegang.api.facts import load_facts
from kubegang.api.resources import ROWS
from kubegang.api.scheme import Scheme
from kubegang.apimachinery.objects import GroupVersion
from kubegang.apiserver.app import create_app
from kubegang.apiserver.authn import Authenticator, Identity
from kubegang.base.feature_gates import FeatureGates
from kubegang.store.memory import MemoryStore
from tests.unit.apiserver.asgi import Reply, call

AUTHENTICATION = "/apis/authentication.k8s.io/v1"
AUTHORIZATION = "/apis/authorization.k8s.io/v1"
SERVED = (GroupVersion("authentication.k8s.io", "v1"), GroupVersion("authorization.k8s.io", "v1"))
PODS = {"verb": "get", "resource": "pods"}
EXACTLY_ONE = "exactly one of nonResourceAttributes or resourceAttributes must be specified"


class StoppedClock:
    """It is always the first moment."""

    def now(self) -> float:
        return 0.0

    def steady(self) -> float:
        return 0.0

    async def sleep(self, seconds: float) -> None:
        raise AssertionError(f"nobody waits {seconds} s for an answer")


@pytest.fixture
def app() -> Starlette:
    return create_app(
        store=MemoryStore(),
        scheme=Scheme.for_profile(ROWS, SERVED, FeatureGates({})),
        facts=load_facts("1.37"),
        gates=FeatureGates({"GenericWorkload": True}),
        clock=StoppedClock(),
        rng=random.Random(1),
        git_version="v1.37.2+kubegang",
        authenticator=Authenticator({"secret": Identity("alice", ("staff",))}),
    )


async def ask(app: Starlette, path: str, spec: Any = None, **more: Any) -> Reply:
    body = {**({} if spec is None else {"spec": spec}), **more}
    headers = {"Authorization": "Bearer secret", "Content-Type": "application/json"}
    return await call(app, "POST", path, headers=headers, body=json.dumps(body).encode())


async def causes(reply: Reply) -> list[tuple[str, str]]:
    return [(cause["field"], cause["message"]) for cause in reply.json()["details"]["causes"]]


async def test_a_user_is_told_who_they_are(app: Starlette) -> None:
    reply = await ask(app, f"{AUTHENTICATION}/selfsubjectreviews")

    assert reply.status == 201
    assert reply.json() == {
        "kind": "SelfSubjectReview",
        "apiVersion": "authentication.k8s.io/v1",
        "metadata": {"creationTimestamp": "1970-01-01T00:00:00Z"},
        "status": {"userInfo": {"username": "alice", "groups": ["staff", "system:authenticated"]}},
    }


@pytest.mark.parametrize(
    "spec",
    [{"resourceAttributes": PODS}, {"nonResourceAttributes": {"verb": "get", "path": "/x"}}],
    ids=["resource", "path"],
)
async def test_a_user_may_do_everything(app: Starlette, spec: Any) -> None:
    reply = await ask(app, f"{AUTHORIZATION}/selfsubjectaccessreviews", spec)

    assert reply.status == 201
    assert reply.json()["spec"] == spec
    assert reply.json()["status"] == {"allowed": True}


@pytest.mark.parametrize(
    ("spec", "want"),
    [
        pytest.param({}, f"Invalid value: null: {EXACTLY_ONE}", id="neither"),
        pytest.param(
            {
                "resourceAttributes": PODS,
                "nonResourceAttributes": {"path": "/x", "verb": "get"},
            },
            f'Invalid value: {{"Path":"/x","Verb":"get"}}: {EXACTLY_ONE}',
            id="both",
        ),
    ],
)
async def test_exactly_one_kind_of_attributes_is_asked_about(
    app: Starlette, spec: Any, want: str
) -> None:
    reply = await ask(app, f"{AUTHORIZATION}/selfsubjectaccessreviews", spec)

    assert reply.status == 422
    assert await causes(reply) == [("spec", want)]
    assert reply.json()["message"] == f'.authorization.k8s.io "" is invalid: spec: {want}'


async def test_a_review_has_no_metadata(app: Starlette) -> None:
    spec = {"resourceAttributes": PODS}
    path = f"{AUTHORIZATION}/selfsubjectaccessreviews"
    reply = await ask(app, path, spec, metadata={"name": "x"})

    assert await causes(reply) == [("metadata", 'Invalid value: {"name":"x"}: must be empty')]


@pytest.mark.parametrize(("user", "allowed"), [("bob", True), ("system:anonymous", False)])
async def test_others_may_do_everything_unless_they_are_anonymous(
    app: Starlette, user: str, allowed: bool
) -> None:
    spec = {"user": user, "resourceAttributes": PODS}
    reply = await ask(app, f"{AUTHORIZATION}/subjectaccessreviews", spec)

    assert reply.json()["status"] == {"allowed": allowed}


async def test_a_review_about_others_names_them(app: Starlette) -> None:
    spec = {"resourceAttributes": PODS}
    reply = await ask(app, f"{AUTHORIZATION}/subjectaccessreviews", spec)

    want = 'Invalid value: "": at least one of user or group must be specified'
    assert await causes(reply) == [("spec.user", want)]


async def test_a_local_review_is_about_its_own_namespace(app: Starlette) -> None:
    path = f"{AUTHORIZATION}/namespaces/ns/localsubjectaccessreviews"
    spec = {"user": "bob", "resourceAttributes": {**PODS, "namespace": "ns"}}
    other = {"user": "bob", "resourceAttributes": PODS}

    assert (await ask(app, path, spec)).json()["status"] == {"allowed": True}
    want = 'Invalid value: "": must match metadata.namespace'
    assert await causes(await ask(app, path, other)) == [
        ("spec.resourceAttributes.namespace", want)
    ]


async def test_the_rules_of_a_user_are_everything(app: Starlette) -> None:
    path = f"{AUTHORIZATION}/selfsubjectrulesreviews"
    status = (await ask(app, path, {"namespace": "default"})).json()["status"]

    assert status["resourceRules"][0]["verbs"] == ["*"]
    assert status["incomplete"] is False
    assert (await ask(app, path, {})).json()["message"] == "no namespace on request"


@pytest.mark.parametrize(
    ("spec", "want"),
    [
        (
            {"token": "secret"},
            {
                "authenticated": True,
                "user": {"username": "alice", "groups": ["staff", "system:authenticated"]},
                "audiences": ["https://kubernetes.default.svc"],
            },
        ),
        ({"token": "wrong"}, {"user": {}, "error": "invalid bearer token"}),
        (
            {"token": "secret", "audiences": ["other"]},
            {"user": {}, "error": "invalid bearer token"},
        ),
    ],
    ids=["right", "wrong", "other-audience"],
)
async def test_a_token_is_reviewed(app: Starlette, spec: Any, want: Any) -> None:
    reply = await ask(app, f"{AUTHENTICATION}/tokenreviews", spec)

    assert reply.status == 201
    assert reply.json()["status"] == want


async def test_a_token_review_needs_a_token(app: Starlette) -> None:
    reply = await ask(app, f"{AUTHENTICATION}/tokenreviews", {})

    assert (reply.status, reply.json()["reason"]) == (400, "BadRequest")


async def test_reviews_can_only_be_created(app: Starlette) -> None:
    path = f"{AUTHORIZATION}/selfsubjectaccessreviews"
    reply = await call(app, "GET", path, headers={"Authorization": "Bearer secret"})

    assert reply.json()["reason"] == "MethodNotAllowed"
