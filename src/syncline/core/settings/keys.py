"""Knows every key: where it is read, what it may be, what holds without it. The knowledge itself is `keys.yaml`.

Asked by `syncline.core.settings.check` for each key that stands somewhere; keys that nobody knows go on to
`syncline.core.settings.nearest`. A key with a part in angle brackets stands for a family; a plain key of the same
spelling wins over a family.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from enum import StrEnum
from importlib import resources
from typing import Any

import msgspec

from syncline.apimachinery import yaml


class Home(StrEnum):
    """Where settings are read."""

    CM = "argocd-cm"
    PARAMS = "argocd-cmd-params-cm"
    RBAC = "argocd-rbac-cm"
    SECRET = "argocd-secret"  # noqa: S105 - the name of an object
    ENV = "env"


class ValueKind(StrEnum):
    """What a value must be."""

    TEXT = "text"
    BOOLEAN = "boolean"
    INTEGER = "integer"
    NUMBER = "number"
    DURATION = "duration"
    SECONDS = "seconds"
    MILLISECONDS = "milliseconds"
    SIZE = "size"
    LIST = "list"
    CHOICE = "choice"
    YAML = "yaml"
    LUA = "lua"
    RULES = "rules"


class SettingKey(msgspec.Struct, frozen=True, kw_only=True):
    """One setting, or a family of them; see `keys.yaml` for what the fields mean."""

    name: str
    home: Home
    type: ValueKind
    meaning: str
    default: str | None = None
    choices: tuple[str, ...] = ()
    env: str = ""
    field: str = ""
    restart: bool = False
    mistaken: tuple[str, ...] = ()
    instead: str = ""

    @property
    def stem(self) -> str:
        """What a family's keys have in common before the part that differs; the whole name of a plain key."""
        return self.name.partition("<")[0]

    @property
    def is_family(self) -> bool:
        """Whether this stands for many keys."""
        return "<" in self.name


class Removed(msgspec.Struct, frozen=True):
    """A key that was a setting once."""

    home: Home
    since: str
    instead: str


class Catalogue(msgspec.Struct, frozen=True):
    """All keys by home and name, families apart, and what was removed."""

    plain: dict[tuple[Home, str], SettingKey]
    families: tuple[tuple[re.Pattern[str], SettingKey], ...]
    removed: dict[str, Removed]
    by_env: dict[str, SettingKey]

    def find(self, home: Home, name: str) -> SettingKey | None:
        """Return what is read under this name in this home."""
        found = self.plain.get((home, name))
        if found is not None:
            return found
        return next((key for shape, key in self.families if key.home is home and shape.fullmatch(name)), None)

    def elsewhere(self, home: Home, name: str) -> SettingKey | None:
        """Return what is read under this name in another home."""
        return next((found for other in Home if other is not home and (found := self.find(other, name))), None)

    def all(self) -> Iterator[SettingKey]:
        """List every key and family."""
        yield from self.plain.values()
        for _, key in self.families:
            yield key


@functools.cache
def catalogue() -> Catalogue:
    """Return all knowledge of keys, read once."""
    known = yaml.load(resources.files(__package__).joinpath("keys.yaml").read_bytes(), source="keys.yaml")
    removed = msgspec.convert(known.pop("removed"), dict[str, Removed])
    keys = [
        key for home, entries in known.items() for name, facts in entries.items() for key in _keys(home, name, facts)
    ]
    return Catalogue(
        plain={(key.home, key.name): key for key in keys if not key.is_family},
        families=tuple((_shape(key.name), key) for key in keys if key.is_family),
        removed=removed,
        by_env={key.env or key.name: key for key in reversed(keys) if key.env or key.home is Home.ENV},
    )


def _keys(home: str, name: str, facts: dict[str, Any]) -> Iterator[SettingKey]:
    components = facts.get("for") or [""]
    for component in components:
        # A family of components has one variable for all: only the first of them is known by it.
        env = facts.get("env", "") if component == components[0] else ""
        restart = facts.get("restart", home in (Home.PARAMS, Home.ENV))
        entry = {"name": name.replace("{}", component), "home": home, "restart": restart}
        rest = {fact: value for fact, value in facts.items() if fact not in ("for", "env", "restart")}
        yield msgspec.convert({**rest, **entry, "env": env}, SettingKey)


def _shape(name: str) -> re.Pattern[str]:
    """Return the pattern of a family; names of accounts and rules hold no dot, kinds and versions may."""
    parts = re.split(r"(<[^>]+>)", name)
    return re.compile(
        "".join(
            r"[^.]+" if part == "<name>" else r".+" if part.startswith("<") else re.escape(part)
            for part in parts
            if part
        )
    )
