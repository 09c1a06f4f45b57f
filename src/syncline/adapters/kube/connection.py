"""How to reach one API server and as whom: address, trust, proxy, credentials.

Made by `syncline.adapters.kube.config`, used by `syncline.adapters.kube.http`. Secret parts are kept out of
`repr`, so that no connection printed by accident shows a key or a token.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Credential:
    """What is shown to the API server at one moment: a header, a client certificate (PEM), both or neither."""

    authorization: str = field(default="", repr=False)
    certificate: bytes = field(default=b"", repr=False)
    key: bytes = field(default=b"", repr=False)


class CredentialSource(Protocol):
    """Where credentials come from; they may change while the program runs."""

    async def current(self) -> Credential:
        """Return what to show now; raises `syncline.ports.transport.TransportError` when there is nothing to show."""
        ...

    def forget(self) -> bool:
        """Drop what is cached because the server refused it; False when asking again would give the same."""
        ...


@dataclass(frozen=True, slots=True)
class Fixed:
    """Credentials that never change."""

    credential: Credential = Credential()

    async def current(self) -> Credential:
        """Return the credential."""
        return self.credential

    def forget(self) -> bool:
        """Say that there is nothing newer."""
        return False


@dataclass(frozen=True, slots=True, kw_only=True)
class Connection:
    """One API server as one user."""

    server: str
    credentials: CredentialSource = field(default=Fixed(), repr=False)
    authority: bytes = field(default=b"", repr=False)
    """PEM of the certificate authority; empty for the system's own."""
    insecure: bool = False
    tls_server_name: str = ""
    proxy: str = field(default="", repr=False)
    headers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Sent with every request: impersonation."""
    ordinary_only: bool = False
    """Whether names must not lead to this machine or to a metadata service: a project named them."""
    context: str = ""
    namespace: str = ""
