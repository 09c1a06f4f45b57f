"""The functions that Go's templates have by themselves: comparison, indexing, printing, escaping.

Part of the table that `syncline.core.appset.functions` puts together. `and` and `or` are evaluated by the executor,
which need not look at all of their arguments.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from syncline.core.appset.gotemplate import formatting
from syncline.core.appset.gotemplate.errors import CallError
from syncline.core.appset.gotemplate.functions import Context, Function
from syncline.core.appset.gotemplate.quoting import is_print, to_bytes
from syncline.core.appset.gotemplate.values import (
    ELEMENTS,
    NO_VALUE,
    Uint8,
    Uint64,
    is_nil,
    is_true,
    kind_name,
    type_name,
)

_HTML = str.maketrans({"\0": "\ufffd", '"': "&#34;", "'": "&#39;", "&": "&amp;", "<": "&lt;", ">": "&gt;"})
_JS = {"\\": "\\\\", "'": "\\'", '"': '\\"', "<": "\\u003C", ">": "\\u003E", "&": "\\u0026", "=": "\\u003D"}
_UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~")
_ORDERED = ("int", "uint", "float", "string")


def _basic(value: Any) -> str:
    """Return the kind by which values are compared; empty for those that have none."""
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, Uint64 | Uint8):
        return "uint"
    for kind, name in ((int, "int"), (float, "float"), (str, "string"), (complex, "complex")):
        if isinstance(value, kind):
            return name
    return ""


def _equal(ctx: Context, first: Any, *others: Any) -> bool:
    if not others:
        raise CallError("missing argument for comparison")
    return any(_equals(ctx, _nothing(first), _nothing(other)) for other in others)


def _nothing(value: Any) -> Any:
    return NO_VALUE if value is None else value


def _equals(ctx: Context, first: Any, other: Any) -> bool:
    kinds = _basic(first), _basic(other)
    if kinds[0] != kinds[1]:
        if set(kinds) == {"int", "uint"}:
            return int(first) == int(other)
        if NO_VALUE in (first, other):
            return False
        raise CallError(f"incompatible types for comparison: {type_name(first)} and {type_name(other)}")
    if kinds[0]:
        return bool(first == other)
    if is_nil(first) or is_nil(other):
        return is_nil(first) == is_nil(other)
    if kind_name(first) != kind_name(other):
        raise CallError(
            f"non-comparable types {formatting.as_text(first, ctx.budget)}: {type_name(first)}, "
            f"{type_name(other)}: {_shown(ctx, other)}"
        )
    if kind_name(other) in ("map", "slice"):
        raise CallError(f"non-comparable type {formatting.as_text(other, ctx.budget)}: {type_name(other)}")
    return bool(first == other)


def _shown(ctx: Context, value: Any) -> str:
    return formatting.plain(value, ctx.budget)


def _not_equal(ctx: Context, first: Any, other: Any) -> bool:
    return not _equal(ctx, first, other)


def _less(first: Any, other: Any) -> bool:
    kinds = _basic(first), _basic(other)
    if not kinds[0] or not kinds[1]:
        raise CallError("invalid type for comparison")
    if kinds[0] != kinds[1]:
        if set(kinds) == {"int", "uint"}:
            return int(first) < int(other)
        raise CallError(f"incompatible types for comparison: {type_name(first)} and {type_name(other)}")
    if kinds[0] not in _ORDERED:
        raise CallError("invalid type for comparison")
    if kinds[0] == "string":
        return to_bytes(first) < to_bytes(other)
    return bool(first < other)


def _less_or_equal(ctx: Context, first: Any, other: Any) -> bool:
    return _less(first, other) or _equal(ctx, first, other)


def _greater(ctx: Context, first: Any, other: Any) -> bool:
    return not _less_or_equal(ctx, first, other)


def _greater_or_equal(first: Any, other: Any) -> bool:
    return not _less(first, other)


def _length(item: Any) -> int:
    if item is NO_VALUE:
        raise CallError("reflect: call of reflect.Value.Type on zero Value")
    if item is None:
        raise CallError("len of nil pointer")
    if isinstance(item, str):
        return len(item) if item.isascii() else len(to_bytes(item))
    if isinstance(item, list | Mapping):
        return len(item)
    raise CallError(f"len of type {type_name(item)}")


def index_of(value: Any, limit: int) -> int:
    """Return a value as an index below or at a limit."""
    if value is None or value is NO_VALUE:
        raise CallError("cannot index slice/array with nil")
    if not isinstance(value, int) or isinstance(value, bool):
        raise CallError(f"cannot index slice/array with type {type_name(value)}")
    if not 0 <= value <= limit:
        raise CallError(f"index out of range: {value}")
    return int(value)


def _index(item: Any, *indexes: Any) -> Any:
    if item is None or item is NO_VALUE:
        raise CallError("index of untyped nil")
    for index in indexes:
        item = _one_index(item, index)
    return item


def _one_index(item: Any, index: Any) -> Any:
    if item is None:
        raise CallError("index of nil pointer")
    if isinstance(item, list | str):
        row = to_bytes(item) if isinstance(item, str) else item
        at = index_of(index, len(row))
        if at == len(row):
            what = "string index out of range" if isinstance(item, str) else "slice index out of range"
            raise CallError(f"reflect: {what}")
        return Uint8(row[at]) if isinstance(item, str) else row[at]
    if isinstance(item, Mapping):
        if index is None or index is NO_VALUE:
            raise CallError("value is nil; should be of type string")
        if not isinstance(index, str):
            raise CallError(f"value has type {type_name(index)}; should be string")
        return item.get(index, "" if ELEMENTS.get(type(item)) == "string" else None)
    raise CallError(f"can't index item of type {type_name(item)}")


def _call(name: str, function: Any, *args: Any) -> Any:
    if function is None or function is NO_VALUE:
        raise CallError("call of nil")
    if isinstance(function, Function):
        return _called(function, args)
    raise CallError(f"non-function {name} of type {type_name(function)}")


def _called(function: Function, args: tuple[Any, ...]) -> Any:
    """Call a function that is a value, as notifications have them: `call .repo.RepoURLToHTTPS .app.spec.…`."""
    if len(args) != len(function.params):
        raise CallError(f"wrong number of args: got {len(args)} want {len(function.params)}")
    for at, (wanted, given) in enumerate(zip(function.params, args, strict=True)):
        if given is None or given is NO_VALUE or type_name(given) != wanted:
            actual = "nil" if given is None or given is NO_VALUE else type_name(given)
            raise CallError(f"arg {at}: value has type {actual}; should be {wanted}")
    return function.call(*args)


def _print(ctx: Context, *values: Any) -> str:
    return formatting.sprint(values, ctx.budget)


def _println(ctx: Context, *values: Any) -> str:
    return formatting.sprintln(values, ctx.budget)


def _printf(ctx: Context, pattern: str, *values: Any) -> str:
    return formatting.sprintf(pattern, values, ctx.budget)


def _text_of(ctx: Context, values: tuple[Any, ...]) -> str:
    """Return arguments as one text; nil is a missing value here."""
    return formatting.sprint(["<no value>" if value is None else value for value in values], ctx.budget)


def _html(ctx: Context, *values: Any) -> str:
    return _text_of(ctx, values).translate(_HTML)


def _js(ctx: Context, *values: Any) -> str:
    return "".join(map(_js_char, _text_of(ctx, values)))


def _js_char(char: str) -> str:
    if char in _JS:
        return _JS[char]
    if " " <= char < "\x7f" or (char >= "\x80" and is_print(char)):
        return char
    if 0xDC80 <= ord(char) <= 0xDCFF:
        return "\ufffd"
    return char if char == "\x7f" else f"\\u{ord(char):04X}"


def _url_query(ctx: Context, *values: Any) -> str:
    return query_escaped(_text_of(ctx, values))


def query_escaped(text: str) -> str:
    """Return a text as it stands in the query of a URL."""
    return "".join(
        chr(byte) if byte in _UNRESERVED else "+" if byte == 32 else f"%{byte:02X}" for byte in to_bytes(text)
    )


def _never(*_args: Any) -> Any:
    raise CallError("unreachable")


def _not(value: Any) -> bool:
    return not is_true(value)


BUILTINS: dict[str, Function] = {
    "and": Function(_never, "value value..."),
    "call": Function(_call, "value value..."),
    "eq": Function(_equal, "value value...", needs_context=True),
    "ge": Function(_greater_or_equal, "value value"),
    "gt": Function(_greater, "value value", needs_context=True),
    "html": Function(_html, "any...", needs_context=True),
    "index": Function(_index, "value value..."),
    "js": Function(_js, "any...", needs_context=True),
    "le": Function(_less_or_equal, "value value", needs_context=True),
    "len": Function(_length, "value"),
    "lt": Function(_less, "value value"),
    "ne": Function(_not_equal, "value value", needs_context=True),
    "not": Function(_not, "value"),
    "or": Function(_never, "value value..."),
    "print": Function(_print, "any...", needs_context=True),
    "printf": Function(_printf, "string any...", needs_context=True),
    "println": Function(_println, "any...", needs_context=True),
    "urlquery": Function(_url_query, "any...", needs_context=True),
}
