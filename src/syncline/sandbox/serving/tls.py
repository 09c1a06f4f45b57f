"""Certificates for a sandbox that is served with TLS: an authority of its own, and a server certificate.

Asked by `syncline.sandbox.serving.http`. Keys are elliptic and live in memory; they pass through a private file for a
moment, because that is the only way into the standard library's TLS.
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
_SLACK: Final = timedelta(hours=1)
"""How far clocks may be apart."""


class Identity(msgspec.Struct, frozen=True):
    """What a server needs, and what its clients trust."""

    context: ssl.SSLContext
    authority: str
    """The certificate of the authority, as PEM."""


def make(host: str, now: datetime) -> Identity:
    """Make an authority and a certificate for an address."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import ExtendedKeyUsageOID

    key, server_key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    issuer = x509.Name.from_rfc4514_string("CN=syncline-sandbox-ca")
    authority = (
        _builder(issuer, issuer, key, now)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_usage(signs=True), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .sign(key, hashes.SHA256())
    )
    server = (
        _builder(issuer, x509.Name.from_rfc4514_string("CN=kube-apiserver"), server_key, now)
        .add_extension(x509.SubjectAlternativeName(_subjects(host)), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_usage(signs=False), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(key.public_key()), critical=False)
        .sign(key, hashes.SHA256())
    )
    secret = server_key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    pem = serialization.Encoding.PEM
    return Identity(_context(server.public_bytes(pem) + secret), authority.public_bytes(pem).decode())


def _builder(
    issuer: x509.Name, subject: x509.Name, key: ec.EllipticCurvePrivateKey, now: datetime
) -> x509.CertificateBuilder:
    from cryptography import x509

    return (
        x509.CertificateBuilder()
        .issuer_name(issuer)
        .subject_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _SLACK)
        .not_valid_after(now + _LIFETIME)
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
