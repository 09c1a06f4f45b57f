"""Names of kinds and objects: the one identity everything else refers to.

Handed out by whoever reads an object (`key_of`), printed in every table, reason and finding, and parsed back from
the command line and from tracking ids. A key leaves out the version: the same object read through two API
versions is one object.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

from syncline.apimachinery.frozen import Ordered, set_field

Object = dict[str, Any]
"""A Kubernetes object as decoded from JSON or YAML. Nobody mutates one after it was handed over."""


class InvalidKey(ValueError):
    """A text that should name an object does not."""


class GroupKind(Ordered):
    """A kind without its version, printed `group/Kind` (core kinds: `Kind`)."""

    __slots__ = ("_hash", "group", "kind")
    __match_args__ = ("group", "kind")

    _hash: int
    group: str
    kind: str

    def __init__(self, group: str, kind: str) -> None:
        set_field(self, "group", group)
        set_field(self, "kind", kind)

    # The two below say what the base class says, faster: kinds are looked up for every object by every rule.
    def __hash__(self) -> int:
        try:
            return self._hash
        except AttributeError:
            set_field(self, "_hash", hash((self.group, self.kind)))
            return self._hash

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if other.__class__ is not GroupKind:
            return NotImplemented
        return self.kind == other.kind and self.group == other.group

    def __str__(self) -> str:
        return f"{self.group}/{self.kind}" if self.group else self.kind


_group_kind = functools.lru_cache(maxsize=1024)(GroupKind)
"""Kinds are few and asked for by the ten thousand: equal ones are mostly one object."""


class GroupVersionKind(Ordered):
    """A kind with its version, as an object's apiVersion and kind name it."""

    __slots__ = __match_args__ = ("group", "version", "kind")

    group: str
    version: str
    kind: str

    def __init__(self, group: str, version: str, kind: str) -> None:
        set_field(self, "group", group)
        set_field(self, "version", version)
        set_field(self, "kind", kind)

    @property
    def api_version(self) -> str:
        """The `apiVersion` text: `v1` for core kinds, `group/version` for the rest."""
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def group_kind(self) -> GroupKind:
        """The same kind without its version."""
        return _group_kind(self.group, self.kind)

    def __str__(self) -> str:
        return f"{self.api_version}/{self.kind}"


class ObjectKey(Ordered):
    """One object in one cluster, printed and parsed as `group/Kind:namespace/name`.

    Core kinds have an empty group (`/ConfigMap:default/settings`), cluster-scoped objects an empty namespace
    (`/Namespace:/prod`).
    """

    __slots__ = ("_hash", "group", "kind", "name", "namespace")
    __match_args__ = ("group", "kind", "namespace", "name")

    _hash: int
    group: str
    kind: str
    namespace: str
    name: str

    def __init__(self, group: str, kind: str, namespace: str, name: str) -> None:
        set_field(self, "group", group)
        set_field(self, "kind", kind)
        set_field(self, "namespace", namespace)
        set_field(self, "name", name)

    # The three below say what the base class says, faster: keys are looked up and sorted by the ten thousand.
    def __hash__(self) -> int:
        try:
            known = self._hash
        except AttributeError:
            known = hash((self.name, self.namespace, self.kind, self.group))
            set_field(self, "_hash", known)
        return known

    def __eq__(self, other: object) -> bool:
        if other.__class__ is not ObjectKey:
            return NotImplemented
        return (
            self.name == other.name
            and self.namespace == other.namespace
            and self.kind == other.kind
            and self.group == other.group
        )

    def __lt__(self, other: ObjectKey) -> bool:
        if other.__class__ is not ObjectKey:
            return NotImplemented
        mine = (self.group, self.kind, self.namespace, self.name)
        return mine < (other.group, other.kind, other.namespace, other.name)

    def __str__(self) -> str:
        return f"{self.group}/{self.kind}:{self.namespace}/{self.name}"

    @property
    def group_kind(self) -> GroupKind:
        """The kind of the object."""
        return _group_kind(self.group, self.kind)

    @property
    def short(self) -> str:
        """`Kind/name`, for sentences in which the rest is clear."""
        return f"{self.kind}/{self.name}"

    @classmethod
    def parse(cls, text: str) -> ObjectKey:
        """Read what `str()` prints; a core kind may also be written without the leading slash."""
        kind_part, colon, name_part = text.partition(":")
        group, slash, kind = kind_part.rpartition("/")
        namespace, slash_name, name = name_part.partition("/")
        if not colon or not slash_name or not kind or not name or (slash and "/" in group):
            raise InvalidKey(f"{text!r} is not an object key: write group/Kind:namespace/name")
        return cls(group, kind, namespace, name)


def split_api_version(api_version: str) -> tuple[str, str]:
    """Return group and version of an `apiVersion` text."""
    group, _, version = api_version.rpartition("/")
    return group, version


def gvk_of(obj: Mapping[str, Any]) -> GroupVersionKind:
    """Return the kind an object says it is."""
    group, version = split_api_version(str(obj.get("apiVersion") or ""))
    return GroupVersionKind(group, version, str(obj.get("kind") or ""))


def key_of(obj: Mapping[str, Any]) -> ObjectKey:
    """Return the identity of an object, from its own apiVersion, kind and metadata."""
    group, _ = split_api_version(str(obj.get("apiVersion") or ""))
    metadata = obj.get("metadata")
    if not isinstance(metadata, dict):
        metadata = {}
    return ObjectKey(
        group, str(obj.get("kind") or ""), str(metadata.get("namespace") or ""), str(metadata.get("name") or "")
    )
