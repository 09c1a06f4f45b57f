"""What an expression is read into: made by `parser`, walked by `checker` and `compiling`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


class Unreadable(Exception):
    """An expression is not one: what is wrong, and at which letter."""

    def __init__(self, text: str, at: int) -> None:
        super().__init__(text)
        self.at = at
        self.earlier: tuple[Unreadable, ...] = ()
        """What was wrong before it, where reading went on."""


@dataclass(frozen=True, slots=True)
class Const:
    """A number, text, truth value or null."""

    at: int
    value: Any


@dataclass(frozen=True, slots=True)
class Name:
    """A variable, or the first word of a longer name."""

    at: int
    name: str


@dataclass(frozen=True, slots=True)
class Select:
    """A field of something: `x.y`, or `x.?y`."""

    at: int
    of: Node
    field: str
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Index:
    """An element of something: `x[y]`, or `x[?y]`."""

    at: int
    of: Node
    key: Node
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Call:
    """A function of arguments, maybe of something before a dot; operators too, by cel-go's names such as `_+_`."""

    at: int
    name: str
    target: Node | None
    args: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class MakeList:
    """A list as written; each element says whether it may be absent."""

    at: int
    items: tuple[tuple[Node, bool], ...]


@dataclass(frozen=True, slots=True)
class MakeMap:
    """A mapping as written; each entry says whether it may be absent."""

    at: int
    entries: tuple[tuple[Node, Node, bool], ...]


@dataclass(frozen=True, slots=True)
class MakeObject:
    """An object as written, `Object.spec{replicas: 1}`; each field says whether it may be absent."""

    at: int
    name: str
    fields: tuple[tuple[str, Node, bool], ...]


@dataclass(frozen=True, slots=True)
class Has:
    """Whether a field is there."""

    at: int
    of: Node
    field: str


@dataclass(frozen=True, slots=True)
class Fold:
    """A walk through a list or mapping: what is asked of or made from its elements.

    `sort` is `all`, `exists`, `exists_one`, `map`, `transformMap`, `transformMapEntry` or `sortBy`; with two
    variables the first is the index or key.
    """

    at: int
    sort: str
    of: Node
    variables: tuple[str, ...]
    condition: Node | None
    result: Node


@dataclass(frozen=True, slots=True)
class OptMap:
    """What is made of a value if it is there; `flat` where that may be absent itself."""

    at: int
    of: Node
    variable: str
    result: Node
    flat: bool


Node = Const | Name | Select | Index | Call | MakeList | MakeMap | MakeObject | Has | Fold | OptMap


def qualified(node: Node) -> str:
    """Return a name with its dots, empty where the node is anything else."""
    if isinstance(node, Name):
        return node.name
    if isinstance(node, Select) and not node.optional:
        before = qualified(node.of)
        return f"{before}.{node.field}" if before else ""
    return ""
