"""Servers that somebody is logged in to: address, whether it is trusted blindly, and the token to show.

Kept in a file of the shape of Argo CD's by `syncline.adapters.server_contexts`; chosen by `syncline.cli.servers`.
Tokens stay out of `repr`, so that nothing printed by accident shows one.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from syncline.model.errors import InvalidSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerContext:
    """One login. `server` is host and port as people type them; `plaintext` means without TLS."""

    name: str
    server: str
    token: str = field(default="", repr=False)
    refresh_token: str = field(default="", repr=False)
    plaintext: bool = False
    insecure: bool = False
    root_path: str = ""

    @property
    def url(self) -> str:
        """The address that requests are sent below."""
        path = f"/{self.root_path.strip('/')}" if self.root_path.strip("/") else ""
        return f"{'http' if self.plaintext else 'https'}://{self.server}{path}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerContexts:
    """All logins, and the name of the one that is used."""

    current: str = ""
    known: tuple[ServerContext, ...] = ()

    def find(self, name: str) -> ServerContext | None:
        """Return a login by its name."""
        return next((one for one in self.known if one.name == name), None)

    def at(self, server: str) -> ServerContext | None:
        """Return a login to a server, that of its own name first."""
        fits = [one for one in self.known if one.server == server]
        return next((one for one in fits if one.name == server), fits[0] if fits else None)

    def having(self, context: ServerContext) -> ServerContexts:
        """Return the same with one login more, which is used from now on."""
        others = tuple(one for one in self.known if one.name != context.name)
        return ServerContexts(current=context.name, known=(*others, context))

    def using(self, name: str) -> ServerContexts:
        """Return the same with another one in use."""
        return replace(self, current=name)

    def without(self, name: str) -> ServerContexts:
        """Return the same without a login."""
        kept = tuple(one for one in self.known if one.name != name)
        return ServerContexts(current="" if self.current == name else self.current, known=kept)


def parse_address(text: str) -> tuple[str, bool]:
    """Return host and port of an address, and whether it says http; raises a sentence for what is not an address."""
    scheme, separator, rest = text.strip().partition("://")
    if not separator:
        scheme, rest = "", text.strip()
    host = rest.rstrip("/")
    if (
        scheme not in ("", "http", "https")
        or not host
        or any(one in host for one in "/@?# \t\n")
        or not host.isprintable()
    ):
        raise InvalidSpec(f"{_shown(text)} is not the address of a server", hint="write HOST[:PORT]")
    return host, scheme == "http"


def _shown(text: str) -> str:
    """Return an address without a login in it, short enough to be read."""
    scheme, separator, rest = text.partition("://")
    bare = rest.rpartition("@")[2] if separator else text.rpartition("@")[2]
    return repr(f"{scheme}://{bare}" if separator else bare)[:200]
