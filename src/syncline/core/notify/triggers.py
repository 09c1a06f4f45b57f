"""Works out the conditions of a trigger for one object.

Called by `syncline.core.notify.due` and `syncline admin notifications trigger run`. A condition that fails does not
hold, as in Argo CD; why it failed is told, except where it only asked for a field of something that is not there yet.
"""

from __future__ import annotations

import base64
import functools
import hashlib
from collections.abc import Mapping
from typing import Any

import msgspec

from syncline.core.expr import ExprError, NothingThere, evaluate, parse
from syncline.core.expr.nodes import Node
from syncline.model.notifications import TriggerCondition

_KEPT = 512


class ConditionResult(msgspec.Struct, frozen=True, kw_only=True):
    """What came of one condition. `key` is part of the key under which a notification is remembered."""

    key: str
    condition: TriggerCondition
    holds: bool = False
    once_per: str = ""
    problem: str = ""


def run(name: str, conditions: tuple[TriggerCondition, ...], variables: Mapping[str, Any]) -> list[ConditionResult]:
    """Return what came of each condition of a trigger."""
    return [_result(name, at, one, variables) for at, one in enumerate(conditions)]


def _result(name: str, at: int, condition: TriggerCondition, variables: Mapping[str, Any]) -> ConditionResult:
    result = ConditionResult(key=f"[{at}].{_digest(condition.when)}", condition=condition)
    try:
        holds = evaluate(_parsed(condition.when or "false"), variables) is True
        once_per = _shown(evaluate(_parsed(condition.once_per), variables)) if holds and condition.once_per else ""
    except NothingThere:
        return result
    except ExprError as error:
        problem = f"trigger {name}: condition {at} cannot be worked out: {error}: {condition.when}"
        return msgspec.structs.replace(result, problem=problem)
    return msgspec.structs.replace(result, holds=holds, once_per=once_per)


@functools.lru_cache(maxsize=_KEPT)
def _parsed(text: str) -> Node:
    return parse(text)


def _digest(text: str) -> str:
    found = hashlib.sha1(text.encode(), usedforsecurity=False).digest()
    return base64.urlsafe_b64encode(found).rstrip(b"=").decode()


def _shown(value: Any) -> str:
    """Return a value as Go prints it."""
    if value is None or isinstance(value, bool):
        return {None: "<nil>", True: "true", False: "false"}[value]
    return str(value)
