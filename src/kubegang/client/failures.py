"""What an answer that is not a success means, as an exception.

Pure: no clock, no I/O.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

from kubegang.apimachinery.errors import (
    ApiError,
    BadRequestError,
    ConflictError,
    ExpiredError,
    ForbiddenError,
    InternalError,
    InvalidError,
    MethodNotAllowedError,
    NotAcceptableError,
    NotFoundError,
    NotImplementedApiError,
    RequestEntityTooLargeError,
    ServerTimeoutError,
    ServiceUnavailableError,
    StatusDetails,
    TooManyRequestsError,
    UnauthorizedError,
    UnexplainedError,
    UnsupportedMediaTypeError,
    error_from_status,
)
from kubegang.apimachinery.objects import JsonObject
from kubegang.client.interface import Response

_LONGEST_TEXT = 500

_BY_CODE: Final[dict[int, type[ApiError]]] = {
    cls.code: cls
    for cls in (
        BadRequestError,
        UnauthorizedError,
        ForbiddenError,
        NotFoundError,
        MethodNotAllowedError,
        NotAcceptableError,
        ConflictError,
        ExpiredError,
        RequestEntityTooLargeError,
        UnsupportedMediaTypeError,
        InvalidError,
        TooManyRequestsError,
        InternalError,
        NotImplementedApiError,
        ServiceUnavailableError,
        ServerTimeoutError,
    )
}


def failure_of(response: Response) -> ApiError:
    """Return the exception for an answer with a status of 400 or more.

    The server says why in a Status object; what stands between, such as a proxy or the
    server's overload guard, answers in plain text, and then the code has to do.
    """
    status = _status_of(response.body)
    if status is not None:
        return error_of_status(status, code=response.status)
    text = response.body.decode(errors="replace").strip()[:_LONGEST_TEXT]
    cls = _BY_CODE.get(response.status, UnexplainedError)
    wait = retry_after_seconds(response.headers)
    details = StatusDetails(retry_after_seconds=wait) if wait is not None else None
    return cls(text or f"the server answered {response.status}", details=details)


def error_of_status(status: JsonObject, *, code: int) -> ApiError:
    """Return the exception for a Status object; the code decides if its reason is unknown."""
    try:
        error = error_from_status(status)
    except msgspec.ValidationError:
        # Details of another shape than ours: the reason and the message still count.
        error = error_from_status({**status, "details": None})
    if isinstance(error, UnexplainedError) and code != UnexplainedError.code:
        return _BY_CODE.get(code, UnexplainedError)(error.message, details=error.details)
    return error


def retry_after_seconds(headers: Mapping[str, str]) -> int | None:
    """Return what ``Retry-After`` asks for, if it gives seconds."""
    text = headers.get("retry-after", "")
    return int(text) if text.isascii() and text.isdigit() else None


def _status_of(body: bytes) -> JsonObject | None:
    try:
        document = msgspec.json.decode(body)
    except msgspec.DecodeError:
        return None
    if isinstance(document, dict) and document.get("kind") == "Status":
        return document
    return None
