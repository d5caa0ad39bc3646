from __future__ import annotations

from typing import Any

from starlette.types import Message

from kubegang.apimachinery.errors import StatusDetails, TooManyRequestsError
from kubegang.apiserver.responses import Answer, error_answer, warning_headers


async def _sent(answer: Answer) -> list[Message]:
    messages: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        messages.append(message)

    scope: dict[str, Any] = {"type": "http"}
    await answer(scope, receive, send)
    return messages


async def test_a_large_body_goes_out_in_parts() -> None:
    body = bytes(range(256)) * 12_000

    start, *parts = await _sent(Answer(body))

    assert (b"content-length", b"3072000") in start["headers"]
    assert len(parts) == 3
    assert b"".join(part["body"] for part in parts) == body
    assert [part.get("more_body", False) for part in parts] == [True, True, False]


async def test_a_small_body_goes_out_at_once() -> None:
    _, *parts = await _sent(Answer(b"{}"))

    assert parts == [{"type": "http.response.body", "body": b"{}"}]


def test_when_to_try_again_is_a_header_too() -> None:
    details = StatusDetails(retry_after_seconds=10)

    answer = error_answer(TooManyRequestsError("later", details=details))

    assert answer.status == 429
    assert ("retry-after", "10") in answer.headers


def test_warnings_are_quoted_and_told_once() -> None:
    headers = warning_headers(['unknown field "a"', 'unknown field "a"', "b\\c\nd"])

    assert headers == [
        ("warning", '299 - "unknown field \\"a\\""'),
        ("warning", '299 - "b\\\\cd"'),
    ]


def test_many_long_warnings_are_cut() -> None:
    headers = warning_headers([f"{i}{'x' * 1000}" for i in range(100)])

    assert sum(len(text) for _, text in headers) < 5000


def test_short_warnings_go_on_until_4096_characters_are_told() -> None:
    headers = warning_headers([f"{i:0100}" for i in range(100)])

    # 40 of them fit, the next one begins the cutting, which leaves these as they are.
    assert len(headers) == 41


def test_warnings_are_cut_to_256_characters_once_there_are_too_many() -> None:
    headers = warning_headers(["a" * 4000, "b" * 300])

    assert [len(text) for _, text in headers] == [256 + len('299 - ""')] * 2
