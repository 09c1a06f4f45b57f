"""Sprig's defaults, choices, questions about types, and `fail`.

Part of the table in `syncline.core.appset.functions`.
"""

from __future__ import annotations

from typing import Any

from syncline.core.appset.functions import convert
from syncline.core.appset.functions.comparing import deep_equal
from syncline.core.appset.gotemplate.errors import CallError
from syncline.core.appset.gotemplate.functions import Context, Function
from syncline.core.appset.gotemplate.values import kind_name, type_name


def _default(default: Any, *given: Any) -> Any:
    return default if not given or convert.is_empty(given[0]) else given[0]


def _coalesce(*values: Any) -> Any:
    return next((value for value in values if not convert.is_empty(value)), None)


def _fail(message: str) -> str:
    raise CallError(message)


def _deep_copy(ctx: Context, value: Any, depth: int = 0) -> Any:
    ctx.budget.spend(1)
    ctx.budget.depth(depth)
    if value is None and not depth:
        raise CallError("reflect: call of reflect.Value.Type on zero Value")
    if isinstance(value, dict):
        return type(value)({key: _deep_copy(ctx, child, depth + 1) for key, child in value.items()})
    if isinstance(value, list):
        return type(value)(_deep_copy(ctx, child, depth + 1) for child in value)
    return value


LOGIC: dict[str, Function] = {
    "all": Function(lambda *values: not any(map(convert.is_empty, values)), "any..."),
    "any": Function(lambda *values: not all(map(convert.is_empty, values)), "any..."),
    "coalesce": Function(_coalesce, "any..."),
    "deepCopy": Function(_deep_copy, "any", needs_context=True),
    "deepEqual": Function(deep_equal, "any any", needs_context=True),
    "default": Function(_default, "any any..."),
    "empty": Function(convert.is_empty, "any"),
    "fail": Function(_fail, "string"),
    "kindIs": Function(lambda name, value: name == kind_name(value), "string any"),
    "kindOf": Function(kind_name, "any"),
    "mustDeepCopy": Function(_deep_copy, "any", needs_context=True),
    "ternary": Function(lambda first, second, chosen: first if chosen else second, "any any bool"),
    "typeIs": Function(lambda name, value: name == type_name(value), "string any"),
    "typeIsLike": Function(lambda name, value: type_name(value) in (name, f"*{name}"), "string any"),
    "typeOf": Function(type_name, "any"),
}
