"""Which server to talk to and as whom: kubeconfig files, or the pod's service account.

The rules are kubectl's: a given file; else the files of ``$KUBECONFIG``, where the first to
say something wins; else ``~/.kube/config``; else the service account of the pod we run in.
What would make us speak as somebody else than the file says is refused, never ignored.
"""

from __future__ import annotations

import base64
import binascii
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import yaml

from kubegang.apimachinery.objects import JsonObject

_SERVICE_ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")


class KubeConfigError(ValueError):
    """There is no usable configuration; the message names the file and what is missing."""


class KubeConfig(msgspec.Struct, frozen=True, kw_only=True):
    """Everything needed to connect.

    Attributes:
        server: the URL, perhaps with a path.
        namespace: the context's default namespace.
        ca_data: PEM certificates to trust; empty for the system's.
        client_certificate_data: PEM; empty if a token is used, or nothing.
        token_file: read again from time to time, since service account tokens expire.
        insecure: accept any server certificate.
        tls_server_name: the name to check the certificate for, if not the URL's.
    """

    server: str
    context: str = ""
    namespace: str = "default"
    ca_data: bytes = b""
    client_certificate_data: bytes = b""
    client_key_data: bytes = b""
    token: str = ""
    token_file: Path | None = None
    insecure: bool = False
    tls_server_name: str = ""


class _Entry(NamedTuple):
    """A named cluster, user or context, and the file that it is from."""

    name: str
    value: JsonObject
    file: Path

    def error(self, what: str) -> KubeConfigError:
        return KubeConfigError(f"{self.file}: {what}")


class _Merged(NamedTuple):
    """All files together; the first that says something wins."""

    files: Sequence[Path]
    current_context: str
    clusters: Mapping[str, _Entry]
    users: Mapping[str, _Entry]
    contexts: Mapping[str, _Entry]

    @property
    def source(self) -> str:
        return ", ".join(map(str, self.files))


def load_kubeconfig(
    path: Path | str | None = None,
    *,
    context: str = "",
    environ: Mapping[str, str] = os.environ,
    service_account: Path = _SERVICE_ACCOUNT,
) -> KubeConfig:
    """Return the configuration that kubectl would use.

    Args:
        path: the one file to read; without it, the rules above.
        context: the context to use instead of the current one.
        environ: where ``KUBECONFIG``, ``HOME`` and ``KUBERNETES_SERVICE_HOST`` are looked up.
        service_account: the folder with token and CA of the pod we may run in.

    Raises:
        KubeConfigError: there is none, or it is incomplete or not supported.
    """
    files = [Path(path)] if path is not None else _files(environ)
    if files:
        return _resolve(_merge(files), context)
    if environ.get("KUBERNETES_SERVICE_HOST"):
        return _in_cluster(environ, service_account)
    raise KubeConfigError(
        "no cluster is configured: give --kubeconfig, or set KUBECONFIG, or make ~/.kube/config"
    )


def _files(environ: Mapping[str, str]) -> list[Path]:
    """Return the files to read; as with kubectl, those of a list need not exist."""
    listed = [Path(name) for name in environ.get("KUBECONFIG", "").split(os.pathsep) if name]
    if listed:
        existing = [file for file in listed if file.exists()]
        if not existing:
            names = ", ".join(map(str, listed))
            raise KubeConfigError(f"KUBECONFIG names no file that exists: {names}")
        return existing
    default = Path(environ.get("HOME", "/")) / ".kube" / "config"
    return [default] if default.exists() else []


def _merge(files: Sequence[Path]) -> _Merged:
    merged = _Merged(files, "", {}, {}, {})
    for file in files:
        document = _read(file)
        entries = [
            {**_entries(document, file, key, part), **earlier}
            for key, part, earlier in (
                ("clusters", "cluster", merged.clusters),
                ("users", "user", merged.users),
                ("contexts", "context", merged.contexts),
            )
        ]
        current = merged.current_context or str(document.get("current-context") or "")
        merged = _Merged(files, current, *entries)
    return merged


