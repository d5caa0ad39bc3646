"""Bearer tokens that the embedded API server knows from its start: one per controller.

Made anew at each start and written in kube-apiserver's form (``--token-auth-file``): token,
user, uid, groups. A certificate would do for most, but a user's name in it has at most 64
letters, and the accounts of some controllers have more.
"""

from __future__ import annotations

import csv
import io
import secrets
from collections.abc import Iterable, Mapping
from pathlib import Path

from kubegang.apiserver.authn import Identity
from kubegang.app.certificates import write_private
from kubegang.app.errors import BadInputError

_FILE = "tokens.csv"
_TOKEN_BYTES = 32

User = tuple[str, tuple[str, ...]]


def write_tokens(pki: Path, users: Iterable[User]) -> dict[str, str]:
    """Make a token for each user, write them all, and return them by user.

    Raises:
        OSError: the file cannot be written.
    """
    text = io.StringIO()
    writer = csv.writer(text)
    tokens: dict[str, str] = {}
    for user, groups in users:
        tokens[user] = secrets.token_urlsafe(_TOKEN_BYTES)
        writer.writerow([tokens[user], user, "", ",".join(groups)])
    write_private(pki / _FILE, text.getvalue().encode())
    return tokens


def load_tokens(pki_dir: str) -> Mapping[str, Identity]:
    """Return whose each token of a directory is; none without a directory or a file.

    Raises:
        BadInputError: the file is damaged.
    """
    path = Path(pki_dir) / _FILE
    if not pki_dir or not path.exists():
        return {}
    try:
        rows = list(csv.reader(path.read_text().splitlines()))
        return {
            token: Identity(user, tuple(name for name in groups.split(",") if name), uid=uid)
            for token, user, uid, groups in rows
        }
    except (OSError, ValueError, csv.Error) as error:
        raise BadInputError(f"cannot read {path}: {error}") from error
