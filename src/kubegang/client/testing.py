"""A client that records what is asked and fails where a test says so.

It is an ``ApiClient`` over a transport that wraps the real one, so whatever is not made to
fail behaves as in production.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing

import msgspec

from kubegang.apimachinery.errors import ApiError
from kubegang.apimachinery.objects import JsonObject
from kubegang.client.api import ApiClient
from kubegang.client.interface import Request, Response, Transport, UnreachableError


class Sent(msgspec.Struct, frozen=True):
    """A request as tests compare it: what was done where, and the decoded body."""

    method: str
    path: str
    query: dict[str, str]
    body: JsonObject | list[JsonObject] | None


class _Failure:
    """Some requests to come that shall fail.

    ``after_lines`` lets a stream begin and breaks it then.
    """

    def __init__(
        self,
        error: ApiError | UnreachableError,
        *,
        method: str,
        path: str,
        times: int,
        after_lines: int,
    ) -> None:
        self.error = error
        self.after_lines = after_lines
        self._method = method
        self._path = path
        self._left = times

    def claims(self, request: Request, *, after_lines: bool) -> bool:
        """Return whether it is this request's turn to fail."""
        fits = (
            self._left > 0
            and self._method in {"", request.method}
            and self._path in request.path
            and (self.after_lines > 0) == after_lines
        )
        self._left -= fits
        return fits


class RecordingTransport:
    """Passes requests on, unless they shall fail, and remembers them."""

    def __init__(self, inner: Transport) -> None:
        self.requests: list[Request] = []
        self._inner = inner
        self._failures: list[_Failure] = []

    def fail(
        self,
        error: ApiError | UnreachableError,
        *,
        method: str = "",
        path: str = "",
        times: int = 1,
        after_lines: int = 0,
    ) -> None:
        """Have the next requests that fit fail; see ``RecordingClient.fail``."""
        self._failures.append(
            _Failure(error, method=method, path=path, times=times, after_lines=after_lines)
        )

    async def send(self, request: Request) -> Response:
        """Send a request, or answer with the failure that is its turn."""
        self.requests.append(request)
        failure = self._failure_for(request, after_lines=False)
        if failure is None:
            return await self._inner.send(request)
        if isinstance(failure.error, UnreachableError):
            raise failure.error
        status = failure.error.to_status()
        return Response(failure.error.code, {}, msgspec.json.encode(status))

    async def stream(self, request: Request) -> AsyncGenerator[bytes, None]:
        """Send a request and yield lines, until the failure that is its turn."""
        self.requests.append(request)
        failure = self._failure_for(request, after_lines=False)
        if failure is not None:
            raise failure.error
        failure = self._failure_for(request, after_lines=True)
        count = 0
        async with aclosing(self._inner.stream(request)) as lines:
            async for line in lines:
                yield line
                count += 1
                if failure is not None and count == failure.after_lines:
                    raise failure.error

    async def close(self) -> None:
        """Close the transport that is wrapped."""
        await self._inner.close()

    def _failure_for(self, request: Request, *, after_lines: bool) -> _Failure | None:
        for failure in self._failures:
            if failure.claims(request, after_lines=after_lines):
                return failure
        return None


class RecordingClient(ApiClient):
    """An ``ApiClient`` that can be asked what it sent, and told to fail.

    Attributes:
        recording: the transport, for further clients whose requests shall count too.
    """

    def __init__(self, inner: Transport, *, user_agent: str = "test") -> None:
        """Speak through ``inner``."""
        self.recording = RecordingTransport(inner)
        super().__init__(self.recording, user_agent=user_agent)

    def fail(
        self,
        error: ApiError | UnreachableError,
        *,
        method: str = "",
        path: str = "",
        times: int = 1,
        after_lines: int = 0,
    ) -> None:
        """Have the next requests that fit fail instead of being sent.

        Args:
            error: what the caller gets.
            method: the HTTP method, or empty for any.
            path: a part of the path.
            times: how many requests fail.
            after_lines: for watches: break the stream after so many events.
        """
        self.recording.fail(error, method=method, path=path, times=times, after_lines=after_lines)

    def sent(self, *, method: str = "", path: str = "") -> list[Sent]:
        """Return what was sent, failed requests included, in order."""
        return [
            Sent(
                request.method,
                request.path,
                dict(request.query),
                msgspec.json.decode(request.body) if request.body else None,
            )
            for request in self.recording.requests
            if method in {"", request.method} and path in request.path
        ]
