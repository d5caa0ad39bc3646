"""The page as an application: a few files, and a cluster's reports as JSON.

It only reads, except for what ``acts.py`` adds when asked to.

/            the page
/login       trades the secret of the printed address for a session
/assets/…    scripts and styles
/overview    the cluster as it is now
/explain/…   why one object waits
/what-if     what nodes more or less would change
/changes     an event stream that says when to look again
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Annotated, Final

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp

from kubegang.web.acts import Acts, act_routes
from kubegang.web.assets import Asset, asset
from kubegang.web.guard import LOGIN_PATH, Guard
from kubegang.web.sessions import Sessions
from kubegang.web.views import NoSuchObjectError, Supposition, Views

KEEP_ALIVE_SECONDS: Final = 15.0
"""A stream says so often that it is still there, so that either side notices the other's end."""


_END: Final = b"</body>"

MOST_NODES: Final = 1000
"""So many may be supposed at once."""


class _AskedSupposition(Supposition, frozen=True, forbid_unknown_fields=True):
    """A supposition as a request's query."""

    add: Annotated[int, msgspec.Meta(ge=0, le=MOST_NODES)] = 0


def create_page(
    views: Views,
    sessions: Sessions,
    *,
    cookie: str,
    closing: asyncio.Event,
    acts: Acts | None = None,
) -> ASGIApp:
    """Put the page together.

    Args:
        views: what it shows.
        sessions: who may see it.
        cookie: the name of its cookie; browsers share cookies among all ports of a machine.
        closing: once it is set, event streams end.
        acts: what it may change; ``None`` for nothing.
    """
    page = _Page(views, sessions, cookie, closing)
    routes = [
        Route("/", page.document if acts is None else page.document_with_acts),
        Route(LOGIN_PATH, page.login),
        Route("/assets/{name}", page.asset),
        Route("/overview", page.overview),
        Route("/explain/{kind}/{namespace}/{name}", page.explain),
        Route("/what-if", page.what_if),
        Route("/changes", page.changes),
        *(() if acts is None else act_routes(acts)),
    ]
    return Guard(Starlette(routes=routes), sessions=sessions, cookie=cookie)


class _Page:
    def __init__(
        self, views: Views, sessions: Sessions, cookie: str, closing: asyncio.Event
    ) -> None:
        self._views = views
        self._sessions = sessions
        self._cookie = cookie
        self._closing = closing

    async def document(self, _request: Request) -> Response:
        return asset("page.html").response()

    async def document_with_acts(self, _request: Request) -> Response:
        page, dialog = asset("page.html"), asset("acts.html")
        content = page.content.replace(_END, dialog.content + _END)
        return Asset(content, page.type).response()

    async def login(self, request: Request) -> Response:
        session = self._sessions.open(request.query_params.get("secret", ""))
        if session is None:
            return asset("login.html").response(status=401)
        answer = RedirectResponse("/", status_code=303)
        # Lax, not strict: the address may have been clicked on in a terminal that is a page.
        answer.set_cookie(self._cookie, session, httponly=True, samesite="lax")
        return answer

    async def asset(self, request: Request) -> Response:
        try:
            return asset(request.path_params["name"]).response()
        except KeyError as error:
            raise HTTPException(404) from error

    async def overview(self, _request: Request) -> Response:
        return _json(await self._views.overview())

    async def explain(self, request: Request) -> Response:
        asked = request.path_params
        try:
            report = await self._views.explain(asked["kind"], asked["namespace"], asked["name"])
        except NoSuchObjectError as error:
            raise HTTPException(404, str(error)) from error
        return _json(report)

    async def what_if(self, request: Request) -> Response:
        try:
            supposed = msgspec.convert(dict(request.query_params), _AskedSupposition, strict=False)
            report = await self._views.what_if(supposed)
        except msgspec.ValidationError as error:
            raise HTTPException(400, str(error)) from error
        except NoSuchObjectError as error:
            raise HTTPException(404, str(error)) from error
        return _json(report)

    async def changes(self, _request: Request) -> Response:
        return StreamingResponse(self._versions(), media_type="text/event-stream")

    async def _versions(self) -> AsyncIterator[str]:
        """Yield the events of a stream: first the version there is, then each new one."""
        version = -1
        while not self._closing.is_set():
            newest = await self._next_version(version)
            if newest is None:
                yield ": still here\n\n"
            else:
                version = newest
                yield f"data: {version}\n\n"

    async def _next_version(self, version: int) -> int | None:
        """Return the next version; ``None`` if there was none for a while, or all ends."""
        changing = asyncio.ensure_future(self._views.changed_since(version))
        ending = asyncio.ensure_future(self._closing.wait())
        try:
            await asyncio.wait(
                {changing, ending},
                timeout=KEEP_ALIVE_SECONDS,
                return_when=asyncio.FIRST_COMPLETED,
            )
            return changing.result() if changing.done() else None
        finally:
            changing.cancel()
            ending.cancel()


def _json(report: msgspec.Struct) -> Response:
    return Response(msgspec.json.encode(report), media_type="application/json")
