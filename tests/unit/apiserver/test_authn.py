from __future__ import annotations

from typing import Any

import pytest

from kubegang.apimachinery.errors import UnauthorizedError
from kubegang.apiserver.authn import IDENTITY_EXTENSION, Authenticator, Identity
from kubegang.apiserver.authorization.authorizer import is_open
from kubegang.apiserver.protocol import subject_of

_AUTHENTICATOR = Authenticator({"secret": Identity("robot", ("robots",))})


def _scope(authorization: str = "", subject: dict[str, Any] | None = None) -> dict[str, Any]:
    headers = [(b"authorization", authorization.encode())] if authorization else []
    extensions = {IDENTITY_EXTENSION: subject} if subject else {}
    return {"headers": headers, "extensions": extensions}


def test_a_certificate_names_user_and_groups() -> None:
    identity = _AUTHENTICATOR.identify(_scope(subject={"user": "jane", "groups": ("devs",)}))

    assert identity == Identity("jane", ("devs", "system:authenticated"))


def test_a_token_is_looked_up() -> None:
    identity = _AUTHENTICATOR.identify(_scope("Bearer secret"))

    assert identity == Identity("robot", ("robots", "system:authenticated"))


@pytest.mark.parametrize("header", ["", "Basic c2VjcmV0", "Bearer", "Bearer  "])
def test_whoever_brings_no_token_is_anonymous(header: str) -> None:
    assert _AUTHENTICATOR.identify(_scope(header)).anonymous


def test_a_wrong_token_is_not_anonymous_but_refused() -> None:
    with pytest.raises(UnauthorizedError, match=r"^Unauthorized$"):
        _AUTHENTICATOR.identify(_scope("Bearer other"))


def test_health_and_version_are_open_and_nothing_beside_them() -> None:
    assert all(map(is_open, ("/version", "/version/", "/healthz", "/readyz/ping", "/livez")))
    assert not any(map(is_open, ("/versions", "/api", "/metrics", "/", "/healthzz")))


def test_the_subject_of_a_certificate_is_read() -> None:
    subject = (
        (("organizationName", "system:masters"),),
        (("organizationName", "devs"),),
        (("commonName", "jane"),),
    )

    assert subject_of({"subject": subject}) == {
        "user": "jane",
        "groups": ("system:masters", "devs"),
    }
    assert subject_of({"subject": ((("organizationName", "devs"),),)}) is None
    assert subject_of(None) is None
