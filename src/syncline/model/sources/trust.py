"""What an installation trusts: certificates of servers, host keys, keys of signers; as people list them.

Read from texts by `syncline.adapters.git.trust`, listed and changed by `syncline cert` and `syncline gpg`.
"""

from __future__ import annotations

import msgspec


class TrustedCertificate(msgspec.Struct, frozen=True):
    """One certificate: whose it is, the kind of its key, and its text."""

    subject: str
    kind: str
    pem: str


class HostKey(msgspec.Struct, frozen=True):
    """One host key of a known_hosts file, for one host name."""

    host: str
    kind: str
    key: str
    fingerprint: str

    def line(self) -> str:
        """Return the line of a known_hosts file."""
        return f"{self.host} {self.kind} {self.key}"


class SigningKey(msgspec.Struct, frozen=True):
    """A public PGP key."""

    key_id: str
    fingerprint: str
    kind: str
    owner: str
    armoured: str
