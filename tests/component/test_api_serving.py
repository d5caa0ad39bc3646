"""The server on a real socket: TLS, client certificates, tokens, and a proper end."""

from __future__ import annotations

import asyncio
import json
import random
import re
import ssl
import time
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from starlette.types import Receive, Scope, Send

from kubegang.api.facts import load_facts
from kubegang.api.resources import ROWS
from kubegang.api.scheme import Scheme
from kubegang.apiserver import protocol
from kubegang.apiserver.app import create_app
from kubegang.apiserver.authn import Authenticator, Identity
from kubegang.apiserver.bootstrap import bootstrap
from kubegang.apiserver.serving import ApiServer, TlsFiles, UvicornWithoutSignals, plain_config
from kubegang.app.certificates import CertificateAuthority
from kubegang.app.listening import bind
from kubegang.app.profiles.table import profile_named
from kubegang.base.clock import RealClock
from kubegang.client.lines import LineSplitter
from kubegang.store.memory import MemoryStore


class Served:
    """A running server and what a client needs to reach it."""

    def __init__(self, server: ApiServer, task: asyncio.Task[None], folder: Path) -> None:
        self.server = server
        self.task = task
        host, port = server.address
        self.url = f"https://{host}:{port}"
        self._folder = folder

    def client(self, *, certificate: bool = True) -> aiohttp.ClientSession:
        context = ssl.create_default_context(cafile=str(self._folder / "ca.crt"))
        if certificate:
            context.load_cert_chain(self._folder / "client.crt", self._folder / "client.key")
        return aiohttp.ClientSession(connector=aiohttp.TCPConnector(ssl=context))


async def _start(folder: Path) -> Served:
    authority = CertificateAuthority.create(now=time.time())  # noqa: TID251 - real certificates
    now = time.time()  # noqa: TID251
    server = authority.server(("127.0.0.1",), now=now)
    client = authority.client("jane", ("system:masters", "devs"), now=now)
    for name, content in (
        ("ca.crt", authority.pem),
        ("server.crt", server.certificate),
        ("server.key", server.key),
        ("client.crt", client.certificate),
        ("client.key", client.key),
    ):
        (folder / name).write_bytes(content)
    profile = profile_named("1.37")
    gates = profile.gates["apiserver"]
    app = create_app(
        store=MemoryStore(),
        scheme=Scheme.for_profile(ROWS, profile.served, gates),
        facts=load_facts(profile.name),
        gates=gates,
        clock=RealClock(),
        rng=random.Random(1),
        git_version=profile.git_version,
        authenticator=Authenticator({"secret": Identity("robot", ())}),
    )
    await bootstrap(app.state.backend)
    tls = TlsFiles(folder / "server.crt", folder / "server.key", folder / "ca.crt")
    api_server = ApiServer(app, sock=bind("127.0.0.1", 0), tls=tls)
    task = asyncio.create_task(api_server.run())
    while not api_server.started:
        await RealClock().sleep(0.01)
    return Served(api_server, task, folder)


