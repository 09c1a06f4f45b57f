"""The printer columns of custom kinds, read with simple JSON paths."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

import orjson

from syncline.apimachinery.keys import Object
from syncline.sandbox.served.resources import PrinterColumn as Declared
from syncline.sandbox.tables.columns import AGE, NAME, TableColumn, since

_STEP = re.compile(r"""\.?([^.\[\]]+)|\[\?\(@\.([^=\s!]+)\s*==\s*['"]?([^'")]*)['"]?\)\]|\[(\d+|\*)\]|\['([^']+)'\]""")


def columns(declared: tuple[Declared, ...]) -> tuple[TableColumn, ...]:
    """Return the columns a definition declares; without any, name and age."""
    if not declared:
        return (NAME, TableColumn("Age", AGE.cell, type="date"))
    return (NAME, *(_column(one) for one in declared))


def _column(declared: Declared) -> TableColumn:
    def cell(obj: Object, now: datetime) -> Any:
        found = find(obj, declared.json_path)
        if not found:
            return None
        value = found[0]
        if declared.type == "date":
            return since(value, now) if isinstance(value, str) else "<unknown>"
        if declared.type == "string":
            return ",".join(_text(one) for one in found)
        return value

    return TableColumn(declared.name, cell, wide=declared.priority > 0, type=declared.type, format=declared.format)


def find(obj: Any, path: str) -> list[Any]:
    """Return all values at a JSON path: members, indexes, `[*]` and `[?(@.a=="b")]`."""
    found = [obj]
    for member, key, wanted, index, quoted in _STEP.findall(path.replace("\\.", "\0")):
        name = (member or quoted).replace("\0", ".")
        following: list[Any] = []
        for value in found:
            if name and isinstance(value, dict):
                following += [value[name]] if value.get(name) is not None else []
            elif key and isinstance(value, list):
                following += [one for one in value if isinstance(one, dict) and str(one.get(key)) == wanted]
            elif index and isinstance(value, list):
                following += value if index == "*" else value[int(index) : int(index) + 1]
        found = following
    return found


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    return orjson.dumps(value).decode()
