"""Tells which fields of a custom kind may not change, where its CRD says so in the usual way: `self == oldSelf`.

Asked before an update is sent, beside `syncline.apimachinery.schema.immutable` for built-in kinds. It needs no CEL
library; `syncline.apimachinery.schema.cel` runs all rules. As in the API server a rule holds only between a value that
was there and one that is; items of keyed lists are matched by their keys, items of other lists not at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from syncline.apimachinery import equality
from syncline.apimachinery.keys import Object
from syncline.apimachinery.schema import structural_defaults
from syncline.apimachinery.schema.immutable import Violation
from syncline.apimachinery.schema.node import ANY, Node

_IMMUTABLE = re.compile(r"\s*(self\s*==\s*oldSelf|oldSelf\s*==\s*self)\s*")
_WORDS = {"FieldValueForbidden": "Forbidden", "FieldValueRequired": "Required value"}


def violations(old: Object, new: Object, node: Node) -> list[Violation]:
    """Return what the API server would refuse in replacing `old` by `new`, both whole objects."""
    before = structural_defaults.apply_schema_defaults(old, node)
    after = structural_defaults.apply_schema_defaults(new, node)
    return list(_walk(before, after, node, ""))


def _walk(old: Any, new: Any, node: Node, path: str) -> Iterator[Violation]:
    for rule in node.source.get("x-kubernetes-validations") or ():
        if _IMMUTABLE.fullmatch(str(rule.get("rule", ""))) and not equality.equal(old, new):
            text = str(rule.get("message") or f"failed rule: {str(rule['rule']).strip()}")
            yield Violation(path.removeprefix("."), refusal(rule, new, text))
    if isinstance(old, dict) and isinstance(new, dict):
        for name, member in new.items():
            inner = node.field(name)
            if inner is not None and inner is not ANY and name in old:
                where = f"{path}.{name}" if name in node.fields else f"{path}[{name}]"
                yield from _walk(old[name], member, inner, where)
    elif isinstance(old, list) and isinstance(new, list) and node.list_type == "map" and node.elements is not None:
        earlier = {identity(item, node): item for item in old}
        for index, item in enumerate(new):
            if identity(item, node) in earlier:
                yield from _walk(earlier[identity(item, node)], item, node.elements, f"{path}[{index}]")


def identity(item: Any, node: Node) -> str:
    """Return what tells the items of a keyed list apart."""
    import json

    return json.dumps([item.get(name) for name in node.list_keys] if isinstance(item, dict) else item)


def refusal(rule: Mapping[str, Any], value: Any, text: str) -> str:
    """Return what the API server says of a value that breaks a rule, with the rule's own text."""
    import json

    reason = str(rule.get("reason", ""))
    if reason in _WORDS:
        return f"{_WORDS[reason]}: {text}"
    shown = "" if isinstance(value, dict | list) else json.dumps(value, ensure_ascii=False)
    if reason == "FieldValueDuplicate":
        return f"Duplicate value: {shown}"
    return f"Invalid value: {shown}: {text}" if shown else f"Invalid value: {text}"