async def _connect(
    served: Served, folder: Path
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    context = ssl.create_default_context(cafile=str(folder / "ca.crt"))
    host, port = served.server.address
    return await asyncio.open_connection(host, port, ssl=context)


async def _who(session: aiohttp.ClientSession, url: str, **headers: str) -> Any:
    target = f"{url}/apis/authentication.k8s.io/v1/selfsubjectreviews"
    async with session.post(target, json={}, headers=headers) as answer:
        return await answer.json()


async def test_certificates_and_tokens_say_who_asks(tmp_path: Path) -> None:
    served = await _start(tmp_path)
    async with served.client() as jane, served.client(certificate=False) as other:
        by_certificate = await _who(jane, served.url)
        by_token = await _who(other, served.url, authorization="Bearer secret")
        nobody = await _who(other, served.url)
    served.server.stop()
    await served.task

    who = by_certificate["status"]["userInfo"]
    assert who["username"] == "jane"
    assert who["groups"] == ["system:masters", "devs", "system:authenticated"]
    (credential,) = who["extra"]["authentication.kubernetes.io/credential-id"]
    assert re.fullmatch("X509SHA256=[0-9a-f]{64}", credential)
    assert by_token["status"]["userInfo"]["username"] == "robot"
    assert (nobody["code"], nobody["reason"]) == (403, "Forbidden")


async def test_a_client_is_not_believed_where_it_comes_from() -> None:
    seen: list[Any] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        seen.extend((scope["client"][0], scope["scheme"]))
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body"})

    sock = bind("127.0.0.1", 0)
    server = UvicornWithoutSignals(plain_config(app, grace_seconds=1))
    serving = asyncio.create_task(server.serve(sockets=[sock]))
    while not server.started:
        await RealClock().sleep(0.01)
    headers = {"x-forwarded-for": "192.0.2.1", "x-forwarded-proto": "https"}
    async with aiohttp.ClientSession() as client:
        url = f"http://127.0.0.1:{sock.getsockname()[1]}/"
        async with client.get(url, headers=headers) as answer:
            assert answer.status == 204
    server.should_exit = True
    await serving

    assert seen == ["127.0.0.1", "http"]


async def test_a_stop_ends_watches_and_the_server_soon(tmp_path: Path) -> None:
    served = await _start(tmp_path)
    async with served.client() as jane:
        watch = f"{served.url}/api/v1/namespaces?watch=1"
        async with jane.get(watch) as answer:
            first = await answer.content.readline()
            served.server.stop()
            rest = await answer.content.read()
    await asyncio.wait_for(served.task, timeout=4)

    assert b'"ADDED"' in first
    assert rest.endswith(b"\n")


async def test_an_unknown_method_gets_a_status(tmp_path: Path) -> None:
    served = await _start(tmp_path)
    reader, writer = await _connect(served, tmp_path)
    writer.write(b"FOO /api HTTP/1.1\r\nhost: x\r\n\r\n")
    answer = await reader.read()
    writer.close()
    served.server.stop()
    await served.task

    assert answer.startswith(b"HTTP/1.1 405")
    assert b'"reason":"MethodNotAllowed"' in answer


async def test_a_head_that_never_ends_is_refused(tmp_path: Path) -> None:
    served = await _start(tmp_path)
    reader, writer = await _connect(served, tmp_path)
    writer.write(b"GET /version HTTP/1.1\r\nhost: x\r\n")
    for _ in range(18):
        writer.write(b"x-padding: " + b"x" * 60_000 + b"\r\n")
    answer = await reader.read()
    writer.close()
    served.server.stop()
    await served.task

    assert answer.startswith(b"HTTP/1.1 431 Request Header Fields Too Large\r\n")
    assert answer.endswith(b"431 Request Header Fields Too Large")


async def test_a_head_that_takes_too_long_ends_its_connection(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protocol, "HEAD_SECONDS", 0.2)
    served = await _start(tmp_path)
    silent, _ = await _connect(served, tmp_path)
    slow, writer = await _connect(served, tmp_path)
    request = b"GET /version HTTP/1.1\r\nhost: x\r\n\r\n"
    writer.write(request)
    assert (await slow.readline()).startswith(b"HTTP/1.1 200")
    # On a connection that was used the time counts from the beginning of the head.
    writer.write(request[:20])
    async with asyncio.timeout(10):
        assert await silent.read() == b""
        assert (await slow.read()).endswith(b"}")
    served.server.stop()
    await served.task


async def test_a_watcher_that_pauses_gets_everything_in_order_and_once(tmp_path: Path) -> None:
    served = await _start(tmp_path)
    maps = f"{served.url}/api/v1/namespaces/default/configmaps"
    # Together more than the kernel and both ends hold for a reader that pauses.
    body = {"metadata": {"name": "c"}, "data": {"padding": "x" * 200_000}}
    async with served.client() as jane, served.client() as watcher:
        async with jane.post(maps, json=body) as answer:
            assert answer.status == 201
            revisions = [(await answer.json())["metadata"]["resourceVersion"]]
        query = f"?watch=1&resourceVersion={int(revisions[0]) - 1}"
        async with watcher.get(maps + query, read_bufsize=2**16) as stream:
            for number in range(60):
                patch = {"data": {"n": str(number)}}
                merge = {"content-type": "application/merge-patch+json"}
                async with jane.patch(f"{maps}/c", json=patch, headers=merge) as answer:
                    revisions.append((await answer.json())["metadata"]["resourceVersion"])
            lines = LineSplitter()
            seen: list[str] = []
            while len(seen) < len(revisions):
                events = map(json.loads, lines.feed(await stream.content.readany()))
                seen += [event["object"]["metadata"]["resourceVersion"] for event in events]
    served.server.stop()
    await served.task

    assert seen == revisions