def _read(file: Path) -> JsonObject:
    try:
        document = yaml.load(file.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
    except OSError as error:
        raise KubeConfigError(f"{file}: {error.strerror}") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise KubeConfigError(f"{file} is not YAML: {error}") from error
    if not isinstance(document, dict) or document.get("kind", "Config") != "Config":
        raise KubeConfigError(f"{file} is not a kubeconfig file")
    return document


def _entries(document: JsonObject, file: Path, key: str, part: str) -> dict[str, _Entry]:
    entries: dict[str, _Entry] = {}
    for entry in document.get(key) or ():
        if not isinstance(entry, dict) or not isinstance(entry.get(part) or {}, dict):
            raise KubeConfigError(f"{file}: {key} must be a list of a name and a {part} each")
        name = str(entry.get("name") or "")
        entries.setdefault(name, _Entry(name, entry.get(part) or {}, file))
    return entries


def _resolve(merged: _Merged, wanted: str) -> KubeConfig:
    context = _context(merged, wanted)
    cluster_name, user_name = context.value.get("cluster"), context.value.get("user")
    if not cluster_name:
        raise context.error(f"context {context.name!r} names no cluster")
    cluster = merged.clusters.get(str(cluster_name))
    if cluster is None:
        raise context.error(
            f"context {context.name!r} names cluster {cluster_name!r}, which does not exist"
        )
    user = merged.users.get(str(user_name)) if user_name else None
    if user_name and user is None:
        raise context.error(
            f"context {context.name!r} names user {user_name!r}, which does not exist"
        )
    return KubeConfig(
        context=context.name,
        namespace=str(context.value.get("namespace") or "default"),
        **_cluster(cluster),
        **(_user(user) if user is not None else {}),
    )


def _context(merged: _Merged, wanted: str) -> _Entry:
    name = wanted or merged.current_context
    known = ", ".join(sorted(merged.contexts)) or "none"
    if not name:
        raise KubeConfigError(f"{merged.source}: current-context is not set; contexts: {known}")
    if name not in merged.contexts:
        raise KubeConfigError(f"{merged.source}: no context {name!r}; contexts: {known}")
    return merged.contexts[name]


def _cluster(cluster: _Entry) -> dict[str, Any]:
    value = cluster.value
    server = str(value.get("server") or "")
    if not server:
        raise cluster.error(f"cluster {cluster.name!r} has no server")
    if value.get("proxy-url"):
        raise cluster.error(f"cluster {cluster.name!r}: proxy-url is not supported")
    ca_data = _data(cluster, "certificate-authority", what="cluster")
    insecure = bool(value.get("insecure-skip-tls-verify"))
    if insecure and ca_data:
        raise cluster.error(
            f"cluster {cluster.name!r} has both a certificate authority and"
            " insecure-skip-tls-verify"
        )
    return {
        # Without a scheme it is plain HTTP, as in client-go.
        "server": (server if "://" in server else f"http://{server}").rstrip("/"),
        "ca_data": ca_data,
        "insecure": insecure,
        "tls_server_name": str(value.get("tls-server-name") or ""),
    }


_REFUSED = {
    "exec": "credential plug-ins (exec) are not supported; use a token or a client certificate",
    "auth-provider": "auth-provider is not supported; use a token or a client certificate",
    "username": "basic authentication is not supported; use a token or a client certificate",
    "as": "impersonation is not supported",
    "as-uid": "impersonation is not supported",
    "as-groups": "impersonation is not supported",
    "as-user-extra": "impersonation is not supported",
}


def _user(user: _Entry) -> dict[str, Any]:
    for key, why in _REFUSED.items():
        if user.value.get(key):
            raise user.error(f"user {user.name!r}: {why}")
    certificate = _data(user, "client-certificate", what="user")
    key_data = _data(user, "client-key", what="user")
    if bool(certificate) != bool(key_data):
        missing = "client-key" if certificate else "client-certificate"
        raise user.error(f"user {user.name!r} has no {missing}")
    token_file = user.value.get("tokenFile")
    return {
        "client_certificate_data": certificate,
        "client_key_data": key_data,
        "token": str(user.value.get("token") or ""),
        "token_file": user.file.parent / str(token_file) if token_file else None,
    }


def _data(entry: _Entry, key: str, *, what: str) -> bytes:
    """Return a certificate or key: embedded, or from the file that is named."""
    subject = f"{what} {entry.name!r}"
    embedded = entry.value.get(f"{key}-data")
    if embedded:
        try:
            return base64.b64decode(str(embedded), validate=True)
        except binascii.Error as error:
            raise entry.error(f"{subject}: {key}-data is not base64: {error}") from error
    named = entry.value.get(key)
    if not named:
        return b""
    # A relative name starts at the kubeconfig file, not at the working directory.
    file = entry.file.parent / str(named)
    try:
        return file.read_bytes()
    except OSError as error:
        raise entry.error(f"{subject}: {key} {file}: {error.strerror}") from error


def _in_cluster(environ: Mapping[str, str], folder: Path) -> KubeConfig:
    host, port = environ["KUBERNETES_SERVICE_HOST"], environ.get("KUBERNETES_SERVICE_PORT", "443")
    try:
        ca_data = (folder / "ca.crt").read_bytes()
        namespace = (folder / "namespace").read_text(encoding="utf-8").strip()
        token_file = folder / "token"
        token_file.read_bytes()
    except OSError as error:
        raise KubeConfigError(
            f"in a pod without a service account: {error.filename}: {error.strerror}"
        ) from error
    return KubeConfig(
        server=f"https://[{host}]:{port}" if ":" in host else f"https://{host}:{port}",
        namespace=namespace,
        ca_data=ca_data,
        token_file=token_file,
    )
