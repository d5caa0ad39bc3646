"""Which exception an answer becomes."""

from __future__ import annotations

import msgspec
import pytest

from kubegang.apimachinery.errors import (
    ApiError,
    ConflictError,
    ExpiredError,
    InternalError,
    InvalidError,
    NotFoundError,
    StatusCause,
    TooManyRequestsError,
    UnexplainedError,
)
from kubegang.client.failures import failure_of
from kubegang.client.interface import Response
from kubegang.client.lines import LineSplitter


def answer(code: int, body: object, **headers: str) -> Response:
    content = body.encode() if isinstance(body, str) else msgspec.json.encode(body)
    return Response(code, {key.replace("_", "-"): value for key, value in headers.items()}, content)


def status(**fields: object) -> dict[str, object]:
    return {"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": "m", **fields}


@pytest.mark.parametrize(
    ("response", "want"),
    [
        pytest.param(answer(404, status(reason="NotFound", code=404)), NotFoundError, id="reason"),
        pytest.param(answer(409, status(code=409)), ConflictError, id="no-reason"),
        pytest.param(answer(410, status(reason="Gone", code=410)), ExpiredError, id="other-reason"),
        pytest.param(answer(500, status(code=500)), UnexplainedError, id="unexplained"),
        pytest.param(answer(500, "oops"), InternalError, id="plain-500"),
        pytest.param(answer(404, "404 page not found\n"), NotFoundError, id="plain-404"),
        pytest.param(answer(418, "teapot"), UnexplainedError, id="unknown-code"),
        pytest.param(answer(404, ["not", "a", "status"]), NotFoundError, id="other-json"),
    ],
)
def test_reason_and_code_choose_the_exception(response: Response, want: type[ApiError]) -> None:
    assert type(failure_of(response)) is want


def test_the_message_and_the_causes_are_kept() -> None:
    details = {"causes": [{"reason": "FieldValueInvalid", "field": "spec.x", "message": "no"}]}
    error = failure_of(answer(422, status(reason="Invalid", code=422, details=details)))

    assert isinstance(error, InvalidError)
    assert error.message == "m"
    assert error.details is not None
    assert error.details.causes == (StatusCause("FieldValueInvalid", "no", "spec.x"),)


def test_details_of_an_unknown_shape_do_not_hide_the_failure() -> None:
    error = failure_of(answer(404, status(reason="NotFound", code=404, details={"name": 7})))

    assert isinstance(error, NotFoundError)
    assert error.details is None


def test_a_plain_answer_keeps_its_text_and_how_long_to_wait() -> None:
    error = failure_of(answer(429, "Too many requests\n", retry_after="7"))

    assert isinstance(error, TooManyRequestsError)
    assert error.message == "Too many requests"
    assert error.details is not None
    assert error.details.retry_after_seconds == 7


def test_an_empty_answer_still_says_something() -> None:
    assert failure_of(answer(503, "", retry_after="soon")).message == "the server answered 503"


def test_lines_are_whole_however_the_pieces_are_cut() -> None:
    text = "ä\n\nbb\nccc\n".encode()
    for size in range(1, len(text) + 1):
        splitter = LineSplitter()
        lines = [
            line for at in range(0, len(text), size) for line in splitter.feed(text[at : at + size])
        ]
        assert lines == ["ä".encode(), b"bb", b"ccc"]
