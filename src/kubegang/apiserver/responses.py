"""Answers: status, headers and body, ready to be sent.

An answer is an ASGI application. Starlette's response classes encode headers anew for every
request; most answers here have the same two.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from starlette.types import Receive, Scope, Send

from kubegang.apimachinery.errors import ApiError
from kubegang.apimachinery.objects import JsonObject
from kubegang.apiserver.errors import status_body

JSON = "application/json"
TEXT = "text/plain; charset=utf-8"

# As upstream cuts them: a header that grew without limit would break clients.
_WARNINGS_LENGTH = 4096
_WARNING_LENGTH = 256

_PART_BYTES = 1024 * 1024

_NO_CACHE = (b"cache-control", b"no-cache, private")


class Answer:
    """A complete answer."""

    __slots__ = ("body", "content_type", "headers", "status")

    def __init__(
        self,
        body: bytes,
        status: int = 200,
        *,
        content_type: str = JSON,
        headers: Sequence[tuple[str, str]] = (),
    ) -> None:
        self.body = body
        self.status = status
        self.content_type = content_type
        self.headers = headers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it; a large body in parts, so that it is not copied whole on its way."""
        await send(start_message(self.status, self.content_type, self.headers, self.body))
        start = 0
        if len(self.body) > _PART_BYTES:
            whole = memoryview(self.body)
            while len(whole) - start > _PART_BYTES:
                part = bytes(whole[start : start + _PART_BYTES])
                await send({"type": "http.response.body", "body": part, "more_body": True})
                start += _PART_BYTES
        rest = self.body[start:] if start else self.body
        await send({"type": "http.response.body", "body": rest})


def start_message(
    status: int,
    content_type: str,
    headers: Sequence[tuple[str, str]] = (),
    body: bytes | None = None,
) -> dict[str, object]:
    """Return the ASGI message that begins an answer; without a body its length is open."""
    raw = [_NO_CACHE]
    if content_type:
        raw.append((b"content-type", content_type.encode("latin-1")))
    if body is not None:
        raw.append((b"content-length", b"%d" % len(body)))
    # kube-apiserver writes texts as they are, so in UTF-8 (warnings; measured on 1.37.2).
    raw += [(name.encode(), value.encode()) for name, value in headers]
    return {"type": "http.response.start", "status": status, "headers": raw}


def json_answer(obj: JsonObject, status: int = 200) -> Answer:
    """Answer with an object."""
    return Answer(msgspec.json.encode(obj), status)


def text_answer(text: str, status: int = 200) -> Answer:
    """Answer with plain text."""
    return Answer(text.encode(), status, content_type=TEXT)


def page_not_found() -> Answer:
    """Answer 404 for a path outside the API, and for an unknown group."""
    return text_answer("404 page not found\n", 404)


def error_answer(error: ApiError, warnings: Sequence[str] = ()) -> Answer:
    """Answer with the Status of a failure, and Retry-After where it says when to try again."""
    headers = warning_headers(warnings)
    if error.details is not None and error.details.retry_after_seconds:
        headers.append(("retry-after", str(error.details.retry_after_seconds)))
    return Answer(status_body(error), error.code, headers=headers)


def warning_headers(texts: Sequence[str]) -> list[tuple[str, str]]:
    """Return one ``Warning`` header for each different text, in order.

    If they are too long together, each is cut short, and what still follows then is left out
    (measured on 1.37.2).
    """
    shown: list[str] = []
    written, is_cut = 0, False
    for text in dict.fromkeys(texts):
        if is_cut and written >= _WARNINGS_LENGTH:
            break
        if not is_cut and written + len(text) > _WARNINGS_LENGTH:
            is_cut = True
            shown = [one[:_WARNING_LENGTH] for one in shown]
            written = sum(map(len, shown))
        shown.append(text[:_WARNING_LENGTH] if is_cut else text)
        written += len(shown[-1])
    return [("warning", f'299 - "{_quoted(text)}"') for text in shown]


def _quoted(text: str) -> str:
    """Escape a text for the quoted part of a Warning header; control characters go."""
    clean = "".join(char for char in text if char.isprintable())
    return clean.replace("\\", "\\\\").replace('"', '\\"')
