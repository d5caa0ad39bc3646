"""What surrounds every request: log line, metrics, a last net for bugs, and limits.

Each layer is a small ASGI application around the next. From the outside in: the log gives the
request its id and counts it, the net turns a bug into a 500, the limit sheds load. Who is
asking, and whether they may, is said in ``access.py``.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kubegang.apimachinery.errors import ApiError
from kubegang.apiserver.chance import Rng, new_uid
from kubegang.apiserver.errors import from_store, internal
from kubegang.apiserver.metrics import RequestMetrics
from kubegang.apiserver.negotiation import YAML, wants_yaml
from kubegang.apiserver.requests import ApiRequest, ClientGoneError, header
from kubegang.apiserver.responses import TEXT, Answer, error_answer
from kubegang.apiserver.yamlform import as_yaml
from kubegang.base.clock import Clock
from kubegang.base.logging import logger
from kubegang.store.interface import StoreError

_LOG = logger("apiserver")

_CHANGING_METHODS = frozenset({"POST", "PUT", "PATCH", "DELETE"})


async def answer_with(
    make: Callable[[], Awaitable[ASGIApp]], scope: Scope, receive: Receive, send: Send
) -> None:
    """Send what ``make`` returns, or the Status of what it raises."""
    try:
        answer = await make()
    except ApiError as error:
        answer = _failure(error, scope)
    except StoreError as error:
        answer = _failure(from_store(error), scope)
    except ClientGoneError:
        return
    await answer(scope, receive, send)


def _failure(error: ApiError, scope: Scope) -> Answer:
    """Answer with the Status of a failure, in the form that the client reads."""
    request: ApiRequest | None = scope.get("kubegang.request")
    answer = error_answer(error, request.warnings if request is not None else ())
    if wants_yaml(header(scope, b"accept")):
        answer.body, answer.content_type = as_yaml(answer.body), YAML
    return answer


class RequestLog:
    """Gives each request an id, writes one line about it, and counts it."""

    def __init__(self, app: ASGIApp, *, clock: Clock, rng: Rng, metrics: RequestMetrics) -> None:
        self._app = app
        self._clock = clock
        self._rng = rng
        self._metrics = metrics
        # Bound once: looking the logger up for every request costs more than the line.
        self._log = _LOG.bind()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on and note what became of it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        audit_id = new_uid(self._rng)
        scope["kubegang.audit-id"] = audit_id
        began = self._clock.steady()
        status = 0

        async def send_with_id(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message["headers"], (b"audit-id", audit_id.encode())]
            await send(message)

        try:
            await self._app(scope, receive, send_with_id)
        finally:
            seconds = self._clock.steady() - began
            self._note(scope, status, seconds)

    def _note(self, scope: Scope, status: int, seconds: float) -> None:
        request: ApiRequest | None = scope.get("kubegang.request")
        self._metrics.observe(request, method=scope["method"], status=status, seconds=seconds)
        self._log.debug(
            "request",
            method=scope["method"],
            path=scope["path"],
            status=status,
            ms=round(seconds * 1000, 1),
            audit_id=scope["kubegang.audit-id"],
        )


class PanicGuard:
    """The request boundary's net: a bug is logged once with its story and answered with a 500."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on."""
        started = False

        async def noting_send(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            await self._app(scope, receive, noting_send)
        except Exception as error:  # noqa: BLE001 - the named guard at the request boundary
            _LOG.error(
                "request failed",
                method=scope.get("method"),
                path=scope.get("path"),
                audit_id=scope.get("kubegang.audit-id"),
                exc_info=error,
            )
            if not started:
                await error_answer(internal(error))(scope, receive, send)


class HeadLimit:
    """Refuses requests with more in their head than Go's server reads."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on if its head is not too long."""
        if scope["type"] == "http" and _head_bytes(scope) > _MAX_HEAD_BYTES:
            await _TOO_LARGE(scope, receive, send)
        else:
            await self._app(scope, receive, send)


def _head_bytes(scope: Scope) -> int:
    return sum(len(name) + len(value) for name, value in scope["headers"])


_MAX_HEAD_BYTES = 1 << 20
"""The default of Go's ``http.Server``, which kube-apiserver keeps."""

_TOO_LARGE = Answer(
    b"431 Request Header Fields Too Large",
    431,
    content_type="text/plain; charset=utf-8",
    headers=(("connection", "close"),),
)


class InFlightLimit:
    """Sheds load: beyond so many requests at work at once, clients are told to come back.

    Watches are not counted: they last, and cost nothing while nothing happens.
    """

    def __init__(self, app: ASGIApp, *, reading: int, changing: int) -> None:
        self._app = app
        self._limits = {False: reading, True: changing}
        self._at_work = {False: 0, True: 0}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on if there is room."""
        if scope["type"] != "http" or _lasts(scope):
            await self._app(scope, receive, send)
            return
        changing = scope["method"] in _CHANGING_METHODS
        if self._at_work[changing] >= self._limits[changing]:
            await _TOO_MANY(scope, receive, send)
            return
        self._at_work[changing] += 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._at_work[changing] -= 1


_TOO_MANY = Answer(
    b"Too many requests, please try again later.\n",
    429,
    content_type=TEXT,
    headers=(("retry-after", "1"),),
)


def _lasts(scope: Scope) -> bool:
    """Return whether a request is a watch or a connection into a pod."""
    path: str = scope["path"]
    if b"watch" in scope["query_string"] or "/watch/" in path:
        return True
    return path.endswith(("/exec", "/attach", "/portforward", "/log"))
