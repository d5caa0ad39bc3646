"""A component's own HTTPS endpoint: certificate, socket and server."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

import msgspec
from starlette.types import ASGIApp

from kubegang.apiserver.serving import UvicornWithoutSignals, plain_config
from kubegang.app.certificates import CertificateAuthority, write_private
from kubegang.app.errors import BadInputError
from kubegang.app.listening import bind
from kubegang.base.logging import logger

DEFAULT_PORT: Final = 10259
"""kube-scheduler's."""

_GRACE_SECONDS: Final = 3

_log = logger(__name__)


class ServingOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Where and how a component answers.

    Attributes:
        port: ``None`` is 10259, or a free port if that is taken; 0 serves nothing.
        certificate, key: PEM files; empty makes a certificate that nobody has signed.
        open_paths: what everybody may ask.
    """

    host: str = "127.0.0.1"
    port: int | None = None
    certificate: str = ""
    key: str = ""
    open_paths: tuple[str, ...] = ("/healthz", "/readyz", "/livez")


@contextlib.asynccontextmanager
async def secure_serving(
    app: ASGIApp, options: ServingOptions, *, now: float
) -> AsyncIterator[None]:
    """Answer over HTTPS inside the block.

    Args:
        app: what answers.
        options: where.
        now: the moment from which a certificate of our own is valid.

    Raises:
        BadInputError: the address cannot be had, or the certificate cannot be used.
    """
    sock = _socket(options)
    with tempfile.TemporaryDirectory(prefix="kubegang-scheduler-") as directory, sock:
        certificate, key = _certificate(options, Path(directory), now=now)
        config = plain_config(
            app,
            grace_seconds=_GRACE_SECONDS,
            ssl_certfile=certificate,
            ssl_keyfile=key,
        )
        try:
            config.load()
        except OSError as error:
            raise BadInputError(f"{certificate}, {key}: {error.strerror or error}") from error
        server = UvicornWithoutSignals(config)
        task = asyncio.ensure_future(server.serve(sockets=[sock]))
        host, port = sock.getsockname()[:2]
        _log.info("serving securely", address=f"{host}:{port}")
        try:
            yield
        finally:
            server.should_exit = True
            await task


def _socket(options: ServingOptions) -> socket.socket:
    if options.port is not None:
        return bind(options.host, options.port)
    try:
        return bind(options.host, DEFAULT_PORT)
    except BadInputError:
        # Nobody asked for this port, and another scheduler may well have it.
        _log.warning("port is taken, another is picked", port=DEFAULT_PORT)
        return bind(options.host, 0)


def _certificate(options: ServingOptions, directory: Path, *, now: float) -> tuple[Path, Path]:
    if bool(options.certificate) != bool(options.key):
        raise BadInputError("--tls-cert-file and --tls-private-key-file must be given together")
    if options.certificate:
        return Path(options.certificate), Path(options.key)
    hosts = tuple(dict.fromkeys(("localhost", "127.0.0.1", socket.gethostname())))
    made = CertificateAuthority.create(now=now).server(hosts, now=now)
    certificate, key = directory / "tls.crt", directory / "tls.key"
    write_private(certificate, made.certificate)
    write_private(key, made.key)
    return certificate, key
