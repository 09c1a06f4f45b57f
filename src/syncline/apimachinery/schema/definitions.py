"""Loads the packed definitions of all built-in kinds, one Kubernetes minor at a time.

Handed to `syncline.apimachinery.schema.builtin`, which makes nodes of them, and to
`syncline.apimachinery.schema.validate`, which compiles them. `tools/build_schemas.py` makes the data file;
a body stays undecoded until somebody asks for it, so that one kind costs what it uses. References are bare
definition names, not JSON pointers.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from syncline.apimachinery import encoding
from syncline.apimachinery.keys import GroupVersionKind

if TYPE_CHECKING:
    from syncline.apimachinery.schema import packed

QUANTITY = "io.k8s.apimachinery.pkg.api.resource.Quantity"
INT_OR_STRING = "io.k8s.apimachinery.pkg.util.intstr.IntOrString"
RAW_EXTENSION = "io.k8s.apimachinery.pkg.runtime.RawExtension"
CORE_V1 = "io.k8s.api.core.v1"
META_V1 = "io.k8s.apimachinery.pkg.apis.meta.v1"
OBJECT_META = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"


class UnknownVersion(ValueError):
    """A Kubernetes minor no schemas are kept for."""


@functools.cache
def _pack() -> packed.Pack:
    from syncline.apimachinery.schema import packed

    return packed.load()


def versions() -> tuple[str, ...]:
    """Return the Kubernetes minors with schemas, oldest first, as `1.29`."""
    return tuple(_pack().versions)


class Definitions:
    """The definitions of one Kubernetes minor, by name and by kind."""

    def __init__(self, entries: list[packed.PackedDefinition]) -> None:
        self._raw = {entry.name: entry.body for entry in entries}
        self._decoded: dict[str, dict[str, Any]] = {}
        self.names_by_kind: Mapping[GroupVersionKind, str] = {
            GroupVersionKind(*kind): entry.name for entry in entries for kind in entry.kinds
        }

    def has(self, name: str) -> bool:
        """Whether there is a definition of this name."""
        return name in self._raw

    def names(self, prefix: str) -> list[str]:
        """Return the names of all definitions that begin with a text."""
        return [name for name in self._raw if name.startswith(prefix)]

    def body(self, name: str) -> dict[str, Any]:
        """Return the JSON schema of a definition. Treat as frozen."""
        found = self._decoded.get(name)
        if found is None:
            found = self._decoded[name] = encoding.decode(self._raw[name])
        return found


@functools.cache
def of_version(version: str | None = None) -> Definitions:
    """Return the definitions of a Kubernetes minor (`1.31`; also `v1.31.4`), by default the newest."""
    pack = _pack()
    if version is None:
        return of_version(list(pack.versions)[-1])
    used = pack.versions.get(version)
    if used is not None:
        return Definitions([pack.entries[number] for number in used])
    short = ".".join(version.removeprefix("v").split(".")[:2])
    if short != version:
        return of_version(short)
    known = versions()
    raise UnknownVersion(f"no schemas for Kubernetes {version}: choose {known[0]} to {known[-1]}")
