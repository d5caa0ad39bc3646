"""Sends requests over HTTPS with aiohttp; the only module that knows aiohttp.

Proxies of the environment are not used: the credentials are for the API server alone.
"""

from __future__ import annotations

import io
import ssl
import tempfile
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import NamedTuple
from urllib.parse import urlencode

import aiohttp
import yarl

from kubegang.base.clock import Clock, RealClock
from kubegang.client.failures import failure_of, retry_after_seconds
from kubegang.client.interface import Request, Response, UnreachableError
from kubegang.client.kubeconfig import KubeConfig, KubeConfigError
from kubegang.client.lines import LineSplitter

CONNECTIONS = 64
"""Requests under way at once; watches have connections of their own."""

_CONNECT_SECONDS = 10
_SILENCE_SECONDS = 60
_WATCH_GRACE_SECONDS = 30
_TOKEN_SECONDS = 60
_LARGE_BYTES = 1 << 20

_ATTEMPTS = 10
_LONGEST_WAIT_SECONDS = 30

_REAL_CLOCK = RealClock()


class HttpTransport:
    """Sends requests to the server of a kubeconfig; used on one event loop."""

    def __init__(
        self,
        kubeconfig: KubeConfig,
        *,
        clock: Clock = _REAL_CLOCK,
        connections: int = CONNECTIONS,
        silence_seconds: float = _SILENCE_SECONDS,
    ) -> None:
        """Read the certificates; no connection is made before the first request.

        Args:
            kubeconfig: server and credentials.
            clock: for the waits that a server asks for, and for reading a token file again.
            connections: how many requests may be under way at once.
            silence_seconds: how long an answer may pause before the server counts as gone.

        Raises:
            KubeConfigError: a certificate or key is not usable.
        """
        self._base = kubeconfig.server
        self._clock = clock
        self._credentials = _Credentials(kubeconfig, clock)
        self._server_hostname = kubeconfig.tls_server_name or None
        self._context = _ssl_context(kubeconfig)
        self._connections = connections
        self._silence_seconds = silence_seconds
        self._sessions: _Sessions | None = None

    async def send(self, request: Request) -> Response:
        """Send a request and return the whole answer, whatever its status.

        An overloaded server that says when to come again is asked again, as client-go does.

        Raises:
            UnreachableError: no answer can be had.
        """
        for _ in range(_ATTEMPTS - 1):
            response = await self._send_once(request)
            wait = retry_after_seconds(response.headers)
            if wait is None or not (response.status == 429 or response.status >= 500):
                return response
            await self._clock.sleep(min(wait, _LONGEST_WAIT_SECONDS))
        return await self._send_once(request)

    async def stream(self, request: Request) -> AsyncGenerator[bytes, None]:
        """Send a request and yield the answer's lines as they come (a watch), first an empty one.

        Raises:
            ApiError: the answer was not 200.
            UnreachableError: the connection could not be made, or broke.
        """
        # The server ends a watch after its timeoutSeconds; one that goes on has lost its peer.
        seconds = int(dict(request.query).get("timeoutSeconds", "0"))
        total = seconds + _WATCH_GRACE_SECONDS if seconds else None
        limits = aiohttp.ClientTimeout(total=total, sock_connect=_CONNECT_SECONDS)
        async with self._exchange(self._open().watches, request, limits=limits) as response:
            if response.status != 200:
                raise failure_of(await _whole(response))
            yield b""
            splitter = LineSplitter()
            async for chunk in response.content.iter_any():
                for line in splitter.feed(chunk):
                    yield line

    async def close(self) -> None:
        """Close all connections."""
        if self._sessions is not None:
            await self._sessions.requests.close()
            await self._sessions.watches.close()
            self._sessions = None

    def _open(self) -> _Sessions:
        """Return the connection pools; they belong to the loop that first asks."""
        if self._sessions is None:
            self._sessions = _Sessions(
                _session(self._context, self._connections, self._silence_seconds),
                _session(self._context, 0, None),
            )
        return self._sessions

    async def _send_once(self, request: Request) -> Response:
        async with self._exchange(self._open().requests, request) as response:
            return await _whole(response)

    @asynccontextmanager
    async def _exchange(
        self,
        session: aiohttp.ClientSession,
        request: Request,
        *,
        limits: aiohttp.ClientTimeout | None = None,
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        """Send a request, with every way of failing turned into ``UnreachableError``."""
        query = f"?{urlencode(request.query)}" if request.query else ""
        try:
            async with session.request(
                request.method,
                # Already encoded; yarl would decode what names may not contain.
                yarl.URL(f"{self._base}{request.path}{query}", encoded=True),
                data=_body(request.body),
                headers=[*request.headers, *self._credentials.headers()],
                timeout=limits or session.timeout,
                allow_redirects=False,
                server_hostname=self._server_hostname,
            ) as response:
                yield response
        except TimeoutError as error:
            raise UnreachableError(f"{self._base} did not answer in time") from error
        except (aiohttp.ClientError, OSError) as error:
            raise UnreachableError(f"{self._base}: {error}") from error


class _Sessions(NamedTuple):
    """Two pools: a watch holds its connection, and many would use up the other one."""

    requests: aiohttp.ClientSession
    watches: aiohttp.ClientSession


class _Credentials:
    """The Authorization header; a token file is read again once a minute."""

    def __init__(self, kubeconfig: KubeConfig, clock: Clock) -> None:
        self._token = kubeconfig.token
        self._file = kubeconfig.token_file
        self._clock = clock
        self._read_at = float("-inf")

    def headers(self) -> list[tuple[str, str]]:
        now = self._clock.steady()
        if self._file is not None and now - self._read_at >= _TOKEN_SECONDS:
            try:
                self._token = self._file.read_text(encoding="utf-8").strip()
            except OSError as error:
                # As in client-go, the token of before serves as long as it does.
                if not self._token:
                    raise UnreachableError(f"no token: {self._file}: {error.strerror}") from error
            self._read_at = now
        return [("authorization", f"Bearer {self._token}")] if self._token else []


def _session(
    context: ssl.SSLContext, connections: int, silence_seconds: float | None
) -> aiohttp.ClientSession:
    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(ssl=context, limit=connections),
        timeout=aiohttp.ClientTimeout(
            total=None, sock_connect=_CONNECT_SECONDS, sock_read=silence_seconds
        ),
        # Against a server nearby, unpacking costs more than it saves.
        headers={"accept-encoding": "identity"},
        cookie_jar=aiohttp.DummyCookieJar(),
        trust_env=False,
    )


