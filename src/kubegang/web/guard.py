"""What stands before every answer of the page: whose request it is, and what browsers are told.

The page is for browsers on this machine. A request whose ``Host`` is another name comes from
a site that had its name resolved to us, and is refused. So is what would change something and
was not sent by the page itself: for cookies all ports of this machine are one site, and other
programs have pages on them. Scripts, styles and data come from the page itself and from nowhere
else; nothing may frame it, and nothing is kept.
"""

from __future__ import annotations

from http.cookies import CookieError, SimpleCookie
from typing import Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kubegang.web.assets import asset
from kubegang.web.sessions import Sessions

OWN_NAMES: Final = frozenset({"localhost", "127.0.0.1", "[::1]"})

LOGIN_PATH: Final = "/login"
ASSETS_PREFIX: Final = "/assets/"

_READING: Final = frozenset({"GET", "HEAD"})

_HEADERS: Final = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


class Guard:
    """Lets requests of sessions through to an application."""

    def __init__(self, app: ASGIApp, *, sessions: Sessions, cookie: str) -> None:
        """Stand before an application.

        Args:
            app: what answers.
            sessions: who may see it.
            cookie: the name of the cookie with a session's secret.
        """
        self._app = app
        self._sessions = sessions
        self._cookie = cookie

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(_HEADERS)
            await send(message)

        refusal = self._refusal(scope)
        await (refusal or self._app)(scope, receive, send_guarded)

    def _refusal(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        if _host_name(headers.get("host", "")) not in OWN_NAMES:
            return PlainTextResponse("this page has another name", status_code=403)
        if scope["method"] not in _READING and not _is_own(headers):
            return PlainTextResponse("another page asks for this", status_code=403)
        path = scope["path"]
        if path == LOGIN_PATH or path.startswith(ASSETS_PREFIX):
            return None
        if self._sessions.is_open(_cookie(headers, self._cookie)):
            return None
        if path == "/":
            return asset("login.html").response(status=401)
        return PlainTextResponse("log in first", status_code=401)


def _host_name(host: str) -> str:
    """Return a Host header's name without its port; tunnels have ports of their own."""
    name, colon, port = host.rpartition(":")
    return name if colon and port.isdecimal() else host


def _is_own(headers: Headers) -> bool:
    """Return whether the page sent a request: browsers say the origin of all but reads."""
    origin = urlsplit(headers.get("origin", ""))
    return origin.scheme in {"http", "https"} and origin.netloc == headers["host"]


def _cookie(headers: Headers, name: str) -> str:
    try:
        morsel = SimpleCookie(headers.get("cookie", "")).get(name)
    except CookieError:
        return ""
    return "" if morsel is None else morsel.value
