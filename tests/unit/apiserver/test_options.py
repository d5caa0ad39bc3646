from __future__ import annotations

import pytest
from starlette.types import Message

from kubegang.api.resources import ROWS
from kubegang.apimachinery.errors import ApiError, BadRequestError, InvalidError
from kubegang.apiserver.authn import ANONYMOUS
from kubegang.apiserver.options import (
    check_timeout,
    default_manager,
    list_options,
    parse_revision,
    write_options,
)
from kubegang.apiserver.requests import ApiRequest
from kubegang.apiserver.targets import Target

_PODS = next(row for row in ROWS if row.plural == "pods")


async def _nothing() -> Message:
    return {"type": "http.disconnect"}


def _request(query: str, user_agent: str = "agent/1") -> ApiRequest:
    scope = {
        "query_string": query.encode(),
        "headers": [(b"user-agent", user_agent.encode())],
    }
    return ApiRequest(
        scope,
        _nothing,
        identity=ANONYMOUS,
        target=Target("", "v1", "pods", "default"),
        info=_PODS,
        storage=_PODS,
        verb="list",
    )


@pytest.mark.parametrize(
    ("query", "want"),
    [
        pytest.param("watch", False, id="empty"),
        pytest.param("watch=0", False, id="zero"),
        pytest.param("watch=False", False, id="false"),
        pytest.param("watch=True", True, id="true"),
        pytest.param("watch=maybe", True, id="anything-else"),
        pytest.param("", False, id="absent"),
    ],
)
def test_booleans_are_read_as_kubernetes_reads_them(query: str, want: bool) -> None:
    assert list_options(_request(query)).watch is want


@pytest.mark.parametrize(
    ("query", "want_field"),
    [
        pytest.param("resourceVersionMatch=Exact", "resourceVersionMatch", id="match-alone"),
        pytest.param(
            "resourceVersion=0&resourceVersionMatch=Exact", "resourceVersionMatch", id="exact-zero"
        ),
        pytest.param(
            "resourceVersion=1&resourceVersionMatch=Near", "resourceVersionMatch", id="unknown"
        ),
        pytest.param("sendInitialEvents=true", "sendInitialEvents", id="initial-events-of-list"),
        pytest.param(
            "watch=1&sendInitialEvents=true", "resourceVersionMatch", id="initial-without-match"
        ),
        pytest.param(
            "watch=1&resourceVersionMatch=NotOlderThan", "resourceVersionMatch", id="match-of-watch"
        ),
    ],
)
def test_options_that_exclude_each_other_are_refused(query: str, want_field: str) -> None:
    with pytest.raises(InvalidError) as caught:
        list_options(_request(query))

    details = caught.value.details
    assert details is not None
    assert (details.kind, details.causes[0].field) == ("ListOptions", want_field)


@pytest.mark.parametrize("query", ["limit=x", "timeoutSeconds=1.5", "limit=1_0"])
def test_numbers_must_be_numbers(query: str) -> None:
    with pytest.raises(BadRequestError, match=r"strconv\.ParseInt"):
        list_options(_request(query))


def test_the_manager_is_named_or_taken_from_the_user_agent() -> None:
    named = write_options(_request("fieldManager=me"), "UpdateOptions")
    guessed = write_options(_request("", "kubectl/v1.37 (linux)"), "UpdateOptions")

    assert (named.manager, guessed.manager) == ("me", "kubectl")
    assert default_manager("") == "unknown"
    assert default_manager("a\x07b/1") == "ab"
    assert len(default_manager("x" * 200)) == 128


@pytest.mark.parametrize(
    ("query", "apply", "want_field"),
    [
        pytest.param("force=true", False, "force", id="force-without-apply"),
        pytest.param("", True, "fieldManager", id="apply-without-manager"),
        pytest.param("dryRun=Some", None, "dryRun", id="dry-run"),
        pytest.param("fieldValidation=Loud", None, "fieldValidation", id="field-validation"),
        pytest.param(f"fieldManager={'x' * 129}", None, "fieldManager", id="long-manager"),
        pytest.param("fieldManager=a%07b", None, "fieldManager", id="control-character"),
    ],
)
def test_wrong_write_options_are_refused(query: str, apply: bool | None, want_field: str) -> None:
    with pytest.raises(InvalidError) as caught:
        write_options(_request(query), "PatchOptions", apply=apply)

    details = caught.value.details
    assert details is not None
    assert (details.kind, details.causes[0].field) == ("PatchOptions", want_field)


def test_a_resource_version_is_a_number() -> None:
    assert parse_revision("", code=400) == 0
    assert parse_revision("18446744073709551615", code=400) == 2**64 - 1


@pytest.mark.parametrize(
    ("text", "want"),
    [
        pytest.param("abc", "invalid syntax", id="letters"),
        pytest.param("-1", "invalid syntax", id="negative"),
        pytest.param("\u0661", "invalid syntax", id="other-digits"),
        pytest.param("18446744073709551616", "value out of range", id="too-large"),
        pytest.param("9" * 5000, "value out of range", id="far-too-large"),
    ],
)
@pytest.mark.parametrize("code", [400, 500])
def test_other_resource_versions_are_refused(text: str, want: str, code: int) -> None:
    with pytest.raises(ApiError, match=want) as caught:
        parse_revision(text, code=code)

    assert caught.value.code == code


@pytest.mark.parametrize("text", ["32s", "1m30s", "1.5h", "0", "100ms"])
def test_a_duration_is_accepted(text: str) -> None:
    check_timeout(_request(f"timeout={text}"))


def test_another_timeout_is_refused() -> None:
    with pytest.raises(BadRequestError, match='time: invalid duration "soon"'):
        check_timeout(_request("timeout=soon"))
