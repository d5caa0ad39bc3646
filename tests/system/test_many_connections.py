"""Thousands of connections that do nothing: all are held, and others are served.

A thousand in ``make test``; ``KUBEGANG_CONNECTIONS=10000`` (``make test-connections``) for more.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import resource
import ssl
import tempfile
from collections.abc import Iterator
from pathlib import Path

from kubegang.client.kubeconfig import load_kubeconfig
from tests.system.upprocess import Up, up

CONNECTIONS = int(os.environ.get("KUBEGANG_CONNECTIONS", "1000"))
BYTES_EACH = 100_000
"""More than one may cost the server; about 35,000 were measured."""

NAMESPACES = "/api/v1/namespaces"


@contextlib.contextmanager
def files(most: int) -> Iterator[None]:
    """Let this process, and those that it starts meanwhile, have so many open files."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(most, hard), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


class Connections:
    """Connections to a cluster with the administrator's certificate."""

    def __init__(self, kubeconfig: Path) -> None:
        known = load_kubeconfig(kubeconfig)
        self._context = ssl.create_default_context(cadata=known.ca_data.decode())
        with tempfile.NamedTemporaryFile() as file:
            file.write(known.client_certificate_data + b"\n" + known.client_key_data)
            file.flush()
            self._context.load_cert_chain(file.name)
        self._host, _, port = known.server.removeprefix("https://").rpartition(":")
        self._port = int(port)
        self.opened: list[http.client.HTTPSConnection] = []

    def open(self) -> http.client.HTTPSConnection:
        connection = http.client.HTTPSConnection(
            self._host, self._port, timeout=60, context=self._context
        )
        connection.connect()
        self.opened.append(connection)
        return connection

    def close(self) -> None:
        for connection in self.opened:
            connection.close()


def names_of_namespaces(connection: http.client.HTTPSConnection) -> set[str]:
    connection.request("GET", NAMESPACES)
    answer = connection.getresponse()
    body = answer.read()
    assert answer.status == 200, body
    return {item["metadata"]["name"] for item in json.loads(body)["items"]}


def resident_bytes(pid: int) -> int:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * resource.getpagesize()


@contextlib.contextmanager
def started_with_few_files(tmp_path: Path) -> Iterator[Up]:
    with contextlib.ExitStack() as stack:
        # Fewer than there will be connections: a server raises its limit as far as it may.
        with files(256):
            running = stack.enter_context(up(tmp_path, "--in-memory", "--components=apiserver"))
        yield running


def test_idle_connections_are_held_and_others_are_served(tmp_path: Path) -> None:
    with started_with_few_files(tmp_path) as running, files(CONNECTIONS + 256):
        connections = Connections(running.kubeconfig)
        try:
            (server,) = running.children()
            expected = names_of_namespaces(connections.open())
            before = resident_bytes(server)
            for _ in range(CONNECTIONS):
                connections.open()
            assert resident_bytes(server) - before < CONNECTIONS * BYTES_EACH

            assert names_of_namespaces(connections.open()) == expected
            # They were idle, not dead.
            for connection in connections.opened[1 :: max(CONNECTIONS // 20, 1)]:
                assert names_of_namespaces(connection) == expected
        finally:
            connections.close()
