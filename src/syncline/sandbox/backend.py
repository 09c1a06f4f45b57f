"""What every request and every simulated controller works on: store, kinds, clock and names of one sandbox.

Built by `syncline.sandbox.server`; handed as the first argument to the modules that read and write objects. Several
sandboxes in one process share nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from syncline.apimachinery import times
from syncline.ports.clock import Chance, Clock, Ids
from syncline.sandbox.cluster.controls import Controls
from syncline.sandbox.cluster.settings import SandboxSettings
from syncline.sandbox.hooks import Hooks
from syncline.sandbox.served.resources import Resource, ServedKinds
from syncline.sandbox.store.store import ObjectStore, RowKey
from syncline.sandbox.timers import Timers

_LINES: Final = 1000
"""So many different lines are logged."""
_ADDRESSES: Final = 250 * 256
"""So many addresses has a network."""


@dataclass(slots=True)
class Backend:
    """The parts of one sandbox."""

    clock: Clock
    ids: Ids
    chance: Chance | None
    settings: SandboxSettings
    store: ObjectStore
    registry: ServedKinds
    timers: Timers
    hooks: Hooks
    controls: Controls = field(default_factory=Controls)
    """What is meddled with right now."""
    acting: tuple[str, tuple[str, ...]] = ("system:admin", ("system:masters",))
    """Name and groups of whoever's request is being carried out."""
    recorded: dict[tuple[str, ...], RowKey] = field(default_factory=dict)
    """Where the Event about something that happened before is kept."""
    authority: str = "-----BEGIN CERTIFICATE-----\nc3luY2xpbmUgc2FuZGJveA==\n-----END CERTIFICATE-----\n"
    """The certificate with which clients trust this cluster, as PEM; not a real one unless it is served with TLS."""
    logged: set[str] = field(default_factory=set)
    """The lines of the log."""
    said: list[str] = field(default_factory=list)
    """What the answer to the request at hand warns of, besides what a write says itself."""
    annotated: dict[str, str] = field(default_factory=dict)
    """What policies have written into the audit record of the request at hand."""
    signing_key: bytes = b""
    """What tokens are signed with, once there are any."""
    doors: dict[str, tuple[str, tuple[str, ...]]] = field(default_factory=dict)
    """Who comes in with the tokens that the sandbox is served with: name and groups."""
    addresses: dict[str, int] = field(default_factory=dict)
    """Simulated addresses handed out, by network."""

    reserved: dict[str, RowKey] = field(default_factory=dict)
    """Which Service has asked for a cluster address or node port last."""

    _second: tuple[datetime | None, str] = (None, "")

    def timestamp(self) -> str:
        """Return the time now as Kubernetes writes it; written once per second, because every write asks."""
        now = self.clock.now()
        if now.replace(microsecond=0) != self._second[0]:
            self._second = (now.replace(microsecond=0), times.format_time(now))
        return self._second[1]

    def warn(self, text: str) -> None:
        """Say something with the answer to the request at hand, once."""
        if text not in self.said:
            self.said.append(text)

    def cannot(self, text: str) -> None:
        """Say with the answer, and in the log, what could not be checked or done."""
        self.warn(text)
        self.log(text)

    def annotate(self, key: str, value: str) -> None:
        """Write into the audit record of the request at hand, and into the log; the first to name a key counts."""
        if key not in self.annotated:
            self.annotated[key] = value
            self.log(f"audit: {key}: {value}")

    def log(self, text: str) -> None:
        """Write a line into the log, the same one once."""
        import logging

        if text not in self.logged and len(self.logged) < _LINES:
            self.logged.add(text)
            logging.getLogger("syncline.sandbox").warning("%s", text)

    def place(self, resource: Resource, namespace: str, name: str) -> RowKey:
        """Return where an object of a resource is kept."""
        return RowKey(resource.bucket, namespace if resource.namespaced else "", name)

    def resource(self, group: str, kind: str) -> Resource:
        """Return a built-in kind that is always served."""
        found = self.registry.preferred(group, kind)
        if found is None:
            raise LookupError(f"the sandbox does not serve {group}/{kind}")
        return found

    def next_address(self, network: str) -> str:
        """Return a simulated IP address, `network` being its first two numbers (`10.244`).

        After 64,000 of them the first are handed out again: whoever had those is long gone.
        """
        number = (self.addresses.get(network, 1) + 1) % _ADDRESSES
        self.addresses[network] = number
        return f"{network}.{number // 250}.{number % 250 + 1}"

    def mark_address(self, address: str) -> None:
        """Never hand out an address, nor one before it, again."""
        parts = address.split(".")
        if len(parts) == 4 and all(part.isdigit() for part in parts):
            network, number = ".".join(parts[:2]), int(parts[2]) * 250 + int(parts[3]) - 1
            self.addresses[network] = max(self.addresses.get(network, 1), number)
