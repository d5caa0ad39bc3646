"""uvicorn's HTTP protocol, which also says whose certificate the connection was made with."""

from __future__ import annotations

import asyncio
import hashlib
import sys
from typing import Any

import httptools
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from kubegang.apiserver.authn import IDENTITY_EXTENSION
from kubegang.apiserver.errors import method_not_allowed, status_body


class CertificateProtocol(HttpToolsProtocol):
    """Puts the peer certificate's subject into the scope of every request of a connection.

    TLS has checked the certificate already. Its common name is the user, its organisations
    are the groups.
    """

    _subject: dict[str, Any] | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Read the subject once, when the handshake is done."""
        super().connection_made(transport)
        self._subject = subject_of(transport.get_extra_info("peercert"))
        tls = transport.get_extra_info("ssl_object")
        if self._subject is not None and tls is not None:
            self._subject["id"] = credential_id(tls.getpeercert(binary_form=True))

    def on_message_begin(self) -> None:
        """Begin a request."""
        super().on_message_begin()
        if self._subject is not None:
            extensions = {IDENTITY_EXTENSION: self._subject}
            self.scope["extensions"] = extensions  # type: ignore[typeddict-item]

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
