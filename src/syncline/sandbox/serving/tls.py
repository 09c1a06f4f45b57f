"""Certificates for a sandbox that is served with TLS: an authority of its own, and a server certificate.

Asked by `syncline.sandbox.serving.http`; an authority that is to outlive the process is made by
`syncline.wiring.sandboxes`, which keeps it. Keys are elliptic; that of the server lives in memory and passes through a
private file for a moment, because that is the only way into the standard library's TLS.
"""

from __future__ import annotations

import ipaddress
import os
import pathlib
import ssl
import tempfile
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

import msgspec

if TYPE_CHECKING:
    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric import ec

_NAMES: Final = ("localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc")
_ADDRESSES: Final = ("127.0.0.1", "::1")
_LIFETIME: Final = timedelta(days=365)
_LIFETIME_OF_AUTHORITY: Final = 10 * _LIFETIME
_SLACK: Final = timedelta(hours=1)
"""How far clocks may be apart."""


class Authority(msgspec.Struct, frozen=True):
    """Who signs certificates: its own certificate and its key, as PEM."""

    certificate: str
    key: str


class Identity(msgspec.Struct, frozen=True):
    """What a server needs, and what its clients trust."""

    context: ssl.SSLContext
    authority: str
    """The certificate of the authority, as PEM."""


def new_authority(now: datetime) -> Authority:
    """Make an authority."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name.from_rfc4514_string("CN=syncline-sandbox-ca")
    certificate = (
        _builder(name, name, key, now, _LIFETIME_OF_AUTHORITY)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_usage(signs=True), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .sign(key, hashes.SHA256())
    )
    return Authority(certificate.public_bytes(serialization.Encoding.PEM).decode(), _pem(key).decode())


def lasts(authority: Authority, now: datetime) -> bool:
    """Tell whether an authority can be read and still signs certificates that clients take."""
    from cryptography import x509

    try:
        found = x509.load_pem_x509_certificate(authority.certificate.encode())
        _key_of(authority)
    except (ValueError, TypeError):
        return False
    return found.not_valid_before_utc <= now and now + _LIFETIME < found.not_valid_after_utc


def make(host: str, now: datetime, authority: Authority | None = None) -> Identity:
    """Make a certificate for an address, signed by an authority, or by a new one."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import ExtendedKeyUsageOID

    authority = authority or new_authority(now)
    issuer, key = x509.load_pem_x509_certificate(authority.certificate.encode()), _key_of(authority)
    server_key = ec.generate_private_key(ec.SECP256R1())
    server = (
        _builder(issuer.subject, x509.Name.from_rfc4514_string("CN=kube-apiserver"), server_key, now, _LIFETIME)
        .add_extension(x509.SubjectAlternativeName(_subjects(host)), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_usage(signs=False), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(key.public_key()), critical=False)
        .sign(key, hashes.SHA256())
    )
    chain = server.public_bytes(serialization.Encoding.PEM) + _pem(server_key)
    return Identity(_context(chain), authority.certificate)


def _key_of(authority: Authority) -> ec.EllipticCurvePrivateKey:
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = serialization.load_pem_private_key(authority.key.encode(), password=None)
    if not isinstance(key, ec.EllipticCurvePrivateKey):
        raise TypeError("not a key of ours")
    return key


def _pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    from cryptography.hazmat.primitives import serialization

    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )


def _builder(
    issuer: x509.Name, subject: x509.Name, key: ec.EllipticCurvePrivateKey, now: datetime, lifetime: timedelta
) -> x509.CertificateBuilder:
    from cryptography import x509

    return (
        x509.CertificateBuilder()
        .issuer_name(issuer)
        .subject_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _SLACK)
        .not_valid_after(now + lifetime)
    )


def _usage(*, signs: bool) -> x509.KeyUsage:
    from cryptography import x509

    return x509.KeyUsage(
        digital_signature=True,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs,
        crl_sign=signs,
        encipher_only=False,
        decipher_only=False,
    )


def _subjects(host: str) -> list[x509.GeneralName]:
    from cryptography import x509

    addresses = [*_ADDRESSES]
    names = [*_NAMES]
    try:
        ipaddress.ip_address(host)
    except ValueError:
        names.append(host)
    else:
        addresses.append(host)
    found: list[x509.GeneralName] = [x509.DNSName(name) for name in dict.fromkeys(names)]
    return [*found, *(x509.IPAddress(ipaddress.ip_address(one)) for one in dict.fromkeys(addresses))]


def _context(chain: bytes) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    handle, path = tempfile.mkstemp(prefix="syncline-sandbox-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(chain)
        context.load_cert_chain(path)
    finally:
        pathlib.Path(path).unlink()
    return context
