"""uvicorn's HTTP protocol, which also says whose certificate the connection was made with.

And it lets nobody hold a connection with the head of a request that never ends.
"""

from __future__ import annotations

import asyncio
import hashlib
import sys
from typing import Any

import httptools
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from kubegang.apiserver.authn import IDENTITY_EXTENSION
from kubegang.apiserver.errors import method_not_allowed, status_body
from kubegang.apiserver.pushing import CONNECTION

HEAD_SECONDS = 32.0
"""How long the head of a request may take, and the first one may be waited for (as 1.37.2)."""

HEAD_BYTES = 1 << 20
"""The largest head (as 1.37.2)."""

_HEAD_TOO_LARGE = (
    b"HTTP/1.1 431 Request Header Fields Too Large\r\n"
    b"content-type: text/plain; charset=utf-8\r\nconnection: close\r\n\r\n"
    b"431 Request Header Fields Too Large"
)


class CertificateProtocol(HttpToolsProtocol):
    """Puts the peer certificate's subject into the scope of every request of a connection.

    TLS has checked the certificate already. Its common name is the user, its organisations
    are the groups.
    """

    _subject: dict[str, Any] | None = None
    _head_bytes: int | None = None
    _head_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Read the subject once, when the handshake is done."""
        super().connection_made(transport)
        self._await_head()
        self._subject = subject_of(transport.get_extra_info("peercert"))
        tls = transport.get_extra_info("ssl_object")
        if self._subject is not None and tls is not None:
            self._subject["id"] = credential_id(tls.getpeercert(binary_form=True))

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        super().connection_lost(exc)
        self._stop_waiting()

    def data_received(self, data: bytes) -> None:
        """Take in a part of a request."""
        super().data_received(data)
        if self._head_bytes is None:
            return
        self._head_bytes += len(data)
        if self._head_bytes > HEAD_BYTES:
            self._head_bytes = None
            self.transport.write(_HEAD_TOO_LARGE)
            self.transport.close()
        elif self._head_timer is None:
            self._await_head()

    def on_headers_complete(self) -> None:
        """Start to answer."""
        self._head_bytes = None
        self._stop_waiting()
        super().on_headers_complete()

    def _await_head(self) -> None:
        self._head_timer = self.loop.call_later(HEAD_SECONDS, self._give_up)

    def _stop_waiting(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _give_up(self) -> None:
        self._head_timer = None
        self.transport.close()

    def on_message_begin(self) -> None:
        """Begin a request."""
        self._head_bytes = 0
        super().on_message_begin()
        self.scope[CONNECTION] = self  # type: ignore[literal-required]
        if self._subject is not None:
            extensions = {IDENTITY_EXTENSION: self._subject}
            self.scope["extensions"] = extensions  # type: ignore[typeddict-item]

    @property
    def keeps_up(self) -> bool:
        """Whether the client reads as fast as is written to it."""
        return not self.flow.write_paused and not self.transport.is_closing()

    def push(self, data: bytes) -> None:
        """Write to the client; never waits."""
        self.transport.write(data)

    def send_400_response(self, msg: str) -> None:
        """Answer to a request that cannot be parsed; for an unknown method with a Status."""
        if not isinstance(sys.exception(), httptools.HttpParserInvalidMethodError):
            super().send_400_response(msg)
            return
        body = status_body(method_not_allowed())
        head = (
            "HTTP/1.1 405 Method Not Allowed\r\ncontent-type: application/json\r\n"
            f"content-length: {len(body)}\r\nconnection: close\r\n\r\n"
        )
        self.transport.write(head.encode() + body)
        self.transport.close()


def credential_id(certificate: bytes) -> str:
    """Return how Kubernetes names a certificate, given its DER form."""
    return f"X509SHA256={hashlib.sha256(certificate).hexdigest()}"


def subject_of(certificate: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return user and groups of a decoded certificate, ``None`` if there is none."""
    if not certificate:
        return None
    pairs = [pair for names in certificate.get("subject", ()) for pair in names]
    users = [value for name, value in pairs if name == "commonName"]
    if not users:
        return None
    groups = tuple(value for name, value in pairs if name == "organizationName")
    return {"user": users[-1], "groups": groups}
