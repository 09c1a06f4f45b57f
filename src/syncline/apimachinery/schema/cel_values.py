"""Gives CEL rules their values and functions, as the API server types them.

Called by `syncline.apimachinery.schema.cel`. A rule sees declared fields only, under names that CEL can spell; numbers
of type `number` are doubles even when written without a fraction; base64 texts are bytes. Times and durations stay
texts, since the library takes no others from outside: rules that calculate with such fields cannot run.
"""

from __future__ import annotations

import functools
import itertools
import re
from typing import Any, Final

from syncline.apimachinery.schema.node import Node

_RESERVED: Final = frozenset(
    (
        "true", "false", "null", "in", "as", "break", "const", "continue",
        "else", "for", "function", "if", "import", "let", "loop", "package",
        "namespace", "return", "var", "void", "while",
    )
)  # fmt: skip
_ESCAPES: Final = {"__": "__underscores__", ".": "__dot__", "-": "__dash__", "/": "__slash__"}
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)


def spelled(name: str) -> str | None:
    """Return how rules write a field's name, None where they cannot."""
    if name in _RESERVED:
        return f"__{name}__"
    escaped = re.sub(r"__|[./-]", lambda found: _ESCAPES[found[0]], name)
    return escaped if _IDENTIFIER.fullmatch(escaped) else None


def value_for_rules(value: Any, node: Node) -> Any:
    """Return a value as rules see it."""
    if isinstance(value, dict):
        return _object(value, node)
    if isinstance(value, list):
        elements = node.elements
        return value if elements is None else [value_for_rules(item, elements) for item in value]
    if node.type == "number" and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    return _bytes(value) if node.format == "byte" and isinstance(value, str) else value


def _bytes(text: str) -> bytes | str:
    import base64

    try:
        return base64.b64decode(text, validate=True)
    except ValueError:
        return text


def _object(value: dict[str, Any], node: Node) -> dict[str, Any]:
    if not node.fields and node.elements is not None and not node.preserve_unknown:
        return {name: value_for_rules(member, node.elements) for name, member in value.items()}
    seen: dict[str, Any] = {}
    for name, member in value.items():
        written = spelled(name)
        if written is not None and name in node.fields:
            seen[written] = value_for_rules(member, node.fields[name])
    if isinstance(value.get("metadata"), dict) and "apiVersion" in value and "kind" in value:
        metadata = {name: value["metadata"][name] for name in ("name", "generateName") if name in value["metadata"]}
        seen |= {"apiVersion": value["apiVersion"], "kind": value["kind"], "metadata": metadata}
    return seen


@functools.cache
def environment() -> Any:
    """Return the CEL environment of rules; raises ImportError where the library is not installed."""
    from importlib import import_module

    cel = import_module("cel_expr_python.cel")
    libraries = [
        getattr(import_module(f"cel_expr_python.ext.ext_{name.lower()}"), f"Ext{name}")()
        for name in ("Strings", "Math", "Optional", "Bindings", "Encoders")
    ]
    anything = cel.Type.DYN
    functions = [
        cel.FunctionDecl(
            name,
            [cel.Overload(f"kubernetes_{name}", returns, [cel.Type.List(anything)], is_member=True, impl=does)],
        )
        for name, returns, does in (
            ("isSorted", cel.Type.BOOL, _is_sorted),
            ("sum", anything, sum),
            ("min", anything, min),
            ("max", anything, max),
        )
    ]
    extensions = [*libraries, cel.CelExtension("kubernetes", functions)]
    return cel.NewEnv(variables={"self": anything, "oldSelf": anything}, extensions=extensions)


def _is_sorted(items: list[Any]) -> bool:
    return all(left <= right for left, right in itertools.pairwise(items))
