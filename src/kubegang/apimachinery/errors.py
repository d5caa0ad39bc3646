"""API failures, one exception class per Kubernetes reason, shared by server and client.

The server raises them and turns them into ``metav1.Status`` in one place; the client turns
a Status back into the same class.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import msgspec

from kubegang.apimachinery.objects import GroupResource, JsonObject


class StatusCause(msgspec.Struct, frozen=True, omit_defaults=True):
    """One entry of ``Status.details.causes``."""

    reason: str = ""
    message: str = ""
    field: str = ""


class StatusDetails(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """``Status.details``; empty members are left out."""

    name: str = ""
    group: str = ""
    kind: str = ""
    uid: str = ""
    causes: tuple[StatusCause, ...] = ()
    retry_after_seconds: int = 0


class ApiError(Exception):
    """An answer of the API that is not a success.

    Attributes:
        details: ``None`` leaves ``details`` out of the Status; an empty one gives ``{}``.
    """

    code: ClassVar[int] = 500
    reason: ClassVar[str] = "InternalError"

    def __init__(self, message: str, *, details: StatusDetails | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.details = details

    def to_status(self) -> JsonObject:
        """Return the ``metav1.Status`` object of this failure."""
        status: JsonObject = {
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Failure",
            "message": self.message,
        }
        if self.reason:
            status["reason"] = self.reason
        if self.details is not None:
            # Through JSON, so that the causes are a list as in any decoded Status.
            status["details"] = msgspec.json.decode(msgspec.json.encode(self.details))
        status["code"] = self.code
        return status


class BadRequestError(ApiError):
    """The request could not be understood."""

    code, reason = 400, "BadRequest"


class UnauthorizedError(ApiError):
    """The credentials are wrong."""

    code, reason = 401, "Unauthorized"


class ForbiddenError(ApiError):
    """Authorization or admission said no."""

    code, reason = 403, "Forbidden"


class NotFoundError(ApiError):
    """No such object, or no such resource."""

    code, reason = 404, "NotFound"


class MethodNotAllowedError(ApiError):
    """The resource does not support this verb."""

    code, reason = 405, "MethodNotAllowed"


class NotAcceptableError(ApiError):
    """None of the media types asked for can be made."""

    code, reason = 406, "NotAcceptable"


class AlreadyExistsError(ApiError):
    """The name is taken."""

    code, reason = 409, "AlreadyExists"


class ConflictError(ApiError):
    """The object has changed, or the request contradicts its state."""

    code, reason = 409, "Conflict"


class ExpiredError(ApiError):
    """The resourceVersion or continue token is older than what is kept."""

    code, reason = 410, "Expired"


class RequestEntityTooLargeError(ApiError):
    """The body is larger than 3 MiB."""

    code, reason = 413, "RequestEntityTooLarge"


class UnsupportedMediaTypeError(ApiError):
    """The body has a media type that this resource does not take."""

    code, reason = 415, "UnsupportedMediaType"


class InvalidError(ApiError):
    """The object breaks rules of its kind; ``details.causes`` name the fields."""

    code, reason = 422, "Invalid"


class TooManyRequestsError(ApiError):
    """Try again later."""

    code, reason = 429, "TooManyRequests"


class InternalError(ApiError):
    """The server failed, or answers as the real one does where that one fails."""

    code, reason = 500, "InternalError"


class UnexplainedError(ApiError):
    """A 500 without a reason, as the real server gives for errors it does not classify."""

    code, reason = 500, ""


class NotImplementedApiError(ApiError):
    """Something this server refuses to do."""

    code, reason = 501, "NotImplemented"


class ServiceUnavailableError(ApiError):
    """The server cannot answer now."""

    code, reason = 503, "ServiceUnavailable"


class ServerTimeoutError(ApiError):
    """The server could not answer in time, for instance a resourceVersion from the future."""

    code, reason = 504, "Timeout"


_BY_REASON: dict[str, type[ApiError]] = {
    cls.reason: cls
    for cls in (
        BadRequestError,
        UnauthorizedError,
        ForbiddenError,
        NotFoundError,
        MethodNotAllowedError,
        NotAcceptableError,
        AlreadyExistsError,
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


def error_from_status(status: JsonObject) -> ApiError:
    """Return the exception for a Status object received from a server."""
    details = status.get("details")
    cls = _BY_REASON.get(str(status.get("reason") or ""), UnexplainedError)
    return cls(
        str(status.get("message") or "the server gave no message"),
        details=msgspec.convert(details, StatusDetails) if details is not None else None,
    )


def not_found(resource: GroupResource, name: str) -> NotFoundError:
    """Return the 404 for an object that does not exist."""
    return NotFoundError(
        f'{resource} "{name}" not found',
        details=StatusDetails(name=name, group=resource.group, kind=resource.resource),
    )


def already_exists(resource: GroupResource, name: str) -> AlreadyExistsError:
    """Return the 409 for a create with a name that is taken."""
    return AlreadyExistsError(
        f'{resource} "{name}" already exists',
        details=StatusDetails(name=name, group=resource.group, kind=resource.resource),
    )


def conflict(resource: GroupResource, name: str, why: str) -> ConflictError:
    """Return the 409 for a request that contradicts the object's state."""
    return ConflictError(
        f'Operation cannot be fulfilled on {resource} "{name}": {why}',
        details=StatusDetails(name=name, group=resource.group, kind=resource.resource),
    )


def forbidden(resource: GroupResource, name: str, why: str) -> ForbiddenError:
    """Return the 403 of admission or authorization."""
    subject = f'{resource} "{name}"' if name else f"{resource}"
    return ForbiddenError(
        f"{subject} is forbidden: {why}",
        details=StatusDetails(name=name, group=resource.group, kind=resource.resource),
    )


def invalid(group: str, kind: str, name: str, causes: Sequence[StatusCause]) -> InvalidError:
    """Return the 422 that lists broken rules, in upstream's form for one and for several.

    A line that occurs twice is said once; the causes keep both.
    """
    lines = list(dict.fromkeys(f"{cause.field}: {cause.message}" for cause in causes))
    body = lines[0] if len(lines) == 1 else "[" + ", ".join(lines) + "]"
    subject = f"{kind}.{group}" if group else kind
    return InvalidError(
        f'{subject} "{name}" is invalid: {body}',
        details=StatusDetails(name=name, group=group, kind=kind, causes=tuple(causes)),
    )
