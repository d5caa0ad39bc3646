"""Further users: a certificate of the cluster's authority in a kubeconfig of their own."""

from __future__ import annotations

from base64 import b64decode
from pathlib import Path

import pytest
import yaml
from cryptography import x509
from cryptography.x509.oid import NameOID

from kubegang.app.certificates import load_or_create_authority
from kubegang.app.errors import BadInputError
from kubegang.app.kubeconfigs import write_kubeconfig
from kubegang.app.users import NewUser, add_user

NOW = 1_795_000_000.0


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    authority = load_or_create_authority(tmp_path / "pki", now=NOW)
    path = tmp_path / "components" / "scheduler.kubeconfig"
    server = "https://127.0.0.1:6443"
    write_kubeconfig(path, server=server, authority=authority.pem, user="s", client="token")
    return tmp_path


def add(data_dir: Path, name: str, *groups: str, output: str = "") -> str:
    user = NewUser(name=name, groups=groups, data_dir=str(data_dir), output=output)
    return add_user(user, now=NOW)


def test_the_certificate_names_user_and_groups_and_lasts_a_year(data_dir: Path) -> None:
    config = yaml.safe_load(add(data_dir, "alice", "devs", "ops"))
    assert config["clusters"][0]["cluster"]["server"] == "https://127.0.0.1:6443"
    pem = b64decode(config["users"][0]["user"]["client-certificate-data"])
    certificate = x509.load_pem_x509_certificate(pem)
    names = certificate.subject.get_attributes_for_oid(NameOID.ORGANIZATION_NAME)
    assert [name.value for name in names] == ["devs", "ops"]
    (common,) = certificate.subject.get_attributes_for_oid(NameOID.COMMON_NAME)
    assert common.value == "alice"
    assert (certificate.not_valid_after_utc - certificate.not_valid_before_utc).days == 365


def test_the_kubeconfig_is_for_its_owner_only(data_dir: Path, tmp_path: Path) -> None:
    output = tmp_path / "alice.kubeconfig"
    text = add(data_dir, "alice", output=str(output))
    assert output.read_text() == text
    assert output.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("name", ["", " ", "x" * 65, "a\nb"])
def test_a_name_that_cannot_be_a_users_is_refused(data_dir: Path, name: str) -> None:
    with pytest.raises(BadInputError, match=r"^a name "):
        add(data_dir, name)


def test_a_directory_without_a_cluster_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="no cluster has been started there"):
        add(tmp_path, "alice")
