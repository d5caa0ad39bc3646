"""Further users of the embedded API server: a client certificate in a kubeconfig of their own."""

from __future__ import annotations

from pathlib import Path

import msgspec

from kubegang.app.certificates import CertificateAuthority, write_private
from kubegang.app.datadir import DataDirectory
from kubegang.app.errors import BadInputError
from kubegang.app.kubeconfigs import kubeconfig_text
from kubegang.client.kubeconfig import KubeConfigError, load_kubeconfig

LONGEST_NAME = 64
"""As long as a certificate's common name may be."""


class NewUser(msgspec.Struct, frozen=True, kw_only=True):
    """A user to be added.

    Attributes:
        server: where the API is; empty is where the cluster last answered.
        output: where the kubeconfig goes; empty returns it only.
    """

    name: str
    groups: tuple[str, ...] = ()
    data_dir: str
    server: str = ""
    output: str = ""


def add_user(user: NewUser, *, now: float) -> str:
    """Sign a certificate for a user and return a kubeconfig with it.

    Raises:
        BadInputError: the name cannot be a user's, or the directory has no cluster.
    """
    _check_names(user)
    directory = DataDirectory(Path(user.data_dir).expanduser().absolute(), persistent=True)
    authority = _authority(directory)
    server = user.server or _server(directory)
    client = authority.client(user.name, user.groups, now=now)
    text = kubeconfig_text(server=server, authority=authority.pem, user=user.name, client=client)
    if user.output:
        try:
            write_private(Path(user.output), text.encode())
        except OSError as error:
            raise BadInputError(f"cannot write {user.output}: {error.strerror or error}") from error
    return text


def _check_names(user: NewUser) -> None:
    for what, name in (("name", user.name), *(("group", group) for group in user.groups)):
        if not name.strip() or not name.isprintable():
            raise BadInputError(f"a {what} needs letters that can be printed, found {name!r}")
        if len(name) > LONGEST_NAME:
            raise BadInputError(f"a {what} has at most {LONGEST_NAME} letters, found {len(name)}")


def _authority(directory: DataDirectory) -> CertificateAuthority:
    certificate, key = directory.pki / "ca.crt", directory.pki / "ca.key"
    if not (certificate.exists() and key.exists()):
        raise BadInputError(
            f"--data-dir {directory.root}: no cluster has been started there; run kubegang up first"
        )
    try:
        return CertificateAuthority.load(certificate.read_bytes(), key.read_bytes())
    except (OSError, ValueError) as error:
        raise BadInputError(f"cannot read the certificate authority: {error}") from error


def _server(directory: DataDirectory) -> str:
    """Return where the cluster last answered, as its components were told."""
    path = directory.component_kubeconfig("scheduler")
    try:
        return load_kubeconfig(path).server
    except (KubeConfigError, OSError) as error:
        raise BadInputError(
            f"cannot tell where the API server is: {error}; say --server"
        ) from error
