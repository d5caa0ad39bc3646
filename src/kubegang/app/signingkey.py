"""The key that signs service account tokens: made once per data directory and kept."""

from __future__ import annotations

from pathlib import Path

from kubegang.apimachinery.signedtokens import SigningKey
from kubegang.app.certificates import write_private
from kubegang.app.errors import BadInputError

_FILE = "sa.key"


def ensure_signing_key(pki: Path) -> None:
    """Make the directory's key if there is none, and check it if there is.

    Raises:
        OSError: it cannot be written or read.
        ValueError: it is damaged.
    """
    path = pki / _FILE
    if path.exists():
        SigningKey.load(path.read_bytes())
        return
    write_private(path, SigningKey.create().pem)


def load_signing_key(pki_dir: str) -> SigningKey:
    """Return a directory's key; without a directory, or without one in it, a new one.

    Raises:
        BadInputError: it is damaged.
    """
    path = Path(pki_dir) / _FILE if pki_dir else None
    if path is None or not path.exists():
        return SigningKey.create()
    try:
        return SigningKey.load(path.read_bytes())
    except (OSError, ValueError) as error:
        raise BadInputError(f"cannot read {path}: {error}") from error
