"""Reads the rules of what may not change in built-in kinds.

Loaded late by `syncline.apimachinery.schema.immutable`, which applies them, for it needs msgspec.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib import resources
from typing import Any, Literal

import msgspec

from syncline.apimachinery.keys import Object


class ImmutableRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    """Fields of one kind that may not change, when, and what the server says."""

    path: str
    field: str = ""
    text: str = ""
    value: Literal["", "shown", "hidden", "null"] = ""
    when: dict[str, list[Any]] = {}
    unless: dict[str, list[Any]] = {}
    only: list[str] = []
    except_: list[str] = msgspec.field(default_factory=list, name="except")
    may_be_absent: bool = False
    elastic: bool = False

    def value_in(self, obj: Object) -> Any:
        """Return what an object has where the rule looks."""
        return _at(obj, self.path)

    def concerns(self, old: Object) -> bool:
        """Return whether the rule applies to an object as it is stored."""
        return all(_at(old, path) in values for path, values in self.when.items()) and not any(
            _at(old, path) in values for path, values in self.unless.items()
        )

    def message(self, value: Any) -> str:
        """Return the server's words about a value that was to be stored."""
        text = self.text or "field is immutable"
        match self.value:
            case "":
                return text
            case "null":
                return f"Invalid value: null: {text}"
            case "hidden":
                return f"Invalid value: …: {text}"
            case "shown":
                shown = json.dumps(value, separators=(",", ":"), sort_keys=True, ensure_ascii=False)
                return f"Invalid value: {shown}: {text}"


def _at(value: Any, path: str) -> Any:
    for name in path.split("."):
        if not isinstance(value, dict):
            return None
        value = value.get(name)
    return value


def load() -> Mapping[str, list[ImmutableRule]]:
    """Read the data file."""
    packed = resources.files("syncline.apimachinery.schema").joinpath("data", "immutable.json").read_bytes()
    return msgspec.json.decode(packed, type=dict[str, list[ImmutableRule]])
