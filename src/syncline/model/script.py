"""Scripts that users write, and what came out of one: the values between deciding code and whoever runs them.

Made by the controller and the command line, run behind `syncline.ports.evaluate`, read by
`syncline.core.health.scripts` and `syncline.model.actions`.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import msgspec


class ScriptKind(StrEnum):
    """What a script is for; this fixes its language too."""

    HEALTH = "health"
    """Lua; returns a table with status and message, or nothing."""
    DISCOVERY = "discovery"
    """Lua; returns a table from action name to what is special about the action."""
    ACTION = "action"
    """Lua; returns the changed object, or a list of operations with their objects."""
    DELETE = "delete"
    """A jq path expression; gives the object without what the expression points at."""


class Script(msgspec.Struct, frozen=True, kw_only=True):
    """One script and one object to run it on. Parameters are for actions; open libraries are for Lua.

    `version` names the object as it is, among all clusters; only who read it from a cluster may give one. Without it an
    object is told from others by its content.
    """

    kind: ScriptKind
    text: str
    obj: dict[str, Any]
    open_libraries: bool = False
    parameters: dict[str, str] = {}
    version: str = ""


UNREADABLE = "cannot be parsed"
"""The words of an error about a script that is none."""


class Evaluated(msgspec.Struct, frozen=True, kw_only=True):
    """What a script returned, as JSON values, or one sentence why it returned nothing."""

    value: Any = None
    error: str = ""

    @property
    def malformed(self) -> bool:
        """Whether the script could not even be read, whatever the object."""
        return UNREADABLE in self.error
