"""Tells which fields of a built-in kind may not change once set, in the API server's own words.

Asked before an update is sent, with the object as stored and as it would be stored. The knowledge is data
(`data/immutable.json`): per kind a list of rules. Both sides are filled in first, so that a default left out
is no change; nulls and empty values count as absent, quantities are compared by value.
The words are those of the newest Kubernetes; values that are long or may be secret are left out of them.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from syncline.apimachinery import quantity
from syncline.apimachinery.keys import GroupVersionKind, Object
from syncline.apimachinery.schema import builtin, defaults
from syncline.apimachinery.schema.node import ANY, Node

if TYPE_CHECKING:
    from syncline.apimachinery.schema import immutable_rules

_EMPTY: tuple[Any, ...] = (None, {}, [], "")


class Violation(NamedTuple):
    """One change the API server refuses."""

    path: str
    message: str
    """What the server says of it: `Invalid value: "b": field is immutable`."""

    def __str__(self) -> str:
        return f"{self.path}: {self.message}"


def violations(old: Object, new: Object, gvk: GroupVersionKind) -> list[Violation]:
    """Return what the API server would refuse in replacing `old` by `new`, both whole objects."""
    rules = _rules().get(f"{gvk.group}/{gvk.kind}")
    if not rules:
        return []
    before, after = defaults.apply(old, gvk), defaults.apply(new, gvk)
    root = builtin.for_kind(gvk) or ANY
    return [
        Violation(rule.field or rule.path, rule.message(rule.value_in(after)))
        for rule in rules
        if rule.concerns(before) and _broken(rule, before, after, root)
    ]


@functools.cache
def _rules() -> Mapping[str, list[immutable_rules.ImmutableRule]]:
    from syncline.apimachinery.schema import immutable_rules

    return immutable_rules.load()


def _broken(rule: immutable_rules.ImmutableRule, before: Object, after: Object, root: Node) -> bool:
    node: Node | None = root
    for name in rule.path.split("."):
        node = (node or ANY).field(name)
    old, new = rule.value_in(before), rule.value_in(after)
    if rule.only:
        old, new = ({name: (side or {}).get(name) for name in rule.only} for side in (old, new))
    for path in rule.except_:
        old, new = _without(old, path), _without(new, path)
    if rule.may_be_absent and (old in _EMPTY or new in _EMPTY):
        return False
    if rule.elastic and _elastic(before) and _elastic(after):
        return False
    return not _same(old, new, node or ANY)


def _elastic(job: Object) -> bool:
    """Return whether a Job is one whose completions follow its parallelism."""
    spec = job.get("spec") or {}
    return spec.get("completionMode") == "Indexed" and spec.get("completions") == spec.get("parallelism")


def _without(value: Any, path: str) -> Any:
    """Return the value without what stands at a path such as `containers[*].image`."""
    first, _, rest = path.partition(".")
    name, each = first.removesuffix("[*]"), first.endswith("[*]")
    if not isinstance(value, dict) or name not in value:
        return value
    if not rest:
        return {key: member for key, member in value.items() if key != name}
    inner = value[name]
    if each:
        changed: Any = [_without(item, rest) for item in inner] if isinstance(inner, list) else inner
    else:
        changed = _without(inner, rest)
    return {**value, name: changed}


def _same(old: Any, new: Any, node: Node) -> bool:
    if old is new or (old in _EMPTY and new in _EMPTY):
        return True
    if isinstance(old, dict | None) and isinstance(new, dict | None):
        before, after = old or {}, new or {}
        return all(_same(before.get(name), after.get(name), node.field(name) or ANY) for name in {**before, **after})
    if isinstance(old, list) and isinstance(new, list):
        elements = node.elements or ANY
        return len(old) == len(new) and all(_same(a, b, elements) for a, b in zip(old, new, strict=True))
    if node.format == "quantity":
        return _same_quantity(old, new)
    return type(old) is type(new) and bool(old == new)


def _same_quantity(old: Any, new: Any) -> bool:
    try:
        return old == new or quantity.equal(old, new)
    except (quantity.InvalidQuantity, TypeError):
        return False
