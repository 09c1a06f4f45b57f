"""Argo CD's `fields`: `items.metadata.name,items.status.sync` shows only these, `-items.status.history` all but these.

Used by the list and the stream of Applications.
"""

from __future__ import annotations

from typing import Any

import msgspec

_Tree = dict[str, Any]
_AT_MOST = 200


class Fields(msgspec.Struct, frozen=True):
    """Which fields to show, as a tree of names; an empty tree shows everything."""

    tree: _Tree = {}
    exclude: bool = False

    def of(self, value: Any) -> Any:
        """Return a value with only the fields that are wanted."""
        if not self.tree:
            return value
        return _without(value, self.tree) if self.exclude else _only(value, self.tree)

    def below(self, name: str) -> Fields:
        """Return what is wanted of a member; of one that is not named nothing, or with `exclude` everything."""
        if not self.tree:
            return self
        return Fields(self.tree.get(name) or {}, self.exclude)


def parse(text: str) -> Fields:
    """Return the fields that a parameter names."""
    exclude = text.startswith("-")
    tree: _Tree = {}
    for path in text.split(",")[:_AT_MOST]:
        here = tree
        # Argo CD wants the sign once; people write it before each.
        for step in filter(None, path.strip().removeprefix("-" if exclude else "").split(".")):
            here = here.setdefault(step, {})
    return Fields(tree, exclude)


def _only(value: Any, tree: _Tree) -> Any:
    if not tree:
        return value
    if isinstance(value, list):
        return [_only(one, tree) for one in value]
    if isinstance(value, dict):
        return {name: _only(value[name], below) for name, below in tree.items() if name in value}
    return value


def _without(value: Any, tree: _Tree) -> Any:
    if isinstance(value, list):
        return [_without(one, tree) for one in value]
    if not isinstance(value, dict):
        return value
    return {
        name: _without(member, tree[name]) if tree.get(name) else member
        for name, member in value.items()
        if name not in tree or tree[name]
    }
