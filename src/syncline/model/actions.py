"""Actions on objects: what `discovery.lua` offers and what `action.lua` wants done, read from scripts' results.

Called by whoever lists or runs actions with the value of a `syncline.model.script.Evaluated`.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import msgspec

from syncline.model.errors import InvalidSpec


class Action(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An action that an object offers now."""

    name: str
    disabled: bool = False
    parameters: tuple[str, ...] = ()
    display_name: str = ""
    icon: str = ""


class ActionOperation(StrEnum):
    """What is done with an object that an action returns."""

    PATCH = "patch"
    CREATE = "create"


class ActionStep(msgspec.Struct, frozen=True):
    """One object that an action wants written."""

    operation: ActionOperation
    obj: dict[str, Any]


def offered(value: Any) -> tuple[Action, ...]:
    """Return the actions of a discovery script's table, sorted by name; raises InvalidSpec."""
    if not value:
        return ()
    if not isinstance(value, dict):
        raise InvalidSpec("discovery.lua returned a list", hint="return a table from action name to its description")
    return tuple(_action(name, value[name]) for name in sorted(value))


def _action(name: str, about: Any) -> Action:
    if not isinstance(about, dict):
        return Action(name=name)
    parameters = about.get("params")
    return Action(
        name=name,
        disabled=about.get("disabled") is True,
        parameters=tuple(
            str(one["name"])
            for one in (parameters if isinstance(parameters, list) else ())
            if isinstance(one, dict) and one.get("name")
        ),
        display_name=str(about.get("displayName") or ""),
        icon=str(about.get("iconClass") or ""),
    )


def steps(value: Any) -> tuple[ActionStep, ...]:
    """Return what an action wants done: an object is a patch, a list names its operations; raises InvalidSpec."""
    if isinstance(value, dict):
        return (ActionStep(ActionOperation.PATCH, value),)
    if not isinstance(value, list):
        raise InvalidSpec("action.lua returned no table", hint="return the object, or a list of operations")
    return tuple(_step(one) for one in value)


def _step(one: Any) -> ActionStep:
    resource = one.get("resource") if isinstance(one, dict) else None
    if not isinstance(resource, dict):
        raise InvalidSpec("action.lua returned an operation without a resource")
    try:
        return ActionStep(ActionOperation(one.get("operation")), resource)
    except ValueError:
        hint = "use patch or create"
        raise InvalidSpec(f"action.lua returned the operation {one.get('operation')!r}", hint=hint) from None
