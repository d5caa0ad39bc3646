"""Kubeconfig files for the embedded cluster: one for people, one per component."""

from __future__ import annotations

import base64
from pathlib import Path

import yaml

from kubegang.app.certificates import Certificate, write_private


def kubeconfig_text(*, server: str, authority: bytes, user: str, client: Certificate) -> str:
    """Return a kubeconfig with everything embedded, context and cluster named ``kubegang``."""
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
                "user": {
                    "client-certificate-data": _encoded(client.certificate),
                    "client-key-data": _encoded(client.key),
                },
            }
        ],
        "contexts": [{"name": "kubegang", "context": {"cluster": "kubegang", "user": user}}],
        "current-context": "kubegang",
    }
    return yaml.safe_dump(config, sort_keys=False)


def write_kubeconfig(
    path: Path, *, server: str, authority: bytes, user: str, client: Certificate
) -> None:
    """Write a kubeconfig that only its owner can read.

    Raises:
        OSError: the file cannot be written.
    """
    text = kubeconfig_text(server=server, authority=authority, user=user, client=client)
    write_private(path, text.encode())


def _encoded(content: bytes) -> str:
    return base64.b64encode(content).decode()
