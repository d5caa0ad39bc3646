"""Who may act as whom, by which way, and what the refusal says (measured on 1.35.4 and 1.37.2)."""

from __future__ import annotations

from typing import Any

import pytest

from kubegang.apimachinery.errors import ForbiddenError
from kubegang.apiserver.authn import Identity
from kubegang.apiserver.authorization.attributes import Attributes
from kubegang.apiserver.authorization.authorizer import Decision, HeldRules
from kubegang.apiserver.authorization.impersonation import Impersonation
from kubegang.apiserver.authorization.rules import PolicyRule

SENDER = Identity("robot", ("system:authenticated",))
PODS = "/api/v1/namespaces/default/pods"
WIDE = PolicyRule(("impersonate",), ("",), ("users", "groups"))
NARROW = (
    PolicyRule(("impersonate:user-info",), ("authentication.k8s.io",), ("users",), ("bob",)),
    PolicyRule(("impersonate-on:user-info:list",), ("",), ("pods",)),
)


class Rights:
    """Allows what its rules say."""

    def __init__(self, *rules: PolicyRule) -> None:
        self.rules = rules

    def decide(self, _identity: Identity, asked: Attributes) -> Decision:
        return Decision(allowed=any(rule.allows(asked) for rule in self.rules))

    def held(self, _identity: Identity, _namespace: str) -> HeldRules:
        return HeldRules(self.rules)

    def role(self, _kind: str, _namespace: str, _name: str) -> tuple[PolicyRule, ...]:
        return ()


def _scope(path: str = PODS, **headers: str) -> dict[str, Any]:
    pairs = [
        (f"impersonate-{name.replace('_', '-')}".encode(), value.encode())
        for name, value in headers.items()
    ]
    return {"type": "http", "method": "GET", "path": path, "query_string": b"", "headers": pairs}


def test_without_the_headers_everybody_is_themselves() -> None:
    assert Impersonation(Rights(), constrained=True).identity(_scope(), SENDER) is SENDER


@pytest.mark.parametrize(
    ("constrained", "want"),
    [
        (
            True,
            'pods is forbidden: User "robot" cannot impersonate-on:user-info:list resource '
            '"pods" in API group "" in the namespace "default"',
        ),
        (
            False,
            'users "bob" is forbidden: User "robot" cannot impersonate resource "users" in API '
            'group "" at the cluster scope',
        ),
    ],
)
def test_the_first_way_that_was_tried_is_what_a_refusal_tells(constrained: bool, want: str) -> None:
    impersonation = Impersonation(Rights(), constrained=constrained)
    with pytest.raises(ForbiddenError) as refused:
        impersonation.identity(_scope(user="bob"), SENDER)
    assert refused.value.message == want


def test_the_way_that_last_worked_is_tried_first() -> None:
    impersonation = Impersonation(Rights(WIDE), constrained=True)
    impersonation.identity(_scope(user="bob", group="g"), SENDER)
    with pytest.raises(ForbiddenError, match=r'^uids.authentication.k8s.io "5" is forbidden'):
        impersonation.identity(_scope(user="bob", uid="5"), SENDER)


def test_the_narrow_way_is_for_one_user_and_one_kind_of_request() -> None:
    impersonation = Impersonation(Rights(*NARROW), constrained=True)
    assert impersonation.identity(_scope(user="bob"), SENDER).user == "bob"
    with pytest.raises(ForbiddenError, match=r"cannot impersonate:user-info resource \"users\""):
        impersonation.identity(_scope(user="zoe"), SENDER)
    secrets = PODS.replace("pods", "secrets")
    with pytest.raises(ForbiddenError, match=r"cannot impersonate-on:user-info:list"):
        impersonation.identity(_scope(secrets, user="bob"), SENDER)


@pytest.mark.parametrize(
    ("headers", "groups"),
    [
        ({"user": "bob"}, ("system:authenticated",)),
        ({"user": "bob", "group": "g"}, ("g", "system:authenticated")),
        ({"user": "system:anonymous"}, ("system:unauthenticated",)),
        (
            {"user": "system:serviceaccount:ns:sa"},
            ("system:serviceaccounts", "system:serviceaccounts:ns", "system:authenticated"),
        ),
    ],
)
def test_whoever_is_impersonated_is_in_the_groups_of_their_kind(
    headers: dict[str, str], groups: tuple[str, ...]
) -> None:
    everything = PolicyRule(("*",), ("*",), ("*",))
    identity = Impersonation(Rights(everything), constrained=True).identity(
        _scope(**headers), SENDER
    )
    assert identity.groups == groups
