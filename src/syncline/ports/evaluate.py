"""Scripts written by users: Lua health checks and actions, jq paths.

Run in killable workers by an adapter, in batches; the deciding code receives the results as values.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Any, Protocol

import msgspec


class Language(StrEnum):
    """What a script is written in."""

    LUA = "lua"
    JQ = "jq"


class Script(msgspec.Struct, frozen=True, kw_only=True):
    """One script and one object to run it on."""

    language: Language
    text: str
    obj: dict[str, Any]
    open_libraries: bool = False
    parameters: dict[str, str] = {}


class Evaluated(msgspec.Struct, frozen=True, kw_only=True):
    """What a script returned, or one sentence why it did not."""

    value: Any = None
    error: str = ""


class Evaluator(Protocol):
    """Runs scripts within limits of time and memory. Never raises for what a script does."""

    async def evaluate(self, batch: Sequence[Script]) -> Sequence[Evaluated]:
        """Return one result per script, in order."""
        ...
