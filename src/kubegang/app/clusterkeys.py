"""What controllers need of a cluster's keys."""

from __future__ import annotations

from pathlib import Path

import msgspec

from kubegang.apimachinery.signedtokens import SigningKey
from kubegang.app.signingkey import load_signing_key


class ClusterKeys(msgspec.Struct, frozen=True):
    """The authority's certificate, and the key that signs service account tokens.

    Attributes:
        certificate: PEM; empty where it is not known.
        tokens: ``None`` where it is not known.
    """

    certificate: str = ""
    tokens: SigningKey | None = None


NO_KEYS = ClusterKeys()


def load_cluster_keys(pki_dir: str) -> ClusterKeys:
    """Read the keys of a data directory; somebody else's cluster does not show its own.

    Raises:
        BadInputError: a file is damaged.
    """
    authority = Path(pki_dir) / "ca.crt"
    if not pki_dir or not authority.exists():
        return NO_KEYS
    return ClusterKeys(authority.read_text(), load_signing_key(pki_dir))
