"""Reads certificates, host keys and signing keys from what people paste or name a file of.

Called through `syncline.wiring` by the commands that change what an installation trusts. A text that holds something
else is refused with the reason; a private key is refused without being quoted.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from typing import Any

from syncline.model.errors import NeedsUser
from syncline.model.sources.trust import HostKey, SigningKey, TrustedCertificate

_CERTIFICATE = re.compile(r"-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----", re.DOTALL)
_HOST_KINDS = re.compile(r"(?:ssh-|ecdsa-|sk-)[a-z0-9@.-]+")


class TrustReader:
    """Reads what people hand in."""

    def read_certificates(self, text: str) -> list[TrustedCertificate]:
        """Return the certificates of a PEM text, each once."""
        return _read_certificates(text)

    def read_host_keys(self, text: str) -> list[HostKey]:
        """Return the entries of a known_hosts text, one for each host name of a line."""
        return _read_host_keys(text)

    def read_signing_keys(self, content: bytes) -> list[SigningKey]:
        """Return the public keys of a text or file, armoured or not."""
        return _read_signing_keys(content)


def _read_certificates(text: str) -> list[TrustedCertificate]:
    """Return the certificates of a PEM text, each once."""
    from cryptography import x509

    found: dict[bytes, TrustedCertificate] = {}
    for part in _CERTIFICATE.findall(text):
        try:
            certificate = x509.load_pem_x509_certificate(part.encode())
            kind = type(certificate.public_key()).__name__.strip("_").removesuffix("PublicKey").lower()
        except ValueError as error:
            raise NeedsUser(f"a certificate cannot be read: {error}") from None
        plain = {"ec": "ecdsa", "ellipticcurve": "ecdsa"}.get(kind, kind)
        entry = TrustedCertificate(certificate.subject.rfc4514_string(), plain, part + "\n")
        found.setdefault(certificate.public_bytes(_der()), entry)
    return list(found.values())


def _der() -> Any:
    from cryptography.hazmat.primitives.serialization import Encoding

    return Encoding.DER


def _read_host_keys(text: str) -> list[HostKey]:
    """Return the entries of a known_hosts text, one for each host name of a line; comments are left out."""
    found: list[HostKey] = []
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        if len(words) < 3 or words[0].startswith("@") or not _HOST_KINDS.fullmatch(words[1]):
            raise NeedsUser(f"line {number} is not a known_hosts entry", hint="the format is: host, key type, key")
        try:
            digest = hashlib.sha256(base64.b64decode(words[2], validate=True)).digest()
        except (binascii.Error, ValueError):
            raise NeedsUser(f"line {number}: the key is not base64") from None
        fingerprint = "SHA256:" + base64.b64encode(digest).decode().rstrip("=")
        found += [HostKey(host, words[1], words[2], fingerprint) for host in words[0].split(",")]
    return found


def _read_signing_keys(content: bytes) -> list[SigningKey]:
    """Return the public keys of a text or file, armoured or not."""
    import pysequoia
    from pysequoia.packet import PacketPile

    try:
        secret = any("Secret" in str(packet.tag) for packet in PacketPile.from_bytes(content))
        certs = list(pysequoia.Cert.split_bytes(content))
    except Exception:  # noqa: BLE001 - the library raises nothing more precise
        raise NeedsUser("no PGP public key was found", hint="export one with: gpg --armor --export KEYID") from None
    if secret or b"PRIVATE KEY" in content:
        raise NeedsUser("this is a private key", hint="export the public one: gpg --armor --export KEYID")
    return [_signing_key(cert) for cert in certs]


def _signing_key(cert: Any) -> SigningKey:
    fingerprint = str(cert.fingerprint).upper()
    owner = str(cert.user_ids[0]) if cert.user_ids else ""
    return SigningKey(fingerprint[-16:], fingerprint, _kind(cert), owner, str(cert))


def _kind(cert: Any) -> str:
    """Return the kind of the primary key as gpg writes it: `rsa4096`, `ed25519`."""
    from pysequoia.packet import PacketPile

    first = next((packet for packet in PacketPile.from_bytes(bytes(cert)) if packet.key_id), None)
    if first is None:
        return "unknown"
    name = str(first.key_algorithm).rpartition(".")[2].lower()
    if name.startswith("rsa"):
        # Version, time and algorithm come before the modulus, which begins with its length in bits.
        return f"rsa{int.from_bytes(first.body[6:8], 'big')}"
    return "ed25519" if name in ("eddsa", "ed25519") else name
