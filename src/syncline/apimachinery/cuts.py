"""Takes fields out of an object by concrete path, finds what was taken out, and follows JSON pointers.

Used wherever fields are ignored, by pointer (here) or by jq path (`syncline.apimachinery.jq_paths`). Nothing is
mutated; parts that stay are shared. A path that points at nothing takes nothing out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from syncline.apimachinery import equality

Path = tuple[str | int, ...]


def pointer(obj: Any, text: str) -> Path | None:
    """Return the path of what a JSON pointer points at, None where there is nothing."""
    if not text.startswith("/"):
        return None
    path: list[str | int] = []
    for token in text[1:].split("/"):
        name = token.replace("~1", "/").replace("~0", "~")
        if isinstance(obj, dict) and name in obj:
            path.append(name)
            obj = obj[name]
        elif isinstance(obj, list) and name.isascii() and name.isdigit() and int(name) < len(obj):
            path.append(int(name))
            obj = obj[int(name)]
        else:
            return None
    return tuple(path)


def as_pointer(path: Iterable[str | int]) -> str:
    """Return the JSON pointer of a path."""
    return "".join(f"/{str(step).replace('~', '~0').replace('/', '~1')}" for step in path)


def without(obj: Any, paths: Iterable[Path]) -> Any:
    """Return the value without the fields and items at the given paths."""
    tree: dict[str | int, Any] = {}
    for path in paths:
        if not path:
            return None
        branch = tree
        for step in path[:-1]:
            branch = branch.setdefault(step, {})
            if branch is _CUT:
                break
        if branch is not _CUT:
            branch[path[-1]] = _CUT
    return _pruned(obj, tree)


_CUT: dict[str | int, Any] = {}
"""Marks in a tree of paths what is to be taken out; recognised by identity, never filled."""


def _pruned(value: Any, tree: dict[str | int, Any]) -> Any:
    if isinstance(value, dict):
        items: Iterable[tuple[str | int, Any]] = value.items()
    elif isinstance(value, list):
        items = enumerate(value)
    else:
        return value
    kept: list[tuple[str | int, Any]] = []
    same = True
    for step, member in items:
        branch = tree.get(step)
        if branch is _CUT:
            same = False
            continue
        new = member if branch is None else _pruned(member, branch)
        same = same and new is member
        kept.append((step, new))
    if same:
        return value
    return dict(kept) if isinstance(value, dict) else [member for _, member in kept]


def taken_out(before: Any, after: Any) -> Iterator[Path]:
    """Yield what has to be taken out of one value to get the other, which holds nothing that the first does not."""
    if isinstance(before, dict) and isinstance(after, dict):
        for name, member in before.items():
            if name not in after:
                yield (name,)
            elif not equality.equal(member, after[name]):
                yield from ((name, *path) for path in taken_out(member, after[name]))
    elif isinstance(before, list) and isinstance(after, list):
        yield from _taken_out_of_list(before, after)


def _taken_out_of_list(before: list[Any], after: list[Any]) -> Iterator[Path]:
    """Align from the left: while there are too many items, one that does not fit is one that was taken out."""
    at, missing = 0, len(before) - len(after)
    for number, item in enumerate(before):
        fits = at < len(after) and (equality.equal(item, after[at]) or missing == 0)
        if not fits:
            missing -= 1
            yield (number,)
            continue
        yield from ((number, *path) for path in taken_out(item, after[at]))
        at += 1
