"""Odd pods and templates by chance: kube-apiserver and ours warn alike, in the same order.

Everything is only rehearsed, so nothing has to be waited for or cleaned up.
"""

from __future__ import annotations

import contextlib
import http.client
import ssl
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec
import pytest

from kubegang.client.kubeconfig import load_kubeconfig
from tests.real.oddpods import OddPods
from tests.real.planes import Planes, both_planes

SEEDS = range(150)

Json = dict[str, Any]

pytestmark = [pytest.mark.real, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def planes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Planes]:
    with both_planes(tmp_path_factory.mktemp("planes")) as started:
        yield started


class Server:
    """One of the two, as its administrator; headers that stand more than once stay apart."""

    def __init__(self, kubeconfig: Path, scratch: Path) -> None:
        access = load_kubeconfig(kubeconfig)
        context = ssl.create_default_context()
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        if access.client_certificate_data:
            pair = scratch / "pair.pem"
            pair.write_bytes(access.client_certificate_data + b"\n" + access.client_key_data)
            context.load_cert_chain(pair)
        address = urlsplit(access.server)
        self._connection = http.client.HTTPSConnection(
            address.hostname or "", address.port, timeout=60, context=context
        )
        self._headers = {"Content-Type": "application/json"}
        if access.token:
            self._headers["Authorization"] = f"Bearer {access.token}"

    def rehearse(self, path: str, obj: Json) -> tuple[int, list[str]]:
        """Ask for an object to be created and return code and warnings; nothing is stored."""
        body = msgspec.json.encode(obj)
        self._connection.request("POST", f"{path}?dryRun=All", body, self._headers)
        response = self._connection.getresponse()
        response.read()
        return response.status, response.headers.get_all("warning", [])

    def close(self) -> None:
        """End the connection."""
        self._connection.close()


def test_both_warn_alike(planes: Planes, tmp_path: Path) -> None:
    real, own = (Server(kubeconfig, tmp_path) for kubeconfig in planes)
    with contextlib.closing(real), contextlib.closing(own):
        told, differences = _compare(real, own)
    assert differences == []
    assert told > len(SEEDS)


def _compare(real: Server, own: Server) -> tuple[int, list[object]]:
    """Return how many warnings there were, and what both did not answer alike."""
    told = 0
    differences: list[object] = []
    for seed in SEEDS:
        for path, obj in _objects(f"odd-{seed}", OddPods(seed).template()):
            expected, found = real.rehearse(path, obj), own.rehearse(path, obj)
            told += len(expected[1])
            if expected != found:
                differences.append((seed, path, expected, found))
    return told, differences


def _objects(name: str, template: Json) -> Iterator[tuple[str, Json]]:
    """Yield a pod and a Deployment, whose name is no DNS label."""
    metadata = {**template["metadata"], "name": name}
    yield (
        "/api/v1/namespaces/default/pods",
        {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": template["spec"]},
    )
    spec = {"selector": {"matchLabels": {"app": "a"}}, "template": template}
    yield (
        "/apis/apps/v1/namespaces/default/deployments",
        {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": f"{name}.x"},
            "spec": spec,
        },
    )
