"""An expression in parts: made by `syncline.core.expr.parser`, read by `syncline.core.expr.evaluate`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias


@dataclass(frozen=True, slots=True)
class Constant:
    """A number, text, truth value or nil."""

    value: Any


@dataclass(frozen=True, slots=True)
class Name:
    """A variable."""

    name: str


@dataclass(frozen=True, slots=True)
class Pointer:
    """`#`, the element that a closure looks at, or another word of it such as `#acc`."""

    name: str = ""


@dataclass(frozen=True, slots=True)
class Unary:
    """An operator before its operand."""

    operator: str
    operand: Node


@dataclass(frozen=True, slots=True)
class Binary:
    """An operator between two operands."""

    operator: str
    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class Choice:
    """`test ? one : other`."""

    test: Node
    one: Node
    other: Node


@dataclass(frozen=True, slots=True)
class Member:
    """`of.key` and `of[key]`; an optional one gives nil where `of` is nil."""

    of: Node
    key: Node
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Slice:
    """`of[start:end]`."""

    of: Node
    start: Node | None
    end: Node | None


@dataclass(frozen=True, slots=True)
class Chain:
    """A way through members that ends with nil where an optional one does."""

    of: Node


@dataclass(frozen=True, slots=True)
class Call:
    """A function or method with its arguments."""

    function: Node
    arguments: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Closure:
    """`{# > 1}`, or the bare expression where one is wanted."""

    body: Node


@dataclass(frozen=True, slots=True)
class Items:
    """`[1, 2]`."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Pairs:
    """`{a: 1}`."""

    pairs: tuple[tuple[Node, Node], ...]


@dataclass(frozen=True, slots=True)
class Let:
    """`let name = value; body`."""

    name: str
    value: Node
    body: Node


Node: TypeAlias = (
    Constant | Name | Pointer | Unary | Binary | Choice | Member | Slice | Chain | Call | Closure | Items | Pairs | Let
)
