"""Writes web/src/lib/types.ts: the answers of the server as TypeScript, from the types that routes declare.

Run as `python tools/build_page_types.py` after changing an answer; a test fails while the file is stale.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from msgspec import inspect

from syncline.apimachinery.keys import ObjectKey
from syncline.server.answers.kinds import Answer, OneOf, Shape, Stream, types_of
from syncline.server.answers.objects import ObjectRef
from syncline.server.table import ENDPOINTS

TARGET = Path(__file__).parent.parent / "web/src/lib/types.ts"
_HEAD = """\
// Written by `python tools/build_page_types.py` from the table of routes; change src/syncline/server/answers instead.
// What the server answers, as docs/reference/api.md describes it. Members with a question mark may be left out.
"""
_WIDE = 120
# An object by its name is the same to the page, whether or not the server may leave out group and namespace.
_SAME: dict[type, type] = {ObjectKey: ObjectRef}


def page() -> str:
    """Return the whole file."""
    declared = [one.answer for one in ENDPOINTS]
    found = dict(_definitions([inspect.type_info(kind) for answer in declared for kind in types_of(answer)]))
    for answer in declared:
        named = answer.of if isinstance(answer, Stream) else answer
        if isinstance(named, OneOf):
            found[named.name] = _alias(named.name, [kind.__name__ for kind in named.types])
    return _HEAD + "".join(f"\n{text}" for _, text in sorted(found.items()))


def _definitions(waiting: list[Any]) -> Iterator[tuple[str, str]]:
    """Yield the definition of each type, and of all that they have in them; raises where two have the same name."""
    seen: dict[str, type] = {}
    while waiting:
        info = waiting.pop()
        if isinstance(info, inspect.StructType | inspect.DataclassType | inspect.EnumType):
            kind = _SAME.get(info.cls, info.cls)
            if seen.get(kind.__name__) is kind:
                continue
            if kind.__name__ in seen:
                raise TypeError(f"{kind} and {seen[kind.__name__]} have the same name: rename one of them")
            seen[kind.__name__] = kind
            yield kind.__name__, _definition(inspect.type_info(kind))
        waiting += _inside(info)


def _inside(info: Any) -> list[Any]:
    if isinstance(info, inspect.StructType | inspect.DataclassType):
        return [field.type for field in info.fields]
    if isinstance(info, inspect.UnionType):
        return list(info.types)
    if isinstance(info, inspect.DictType):
        return [info.value_type]
    return [info.item_type] if isinstance(info, inspect.CollectionType) else []


def _definition(info: Any) -> str:
    about = f"/** {(info.cls.__doc__ or '').strip().splitlines()[0]} */\n"
    name = info.cls.__name__
    if isinstance(info, inspect.EnumType):
        return about + _alias(name, [_literal(one.value) for one in info.cls])
    if not info.fields:
        return f"{about}export type {name} = Record<string, never>;\n"
    lines = "".join(f"  {_member(info.cls, field)};\n" for field in info.fields)
    return f"{about}export interface {name} {{\n{lines}}}\n"


def _alias(name: str, options: list[str]) -> str:
    line = f"export type {name} = {' | '.join(options)};\n"
    if len(line) > _WIDE + 1:
        line = f"export type {name} =\n" + "\n".join(f"  | {one}" for one in options) + ";\n"
    return line


def _member(kind: type, field: inspect.Field) -> str:
    config = getattr(kind, "__struct_config__", None)
    may_lack = not field.required and config is not None and config.omit_defaults
    options = _options(field.type)
    if may_lack and "null" in options and not issubclass(kind, Answer | Shape) and field.default is None:
        # What has its default is left out by the encoder, so null is never sent.
        options.remove("null")
    return f"{field.encode_name}{'?' if may_lack else ''}: {' | '.join(options)}"


def _options(info: Any) -> list[str]:
    """Return the types that a value may have; nothing for one that is left out."""
    if isinstance(info, inspect.UnionType):
        found = [one for kind in info.types for one in _options(kind)]
        return [*(one for one in found if one != "null"), *(["null"] if "null" in found else [])]
    return [_name(info)]


def _name(info: Any) -> str:
    plain: dict[type, str] = {
        inspect.StrType: "string",
        inspect.BoolType: "boolean",
        inspect.IntType: "number",
        inspect.FloatType: "number",
        inspect.NoneType: "null",
        inspect.AnyType: "unknown",
    }
    if type(info) in plain:
        return plain[type(info)]
    if isinstance(info, inspect.StructType | inspect.DataclassType | inspect.EnumType):
        return str(_SAME.get(info.cls, info.cls).__name__)
    if isinstance(info, inspect.DictType):
        return f"Record<string, {' | '.join(_options(info.value_type))}>"
    if isinstance(info, inspect.CollectionType):
        options = _options(info.item_type)
        return f"({' | '.join(options)})[]" if len(options) > 1 else f"{options[0]}[]"
    if isinstance(info, inspect.LiteralType):
        return " | ".join(_literal(value) for value in sorted(info.values, key=str))
    raise TypeError(f"no TypeScript for {info}")


def _literal(value: Any) -> str:
    return msgspec.json.encode(value).decode()


if __name__ == "__main__":
    TARGET.write_text(page(), encoding="utf-8")
