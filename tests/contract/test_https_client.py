"""What the client promises over HTTPS: whom it trusts, who it is, and when it gives up."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from kubegang.apimachinery.errors import (
    TooManyRequestsError,
)
from kubegang.app.certificates import CertificateAuthority
from kubegang.client.api import ApiClient
from kubegang.client.http import HttpTransport
from kubegang.client.interface import UnreachableError
from kubegang.client.resources import CONFIGMAPS, NODES
from tests.contract.api_app import Api, Scripted
from tests.contract.tlsserver import NOW, kubeconfig, served


class CountingClock:
    """A clock whose sleeps take no time and are remembered."""

    def __init__(self) -> None:
        self.slept: list[float] = []

    def now(self) -> float:
        return NOW + sum(self.slept)

    def steady(self) -> float:
        return self.now()

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)


async def test_an_overloaded_server_is_asked_again_when_it_said(
    api: Api, authority: CertificateAuthority, tmp_path: Path
) -> None:
    clock = CountingClock()
    async with served(api, authority, tmp_path) as port:
        client = ApiClient(HttpTransport(kubeconfig(port, authority), clock=clock), user_agent="me")
        api.script += [
            Scripted(429, "busy", {"retry-after": "2"}),
            Scripted(503, "starting", {"retry-after": "600"}),
            Scripted(200, '{"metadata":{"resourceVersion":"3"},"items":null}'),
        ]

        assert (await client.list(NODES)).resource_version == "3"
        assert clock.slept == [2, 30]

        api.script += [Scripted(429, "busy", {"retry-after": "1"})] * 10
        with pytest.raises(TooManyRequestsError):
            await client.list(NODES)
        assert len(clock.slept) == 2 + 9
        await client.close()


async def test_a_server_of_another_authority_is_not_trusted(
    api: Api, authority: CertificateAuthority, tmp_path: Path
) -> None:
    other = CertificateAuthority.create(now=NOW)
    async with served(api, authority, tmp_path) as port:
        client = ApiClient(
            HttpTransport(kubeconfig(port, authority, ca_data=other.pem)), user_agent="me"
        )
        with pytest.raises(UnreachableError, match="certificate verify failed"):
            await client.list(CONFIGMAPS)
        await client.close()
    assert api.seen == []


async def test_the_server_is_checked_for_the_name_that_the_kubeconfig_gives(
    api: Api, authority: CertificateAuthority, tmp_path: Path
) -> None:
    async with served(api, authority, tmp_path) as port:
        for name, trusted in (("localhost", True), ("elsewhere", False)):
            config = kubeconfig(port, authority, tls_server_name=name)
            client = ApiClient(HttpTransport(config), user_agent="me")
            if trusted:
                await client.list(CONFIGMAPS)
            else:
                with pytest.raises(UnreachableError, match="certificate"):
                    await client.list(CONFIGMAPS)
            await client.close()


async def test_without_verification_any_certificate_will_do(
    api: Api, authority: CertificateAuthority, tmp_path: Path
) -> None:
    async with served(api, authority, tmp_path) as port:
        config = kubeconfig(port, authority, ca_data=b"", insecure=True)
        client = ApiClient(HttpTransport(config), user_agent="me")
        await client.list(CONFIGMAPS)
        await client.close()


async def test_a_client_without_certificate_is_sent_away(
    api: Api, authority: CertificateAuthority, tmp_path: Path
) -> None:
    async with served(api, authority, tmp_path) as port:
        config = kubeconfig(port, authority, client_certificate_data=b"", client_key_data=b"")
        client = ApiClient(HttpTransport(config), user_agent="me")
        with pytest.raises(UnreachableError):
            await client.list(CONFIGMAPS)
        await client.close()


async def test_a_token_file_is_read_again_after_a_minute(
    api: Api, authority: CertificateAuthority, tmp_path: Path
) -> None:
    clock = CountingClock()
    token = tmp_path / "token"
    async with served(api, authority, tmp_path) as port:
        config = kubeconfig(port, authority, token_file=token)
        client = ApiClient(HttpTransport(config, clock=clock), user_agent="me")
        for content, pause in (("first\n", 0.0), ("second\n", 30.0), ("third\n", 31.0)):
            replace(token, content)
            await clock.sleep(pause)
            await client.list(CONFIGMAPS)
        await client.close()

    sent = [seen.headers["authorization"] for seen in api.seen]
    assert sent == ["Bearer first", "Bearer first", "Bearer third"]


def replace(path: Path, content: str) -> None:
    path.write_text(content)


async def test_proxies_of_the_environment_are_not_used(
    api: Api, authority: CertificateAuthority, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    async with served(api, authority, tmp_path) as port:
        client = ApiClient(HttpTransport(kubeconfig(port, authority)), user_agent="me")
        await client.list(CONFIGMAPS)
        await client.close()


async def test_a_server_that_says_nothing_counts_as_gone(
    api: Api, authority: CertificateAuthority, tmp_path: Path
) -> None:
    async with served(api, authority, tmp_path) as port:
        transport = HttpTransport(kubeconfig(port, authority), silence_seconds=0.05)
        client = ApiClient(transport, user_agent="me")
        with pytest.raises(UnreachableError, match="did not answer in time"):
            await client.get(NODES, "silent")
        await client.close()


async def test_a_server_that_is_not_there_is_unreachable(authority: CertificateAuthority) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
    client = ApiClient(HttpTransport(kubeconfig(port, authority)), user_agent="me")

    with pytest.raises(UnreachableError, match=f"https://127.0.0.1:{port}: "):
        await client.list(CONFIGMAPS)
    with pytest.raises(UnreachableError):
        await anext(client.watch(CONFIGMAPS, resource_version="1"))
    await client.close()
