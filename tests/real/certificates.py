"""Makes the keys and certificates of one throw-away cluster.

Called by `tests.real.cluster` with a folder to fill. One certificate serves both programs and also proves
the API server to etcd, because both listen on the same loopback address.
"""

import ipaddress
import pathlib
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

LIFETIME = timedelta(days=2)


def write(folder: pathlib.Path, addresses: Sequence[str] = ()) -> None:
    """Write ca.crt, server.crt, server.key, accounts.key and accounts.pub into the folder.

    The certificate is for loopback, the names of the API server inside a cluster, and the further `addresses`.
    """
    authority_key = ec.generate_private_key(ec.SECP256R1())
    authority = _authority(authority_key)
    server_key = ec.generate_private_key(ec.SECP256R1())
    server = _server(server_key, authority, authority_key, addresses)
    accounts_key = ec.generate_private_key(ec.SECP256R1())
    (folder / "ca.crt").write_bytes(authority.public_bytes(serialization.Encoding.PEM))
    (folder / "server.crt").write_bytes(server.public_bytes(serialization.Encoding.PEM))
    (folder / "server.key").write_bytes(_private(server_key))
    (folder / "accounts.key").write_bytes(_private(accounts_key))
    (folder / "accounts.pub").write_bytes(
        accounts_key.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        )
    )


def _authority(key: ec.EllipticCurvePrivateKey) -> x509.Certificate:
    name = _name("syncline test authority")
    usage = x509.KeyUsage(
        digital_signature=True,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=True,
        crl_sign=True,
        encipher_only=False,
        decipher_only=False,
    )
    identifier = x509.SubjectKeyIdentifier.from_public_key(key.public_key())
    return (
        _builder(name, name, key)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(usage, critical=True)
        .add_extension(identifier, critical=False)
        .sign(key, hashes.SHA256())
    )


def _server(
    key: ec.EllipticCurvePrivateKey,
    authority: x509.Certificate,
    authority_key: ec.EllipticCurvePrivateKey,
    addresses: Sequence[str],
) -> x509.Certificate:
    names = x509.SubjectAlternativeName(
        [
            *(x509.DNSName(name) for name in ("localhost", "kubernetes.default", "kubernetes.default.svc")),
            *(x509.IPAddress(ipaddress.ip_address(address)) for address in ("127.0.0.1", *addresses)),
        ]
    )
    usages = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH])
    issuer = x509.AuthorityKeyIdentifier.from_issuer_public_key(authority_key.public_key())
    return (
        _builder(_name("syncline test server"), authority.subject, key)
        .add_extension(names, critical=False)
        .add_extension(usages, critical=False)
        .add_extension(issuer, critical=False)
        .sign(authority_key, hashes.SHA256())
    )


def _builder(subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(minutes=5))
        .not_valid_after(now + LIFETIME)
    )


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _private(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