def _ssl_context(kubeconfig: KubeConfig) -> ssl.SSLContext:
    try:
        context = ssl.create_default_context(cadata=kubeconfig.ca_data.decode() or None)
        if kubeconfig.client_certificate_data:
            _load_client_certificate(context, kubeconfig)
    except (ssl.SSLError, ValueError) as error:
        raise KubeConfigError(
            f"the certificates of context {kubeconfig.context!r} are not usable: {error}"
        ) from error
    if kubeconfig.insecure:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context


def _load_client_certificate(context: ssl.SSLContext, kubeconfig: KubeConfig) -> None:
    # OpenSSL's binding reads from files only; this one is ours alone and gone at once.
    with tempfile.NamedTemporaryFile(suffix=".pem") as file:
        file.write(kubeconfig.client_certificate_data + b"\n" + kubeconfig.client_key_data)
        file.flush()
        context.load_cert_chain(file.name)


def _body(body: bytes) -> bytes | io.BytesIO | None:
    # aiohttp writes a large body piece by piece only if it comes as a file.
    return io.BytesIO(body) if len(body) > _LARGE_BYTES else body or None


async def _whole(response: aiohttp.ClientResponse) -> Response:
    headers: Mapping[str, str] = {key.lower(): value for key, value in response.headers.items()}
    return Response(response.status, headers, await response.read())
