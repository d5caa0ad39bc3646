"""Kubeconfig files for the embedded cluster: one for people, one per component."""

from __future__ import annotations

import base64
from pathlib import Path

import yaml

from kubegang.app.certificates import Certificate, write_private


def kubeconfig_text(*, server: str, authority: bytes, user: str, client: Certificate | str) -> str:
    """Return a kubeconfig with everything embedded, context and cluster named ``kubegang``.

    ``client`` is a certificate or a bearer token.
    """
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [
            {
                "name": "kubegang",
                "cluster": {"server": server, "certificate-authority-data": _encoded(authority)},
            }
        ],
        "users": [
            {
                "name": user,
                "user": _credentials(client),
            }
        ],
        "contexts": [{"name": "kubegang", "context": {"cluster": "kubegang", "user": user}}],
        "current-context": "kubegang",
    }
    return yaml.safe_dump(config, sort_keys=False)


def write_kubeconfig(
    path: Path, *, server: str, authority: bytes, user: str, client: Certificate | str
) -> None:
    """Write a kubeconfig that only its owner can read.

    Raises:
        OSError: the file cannot be written.
    """
    text = kubeconfig_text(server=server, authority=authority, user=user, client=client)
    write_private(path, text.encode())


def _credentials(client: Certificate | str) -> dict[str, str]:
    if isinstance(client, str):
        return {"token": client}
    return {
        "client-certificate-data": _encoded(client.certificate),
        "client-key-data": _encoded(client.key),
    }


def _encoded(content: bytes) -> str:
    return base64.b64encode(content).decode()
