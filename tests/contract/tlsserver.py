"""A server over TLS for clients under test, and what a kubeconfig says of it."""

from __future__ import annotations

import socket
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import uvicorn

from kubegang.app.certificates import Certificate, CertificateAuthority
from kubegang.base.clock import RealClock
from kubegang.client.kubeconfig import KubeConfig
from tests.contract.api_app import Api, make_app

# OpenSSL compares certificates with the real time, whatever clock we use.
NOW = RealClock().now()


@asynccontextmanager
async def served(api: Api, authority: CertificateAuthority, folder: Path) -> AsyncIterator[int]:
    """Serve over TLS, for clients with a certificate of the authority only; yield the port."""
    write_pem(folder, authority.server(("127.0.0.1", "localhost"), now=NOW), authority.pem)
    # asyncio turns Nagle's algorithm off only where it is said that this is TCP.
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.bind(("127.0.0.1", 0))
    config = uvicorn.Config(
        make_app(api),
        ssl_certfile=folder / "server.crt",
        ssl_keyfile=str(folder / "server.key"),
        ssl_ca_certs=str(folder / "ca.crt"),
        ssl_cert_reqs=ssl.CERT_REQUIRED,
        lifespan="off",
        log_level="critical",
        timeout_graceful_shutdown=1,
    )
    config.load()
    server = uvicorn.Server(config)
    server.lifespan = config.lifespan_class(config)
    # Not ``serve``, which takes over signals and polls.
    await server.startup(sockets=[listening])
    try:
        yield listening.getsockname()[1]
    finally:
        await server.shutdown(sockets=[listening])


def write_pem(folder: Path, certificate: Certificate, ca: bytes) -> None:
    (folder / "server.crt").write_bytes(certificate.certificate)
    (folder / "server.key").write_bytes(certificate.key)
    (folder / "ca.crt").write_bytes(ca)


def kubeconfig(port: int, authority: CertificateAuthority, **changes: Any) -> KubeConfig:
    """Return what a kubeconfig of the administrator says."""
    certificate = authority.client("admin", ("system:masters",), now=NOW)
    values: dict[str, Any] = {
        "server": f"https://127.0.0.1:{port}",
        "ca_data": authority.pem,
        "client_certificate_data": certificate.certificate,
        "client_key_data": certificate.key,
    }
    return KubeConfig(**{**values, **changes})
