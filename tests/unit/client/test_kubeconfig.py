"""Which server, as whom, and what is said when a file does not tell."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import pytest
import yaml

from kubegang.client.kubeconfig import KubeConfig, KubeConfigError, load_kubeconfig


def config(**changes: Any) -> dict[str, Any]:
    """Return a kubeconfig with one cluster, user and context; ``changes`` replace keys."""
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "c", "cluster": {"server": "https://host:6443/"}}],
        "users": [{"name": "u", "user": {"token": "secret"}}],
        "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
        "current-context": "x",
        **changes,
    }


def write(path: Path, content: dict[str, Any]) -> Path:
    path.write_text(yaml.safe_dump(content))
    return path


def encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def load(tmp_path: Path, **changes: Any) -> KubeConfig:
    return load_kubeconfig(write(tmp_path / "config", config(**changes)), environ={})


def cluster(**changes: Any) -> list[Any]:
    return [{"name": "c", "cluster": {"server": "https://host", **changes}}]


def user(**fields: Any) -> list[Any]:
    return [{"name": "u", "user": fields}]


def test_the_current_context_says_server_user_and_namespace(tmp_path: Path) -> None:
    found = load(tmp_path)

    assert found == KubeConfig(
        server="https://host:6443", context="x", namespace="default", token="secret"
    )


def test_another_context_can_be_asked_for(tmp_path: Path) -> None:
    contexts = [
        {"name": "x", "context": {"cluster": "c", "user": "u"}},
        {"name": "y", "context": {"cluster": "c", "namespace": "team"}},
    ]
    path = write(tmp_path / "config", config(contexts=contexts))

    found = load_kubeconfig(path, context="y", environ={})

    assert (found.context, found.namespace, found.token) == ("y", "team", "")


def test_embedded_certificates_are_decoded(tmp_path: Path) -> None:
    found = load(
        tmp_path,
        clusters=cluster(**{"certificate-authority-data": encoded("CA")}),
        users=user(
            **{"client-certificate-data": encoded("CERT"), "client-key-data": encoded("KEY")}
        ),
    )

    assert found.ca_data == b"CA"
    assert found.client_certificate_data == b"CERT"
    assert found.client_key_data == b"KEY"


def test_files_are_found_beside_the_kubeconfig(tmp_path: Path) -> None:
    (tmp_path / "pki").mkdir()
    for name in ("ca.crt", "me.crt", "me.key"):
        (tmp_path / "pki" / name).write_text(name)
    found = load(
        tmp_path,
        clusters=cluster(**{"certificate-authority": "pki/ca.crt"}),
        users=user(
            **{
                "client-certificate": "pki/me.crt",
                "client-key": str(tmp_path / "pki" / "me.key"),
                "tokenFile": "pki/token",
            }
        ),
    )

    assert found.ca_data == b"ca.crt"
    assert found.client_certificate_data == b"me.crt"
    assert found.client_key_data == b"me.key"
    assert found.token_file == tmp_path / "pki" / "token"


def test_tls_settings_are_taken_over(tmp_path: Path) -> None:
    found = load(
        tmp_path,
        clusters=cluster(**{"insecure-skip-tls-verify": True, "tls-server-name": "kubernetes"}),
    )

    assert found.insecure
    assert found.tls_server_name == "kubernetes"


def test_a_server_without_scheme_speaks_plain_http(tmp_path: Path) -> None:
    assert load(tmp_path, clusters=cluster(server="localhost:8080")).server == (
        "http://localhost:8080"
    )


def test_of_several_files_the_first_to_say_something_wins(tmp_path: Path) -> None:
    first = write(
        tmp_path / "first",
        {"users": [{"name": "u", "user": {"token": "first"}}], "current-context": "x"},
    )
    second = write(tmp_path / "second", config(**{"current-context": "other"}))
    names = f"{first}:{tmp_path / 'missing'}:{second}"

    found = load_kubeconfig(environ={"KUBECONFIG": names})

    assert (found.context, found.token, found.server) == ("x", "first", "https://host:6443")


def test_without_more_the_home_directory_is_looked_into(tmp_path: Path) -> None:
    (tmp_path / ".kube").mkdir()
    write(tmp_path / ".kube" / "config", config())

    assert load_kubeconfig(environ={"HOME": str(tmp_path)}).token == "secret"


def test_in_a_pod_its_service_account_is_used(tmp_path: Path) -> None:
    for name, content in (("ca.crt", "CA"), ("namespace", "team\n"), ("token", "t")):
        (tmp_path / name).write_text(content)
    environ = {
        "HOME": "/nonexistent",
        "KUBERNETES_SERVICE_HOST": "fd00::1",
        "KUBERNETES_SERVICE_PORT": "6443",
    }

    found = load_kubeconfig(environ=environ, service_account=tmp_path)

    assert found == KubeConfig(
        server="https://[fd00::1]:6443",
        namespace="team",
        ca_data=b"CA",
        token_file=tmp_path / "token",
    )


def test_a_pod_without_service_account_is_told_so(tmp_path: Path) -> None:
    environ = {"HOME": "/nonexistent", "KUBERNETES_SERVICE_HOST": "10.0.0.1"}
    with pytest.raises(KubeConfigError, match=r"without a service account: .*/ca\.crt: No such"):
        load_kubeconfig(environ=environ, service_account=tmp_path)


def test_no_configuration_at_all_says_what_to_do() -> None:
    with pytest.raises(KubeConfigError, match="give --kubeconfig, or set KUBECONFIG"):
        load_kubeconfig(environ={"HOME": "/nonexistent"})


def test_kubeconfig_files_that_are_all_missing_are_named() -> None:
    with pytest.raises(KubeConfigError, match="no file that exists: /no/a, /no/b"):
        load_kubeconfig(environ={"KUBECONFIG": "/no/a:/no/b"})


def test_a_given_file_must_exist(tmp_path: Path) -> None:
    with pytest.raises(KubeConfigError, match=f"{tmp_path}/none: No such file"):
        load_kubeconfig(tmp_path / "none", environ={})


@pytest.mark.parametrize(
    ("changes", "want"),
    [
        pytest.param(
            {"current-context": ""},
            r"config: current-context is not set; contexts: x",
            id="no-current-context",
        ),
        pytest.param(
            {"current-context": "z"}, r"config: no context 'z'; contexts: x", id="unknown-context"
        ),
        pytest.param(
            {"clusters": []},
            r"config: context 'x' names cluster 'c', which does not exist",
            id="unknown-cluster",
        ),
        pytest.param(
            {"users": None},
            r"config: context 'x' names user 'u', which does not exist",
            id="unknown-user",
        ),
        pytest.param(
            {"contexts": [{"name": "x", "context": {"user": "u"}}]},
            r"config: context 'x' names no cluster",
            id="context-without-cluster",
        ),
        pytest.param(
            {"clusters": [{"name": "c", "cluster": {}}]},
            r"config: cluster 'c' has no server",
            id="cluster-without-server",
        ),
        pytest.param(
            {"clusters": cluster(**{"certificate-authority": "gone.crt"})},
            r"config: cluster 'c': certificate-authority .*/gone\.crt: No such file",
            id="missing-ca-file",
        ),
        pytest.param(
            {"clusters": cluster(**{"certificate-authority-data": "?"})},
            r"config: cluster 'c': certificate-authority-data is not base64",
            id="ca-not-base64",
        ),
        pytest.param(
            {
                "clusters": cluster(
                    **{"certificate-authority-data": "Q0E=", "insecure-skip-tls-verify": True}
                )
            },
            r"config: cluster 'c' has both a certificate authority and insecure",
            id="ca-and-insecure",
        ),
        pytest.param(
            {"clusters": cluster(**{"proxy-url": "http://p"})},
            r"config: cluster 'c': proxy-url is not supported",
            id="proxy",
        ),
        pytest.param(
            {"users": user(**{"client-certificate-data": "Q0E="})},
            r"config: user 'u' has no client-key",
            id="certificate-without-key",
        ),
        pytest.param(
            {"users": user(exec={"command": "aws"})},
            r"config: user 'u': credential plug-ins \(exec\) are not supported; use a token",
            id="exec",
        ),
        pytest.param(
            {"users": user(**{"as": "root", "token": "t"})},
            r"config: user 'u': impersonation is not supported",
            id="impersonation",
        ),
        pytest.param(
            {"users": user(username="u", password="p")},
            r"config: user 'u': basic authentication is not supported",
            id="basic",
        ),
        pytest.param({"kind": "Pod"}, r"config is not a kubeconfig file", id="another-kind"),
        pytest.param(
            {"clusters": ["c"]},
            r"config: clusters must be a list of a name and a cluster each",
            id="wrong-shape",
        ),
    ],
)
def test_what_is_missing_or_not_supported_is_said(
    tmp_path: Path, changes: dict[str, Any], want: str
) -> None:
    with pytest.raises(KubeConfigError, match=want):
        load(tmp_path, **changes)


def test_a_file_that_is_not_yaml_is_named(tmp_path: Path) -> None:
    path = tmp_path / "config"
    path.write_text("clusters: [")
    with pytest.raises(KubeConfigError, match="config is not YAML: "):
        load_kubeconfig(path, environ={})
