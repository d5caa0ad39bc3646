"""From exceptions to answers: the one place where a failure becomes a ``metav1.Status``.

Handlers raise the classes of ``apimachinery.errors``; the few failures that only a server
knows are made here, and what a store raises is translated here.
"""

from __future__ import annotations

import msgspec

from kubegang.apimachinery.errors import (
    ApiError,
    BadRequestError,
    ExpiredError,
    InternalError,
    MethodNotAllowedError,
    NotFoundError,
    RequestEntityTooLargeError,
    ServerTimeoutError,
    ServiceUnavailableError,
    StatusCause,
    StatusDetails,
    UnauthorizedError,
    UnexplainedError,
)
from kubegang.apimachinery.gotext import go_quote
from kubegang.apimachinery.objects import JsonObject
from kubegang.store.interface import (
    CompactedError,
    FutureRevisionError,
    StoreError,
    StoreFullError,
)

MAX_BODY_BYTES = 3 * 1024 * 1024
"""The largest request body, as kube-apiserver has it."""

_MAX_UINT64 = str(2**64 - 1)


class ContinueExpiredError(ExpiredError):
    """A continue token whose snapshot is gone; the Status offers an inconsistent rest."""

    def __init__(self, continue_token: str) -> None:
        super().__init__(
            "The provided continue parameter is too old to display a consistent list result. "
            "You can start a new list without the continue parameter, or use the continue token "
            "in this response to retrieve the remainder of the results. Continuing with the "
            "provided token results in an inconsistent list - objects that were created, "
            "modified, or deleted between the time the first chunk was returned and now may show "
            "up in the list."
        )
        self._continue_token = continue_token

    def to_status(self) -> JsonObject:
        """Return the Status with the token to go on with."""
        return {**super().to_status(), "metadata": {"continue": self._continue_token}}


def unknown_resource() -> NotFoundError:
    """Return the 404 for a version, resource or subresource that is not served."""
    return NotFoundError(
        "the server could not find the requested resource", details=StatusDetails()
    )


def method_not_allowed() -> MethodNotAllowedError:
    """Return the 405 for a verb that a resource does not have."""
    return MethodNotAllowedError(
        "the server does not allow this method on the requested resource", details=StatusDetails()
    )


def unauthorized() -> UnauthorizedError:
    """Return the 401 for wrong credentials; it says nothing about why."""
    return UnauthorizedError("Unauthorized")


def body_too_large() -> RequestEntityTooLargeError:
    """Return the 413 for a body above ``MAX_BODY_BYTES``."""
    return RequestEntityTooLargeError(f"Request entity too large: limit is {MAX_BODY_BYTES}")


def bad_revision(text: str, *, code: int) -> ApiError:
    """Return the answer to a resourceVersion that is no number: 400 to a list, else 500."""
    why = f"resourceVersion: Invalid value: {go_quote(text)}: {unsigned_problem(text)}"
    if code == 400:
        return BadRequestError(f"invalid resource version: {why}")
    return UnexplainedError(why)


def unsigned_problem(text: str) -> str:
    """Say in Go's words why a text is no unsigned 64-bit number; empty if it is one."""
    if not (text.isascii() and text.isdigit()):
        return f"strconv.ParseUint: parsing {go_quote(text)}: invalid syntax"
    if len(text.lstrip("0")) > len(_MAX_UINT64) or text.rjust(20, "0")[-20:] > _MAX_UINT64:
        return f"strconv.ParseUint: parsing {go_quote(text)}: value out of range"
    return ""


def unparsable_number(text: str) -> str:
    """Say in Go's words that a text is no number."""
    return f"strconv.ParseInt: parsing {go_quote(text)}: invalid syntax"


def future_revision(asked: int, current: int) -> ServerTimeoutError:
    """Return the 504 for a resourceVersion that has not happened yet."""
    return ServerTimeoutError(
        f"Timeout: Too large resource version: {asked}, current: {current}",
        details=StatusDetails(
            causes=(
                StatusCause(reason="ResourceVersionTooLarge", message="Too large resource version"),
            ),
            retry_after_seconds=1,
        ),
    )


def from_store(error: StoreError) -> ApiError:
    """Translate what a store raised and no handler expected."""
    if isinstance(error, CompactedError):
        return ExpiredError("The resourceVersion for the provided list is too old.")
    if isinstance(error, FutureRevisionError):
        return ServerTimeoutError(f"Timeout: {error}")
    if isinstance(error, StoreFullError):
        # What 1.37.2 says while its etcd has no space; programs look for this text.
        return UnexplainedError("etcdserver: mvcc: database space exceeded")
    return ServiceUnavailableError(f"storage is unavailable: {error}")


def internal(error: Exception) -> InternalError:
    """Return the 500 for a bug of ours; the text names the class, the log has the story."""
    return InternalError(f"Internal error occurred: {type(error).__name__}")


def status_body(error: ApiError) -> bytes:
    """Encode the Status of a failure."""
    return msgspec.json.encode(error.to_status())
