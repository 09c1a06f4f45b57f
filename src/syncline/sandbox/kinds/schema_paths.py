"""Paths to fields, as rules and definitions of custom kinds write them: `.spec.size`, `.spec['a.b']`.

Asked by `syncline.sandbox.kinds.schemas` and `syncline.sandbox.kinds.definition_versions`; reads as the API server's
ValidFieldPath does.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

Schema = Mapping[str, Any]
_TOKENS: Final = re.compile(r"'(?:[^'\\]|\\.)*'|[.\[\]]|[^.\[\]']+|'")
_NOWHERE: Final = "does not refer to a valid field"


def follow(path: str, schema: Schema, *, plain: bool = False) -> tuple[Schema, str]:
    """Return the schema that a path leads to, or why it leads nowhere; a plain one has no brackets."""
    tokens = _TOKENS.findall(path)
    while tokens:
        mark = tokens.pop(0)
        if mark not in (".", "["):
            return {}, f"expected [ or . but got: {mark}"
        if mark == "[" and plain:
            return {}, "array notation is not allowed"
        if not tokens:
            return {}, "unexpected end of JSON path"
        name = tokens.pop(0)
        if mark == "[":
            if len(name) < 2 or name[0] != "'" or name[-1] != "'":
                return {}, f"expected single quoted string but got {name}"
            name = re.sub(r"\\(.)", r"\1", name[1:-1])
        inner = _inside(schema, name)
        if inner is None:
            return {}, _NOWHERE
        schema = inner
        if mark == "[" and (not tokens or tokens.pop(0) != "]"):
            return {}, "expected ]"
    return schema, ""


def _inside(schema: Schema, name: str) -> Schema | None:
    properties = schema.get("properties")
    found = properties.get(name) if properties else schema.get("additionalProperties")
    return found if isinstance(found, Mapping) else None
