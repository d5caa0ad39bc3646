"""What surrounds every request: identity, limits, log line, metrics, and a last net for bugs.

Each layer is a small ASGI application around the next. From the outside in: the log gives the
request its id and counts it, the net turns a bug into a 500, the limit sheds load, and
authentication says who is asking.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kubegang.apimachinery.errors import ApiError, ForbiddenError, StatusDetails
from kubegang.apimachinery.errors import forbidden as forbidden_object
from kubegang.apiserver.authn import Authenticator, Identity, is_open
from kubegang.apiserver.chance import Rng, new_uid
from kubegang.apiserver.errors import from_store, internal
from kubegang.apiserver.metrics import RequestMetrics
from kubegang.apiserver.requests import ApiRequest, ClientGoneError, parse_query
from kubegang.apiserver.responses import TEXT, Answer, error_answer
from kubegang.apiserver.targets import Target, parse_target
from kubegang.base.clock import Clock
from kubegang.base.logging import logger
from kubegang.store.interface import StoreError

_LOG = logger("apiserver")

_CHANGING_METHODS = frozenset({"POST", "PUT", "PATCH", "DELETE"})
_VERBS = {"POST": "create", "PUT": "update", "PATCH": "patch"}


async def answer_with(
    make: Callable[[], Awaitable[ASGIApp]], scope: Scope, receive: Receive, send: Send
) -> None:
    """Send what ``make`` returns, or the Status of what it raises."""
    try:
        answer = await make()
    except ApiError as error:
        answer = error_answer(error, _warnings(scope))
    except StoreError as error:
        answer = error_answer(from_store(error), _warnings(scope))
    except ClientGoneError:
        return
    await answer(scope, receive, send)


def _warnings(scope: Scope) -> list[str]:
    request: ApiRequest | None = scope.get("kubegang.request")
    return request.warnings if request is not None else []


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
        began = self._clock.now()
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
            seconds = self._clock.now() - began
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


class Authentication:
    """Says who is asking, and what anonymous may not see."""

    def __init__(self, app: ASGIApp, *, authenticator: Authenticator) -> None:
        self._app = app
        self._authenticator = authenticator

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on with its identity, or refuse it."""
        if scope["type"] == "http":
            try:
                identity = self._authenticator.identify(scope)
                if identity.anonymous and not is_open(scope["path"]):
                    raise not_permitted(scope, identity)
            except ApiError as error:
                await error_answer(error)(scope, receive, send)
                return
            scope["kubegang.identity"] = identity
        await self._app(scope, receive, send)


def not_permitted(scope: Scope, identity: Identity) -> ForbiddenError:
    """Return the 403 of authorization, which says what was asked for."""
    target = parse_target(scope["path"])
    if target is None:
        verb = scope["method"].lower()
        why = f'forbidden: User "{identity.user}" cannot {verb} path "{scope["path"]}"'
        return ForbiddenError(why, details=StatusDetails())
    resource = f"{target.resource}/{target.subresource}" if target.subresource else target.resource
    where = f'in the namespace "{target.namespace}"' if target.namespace else "at the cluster scope"
    why = (
        f'User "{identity.user}" cannot {_verb(scope, target)} resource "{resource}" '
        f'in API group "{target.group}" {where}'
    )
    return forbidden_object(target.group_resource, target.name, why)


def _verb(scope: Scope, target: Target) -> str:
    method: str = scope["method"]
    if method in ("GET", "HEAD"):
        if target.watch or parse_query(scope).get("watch", ["0"])[0] not in ("", "0", "false"):
            return "watch"
        return "get" if target.name else "list"
    if method == "DELETE":
        return "delete" if target.name else "deletecollection"
    return _VERBS.get(method, method.lower())
