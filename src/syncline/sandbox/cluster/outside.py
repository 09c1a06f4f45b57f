"""The world around a sandbox: which images there are and who may pull them, names that resolve, secrets kept elsewhere.

Part of `syncline.sandbox.cluster.settings`; asked by the simulated kubelet and by the rules of operators. Values only.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Any

import msgspec


class PrivateImages(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """Images that need a pull secret for their registry."""

    image: str
    """Image names, with `*` and `?` as in file names."""
    accepts: tuple[str, ...] = ()
    """`user:password` pairs that are right; any will do when none is given."""


class Unreachable(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """A registry that does not answer."""

    registry: str
    problem: str = ""
    """What the network says; a name that is not found when empty."""


class KnownImages(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """Which images can be pulled. Later words win: what is unknown is unknown even where known says `*`."""

    known: tuple[str, ...] = ("*",)
    unknown: tuple[str, ...] = ()
    private: tuple[PrivateImages, ...] = ()
    unreachable: tuple[Unreachable, ...] = ()
    seen: tuple[str, ...] = ()
    """Images that ran in the cluster this one stands in for; they say nothing about others."""

    def exists(self, image: str) -> bool:
        """Tell whether there is such an image."""
        if any(fnmatchcase(image, pattern) for pattern in self.unknown):
            return False
        return any(fnmatchcase(image, pattern) for pattern in self.known)

    def guard(self, image: str) -> PrivateImages | None:
        """Return what guards a private image, None for one that everybody may pull."""
        return next((one for one in self.private if fnmatchcase(image, one.image)), None)

    def silence(self, registry: str) -> Unreachable | None:
        """Return why a registry does not answer, None when it does."""
        return next((one for one in self.unreachable if fnmatchcase(registry, one.registry)), None)


class Outside(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """Facts that no object in the cluster holds."""

    names: tuple[str, ...] = ("*",)
    """DNS names that resolve, with `*` and `?` as in file names; Services of the cluster always do."""
    secrets: dict[str, Any] | None = None
    """What secret managers hold, by key: a text or a mapping of properties. Without it every key is there."""

    def resolves(self, name: str) -> bool:
        """Tell whether a DNS name outside the cluster can be found."""
        return any(fnmatchcase(name, pattern) for pattern in self.names)

    def holds(self, key: str, field: str = "") -> bool:
        """Tell whether a secret manager has a key, and that property in it."""
        if self.secrets is None:
            return True
        found = self.secrets.get(key)
        return found is not None and (not field or (isinstance(found, dict) and field in found))
