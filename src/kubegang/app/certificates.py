"""The embedded cluster's own certificate authority, and the certificates it signs.

The authority is made once per data directory and kept; server and client certificates are
signed anew at each start, so they never expire under a running cluster. Client certificates
carry the user as common name and the groups as organisations, as Kubernetes reads them.
"""

from __future__ import annotations

import datetime
import ipaddress
import os
from pathlib import Path

import msgspec
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

CA_DAYS = 3650
LEAF_DAYS = 365
# Clocks of clients may be a little behind.
BACKDATE = datetime.timedelta(minutes=5)


class Certificate(msgspec.Struct, frozen=True):
    """A certificate and its private key, both PEM."""

    certificate: bytes
    key: bytes


class CertificateAuthority:
    """Signs server and client certificates; the key stays in this process and its file."""

    def __init__(self, certificate: x509.Certificate, key: ec.EllipticCurvePrivateKey) -> None:
        self._certificate = certificate
        self._key = key

    @property
    def pem(self) -> bytes:
        """The authority's certificate, for clients to trust."""
        return self._certificate.public_bytes(serialization.Encoding.PEM)

    @property
    def key_pem(self) -> bytes:
        """The authority's private key."""
        return _key_pem(self._key)

    @classmethod
    def create(cls, *, now: float) -> CertificateAuthority:
        """Make a new authority, valid for ten years from ``now``."""
        key = ec.generate_private_key(ec.SECP256R1())
        name = _name("kubegang-ca", ())
        certificate = (
            _builder(subject=name, issuer=name, public_key=key.public_key())
            .not_valid_before(_moment(now) - BACKDATE)
            .not_valid_after(_moment(now) + datetime.timedelta(days=CA_DAYS))
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(_key_usage(signs_certificates=True), critical=True)
            .sign(key, hashes.SHA256())
        )
        return cls(certificate, key)

    @classmethod
    def load(cls, certificate: bytes, key: bytes) -> CertificateAuthority:
        """Read an authority from PEM.

        Raises:
            ValueError: the PEM is damaged or the key has another type than we write.
        """
        private = serialization.load_pem_private_key(key, password=None)
        if not isinstance(private, ec.EllipticCurvePrivateKey):
            raise ValueError(  # noqa: TRY004 - a damaged file, not a wrong argument
                "the authority's key is not an elliptic-curve key"
            )
        return cls(x509.load_pem_x509_certificate(certificate), private)

    def server(self, hosts: tuple[str, ...], *, now: float) -> Certificate:
        """Sign a certificate for the API server under these names and addresses."""
        names = x509.SubjectAlternativeName([_general_name(host) for host in hosts])
        return self._sign(
            _name("kube-apiserver", ()), ExtendedKeyUsageOID.SERVER_AUTH, names=names, now=now
        )

    def client(self, user: str, groups: tuple[str, ...], *, now: float) -> Certificate:
        """Sign a certificate that identifies a user and its groups."""
        return self._sign(_name(user, groups), ExtendedKeyUsageOID.CLIENT_AUTH, names=None, now=now)

    def _sign(
        self,
        subject: x509.Name,
        usage: x509.ObjectIdentifier,
        *,
        names: x509.SubjectAlternativeName | None,
        now: float,
    ) -> Certificate:
        key = ec.generate_private_key(ec.SECP256R1())
        issuer_key = x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key())
        builder = (
            _builder(subject=subject, issuer=self._certificate.subject, public_key=key.public_key())
            .not_valid_before(_moment(now) - BACKDATE)
            .not_valid_after(_moment(now) + datetime.timedelta(days=LEAF_DAYS))
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(_key_usage(signs_certificates=False), critical=True)
            .add_extension(x509.ExtendedKeyUsage([usage]), critical=False)
            .add_extension(issuer_key, critical=False)
        )
        if names is not None:
            builder = builder.add_extension(names, critical=False)
        certificate = builder.sign(self._key, hashes.SHA256())
        return Certificate(
            certificate=certificate.public_bytes(serialization.Encoding.PEM), key=_key_pem(key)
        )


def load_or_create_authority(directory: Path, *, now: float) -> CertificateAuthority:
    """Return the directory's authority; make one the first time.

    Raises:
        ValueError: the files are there but damaged.
    """
    certificate, key = directory / "ca.crt", directory / "ca.key"
    if certificate.exists() and key.exists():
        return CertificateAuthority.load(certificate.read_bytes(), key.read_bytes())
    authority = CertificateAuthority.create(now=now)
    write_private(key, authority.key_pem)
    write_private(certificate, authority.pem)
    return authority


def write_private(path: Path, content: bytes) -> None:
    """Write a file that only its owner can read, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a directory")
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        partial.replace(path)
    except OSError:
        # What was written holds a private key.
        partial.unlink(missing_ok=True)
        raise


def _builder(
    *, subject: x509.Name, issuer: x509.Name, public_key: ec.EllipticCurvePublicKey
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(public_key)
        .serial_number(x509.random_serial_number())
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(public_key), critical=False)
    )


def _name(common_name: str, organisations: tuple[str, ...]) -> x509.Name:
    parts = [x509.NameAttribute(NameOID.ORGANIZATION_NAME, name) for name in organisations]
    return x509.Name([*parts, x509.NameAttribute(NameOID.COMMON_NAME, common_name)])


def _general_name(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)


def _key_usage(*, signs_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=True,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        encipher_only=False,
        decipher_only=False,
    )


def _key_pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )


def _moment(now: float) -> datetime.datetime:
    return datetime.datetime.fromtimestamp(now, tz=datetime.UTC)
