"""Reads the rules by which the API server fills in built-in kinds.

Loaded late by `syncline.apimachinery.schema.defaults`, which runs them, for it needs msgspec.
"""

from __future__ import annotations

from importlib import resources
from typing import Any

import msgspec


class StepCondition(msgspec.Struct, frozen=True, rename={"is_": "is"}):
    """When a step is taken."""

    is_: dict[str, list[Any]] = {}
    has: list[str] = []
    lacks: list[str] = []

    def holds(self, part: dict[str, Any]) -> bool:
        """Return whether a part meets the condition."""
        return (
            all(part.get(name) in values for name, values in self.is_.items())
            and all(part.get(name) not in (None, []) for name in self.has)
            and all(part.get(name) in (None, []) for name in self.lacks)
        )


class DefaultStep(msgspec.Struct, frozen=True, rename={"in_": "in", "set_zero": "setZero", "set_null": "setNull"}):
    """One step; its verbs are explained in `syncline.apimachinery.schema.defaults`."""

    since: str = ""
    when: StepCondition | None = None
    set: dict[str, Any] = {}
    set_zero: dict[str, Any] = {}
    drop: list[str] = []
    set_null: dict[str, Any] = {}
    copy: dict[str, str] = {}
    call: str = ""
    use: str = ""
    in_: dict[str, str] = {}
    make: dict[str, str] = {}
    each: dict[str, str] = {}


class DefaultRules(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The steps of whole kinds, and of the types of their parts."""

    kinds: dict[str, list[DefaultStep]]
    types: dict[str, list[DefaultStep]]


def load() -> DefaultRules:
    """Read the data file."""
    packed = resources.files("syncline.apimachinery.schema").joinpath("data", "defaults.json").read_bytes()
    return msgspec.json.decode(packed, type=DefaultRules)
