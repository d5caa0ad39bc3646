"""The listening socket of the embedded API server.

``up`` binds it once and lends it to the API server's process, so that a restarted one
answers at the same address and clients that connect meanwhile wait instead of failing.
"""

from __future__ import annotations

import socket

from kubegang.app.errors import BadInputError

BACKLOG = 4096
LISTEN = "--listen"


def parse_listen(text: str, *, flag: str = LISTEN) -> tuple[str, int]:
    """Split ``HOST:PORT`` as a flag says it; an IPv6 host stands in brackets.

    Raises:
        BadInputError: the text has another form.
    """
    host, colon, port = text.rpartition(":")
    if not colon or not host or not (port.isascii() and port.isdigit()) or int(port) > 65535:
        raise BadInputError(
            f"{flag}: need HOST:PORT with a port up to 65535 (0 picks one), found {text!r}"
        )
    return host.strip("[]"), int(port)


def bind(host: str, port: int, *, flag: str = LISTEN) -> socket.socket:
    """Return a listening socket where a flag says.

    Raises:
        BadInputError: the address cannot be had; says who may hold it.
    """
    try:
        family, kind, proto, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listener = socket.socket(family, kind, proto)
    except OSError as error:
        raise BadInputError(f"cannot listen on {host}: {error.strerror or error}") from error
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(address)
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        raise BadInputError(
            f"cannot listen on {host}:{port}: {error.strerror or error}; "
            f"choose another with {flag} HOST:PORT, port 0 picks a free one"
        ) from error
    listener.settimeout(0)
    return listener


def address_of(listener: socket.socket) -> tuple[str, int]:
    """Return the host and port that clients reach a socket at."""
    host, port = listener.getsockname()[:2]
    if host in ("0.0.0.0", "::"):
        return ("127.0.0.1" if host == "0.0.0.0" else "::1"), port
    return host, port


def server_url(host: str, port: int) -> str:
    """Return the ``https`` address of a host and port."""
    return f"https://[{host}]:{port}" if ":" in host else f"https://{host}:{port}"
