"""Which functions there are: each by its name, the types it takes and gives, and what does it.

The modules that hold functions declare them here; `library` gathers them, `compiling` calls them, `checker` reads
their types. A signature is written `(int, int) int`, or `string.(int) string` for what follows a dot.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from syncline.apimachinery.cel import tree, types, values
from syncline.apimachinery.cel.types import Type

Does = Callable[..., Any]


class Overload(NamedTuple):
    """One way to call a function; of a member the first parameter stands before the dot."""

    member: bool
    parameters: tuple[Type, ...]
    result: Type
    does: Does


class Functions:
    """Functions by name."""

    def __init__(self) -> None:
        self.named: dict[str, list[Overload]] = {}

    def add(self, name: str, *signatures: str, does: Does) -> None:
        """Declare a function that does the same for each signature."""
        for signature in signatures:
            inner, _, result = signature.rpartition(") ")
            receiver, dot, given = inner.partition(".(")
            member = bool(dot)
            first = (types.parse(receiver),) if member else ()
            given = given if member else inner.removeprefix("(")
            overload = Overload(member, first + types.parse_all(given), types.parse(result), does)
            self.named.setdefault(name, []).append(overload)

    def include(self, other: Functions) -> None:
        """Take over all functions of another part of the library."""
        for name, overloads in other.named.items():
            self.named.setdefault(name, []).extend(overloads)

    def called(self, node: tree.Call) -> tuple[str, tuple[tree.Node, ...]]:
        """Return the whole name of a called function and all it is given, what stands before the dot first."""
        if node.target is None:
            return node.name, node.args
        before = tree.qualified(node.target)
        if before and f"{before}.{node.name}" in self.named:
            return f"{before}.{node.name}", node.args
        return node.name, (node.target, *node.args)

    def caller(self, name: str, count: int, *, member: bool) -> Does | None:
        """Return what calls a function with so many arguments, by the types they turn out to have."""
        fitting = [one for one in self.named.get(name, ()) if one.member == member and len(one.parameters) == count]
        return _dispatch(fitting) if fitting else None


def _dispatch(overloads: list[Overload]) -> Does:
    fits = types.fits

    def call(*arguments: Any) -> Any:
        for _, parameters, _, does in overloads:
            if all(map(fits, arguments, parameters)):
                return does(*arguments)
        raise values.Fault(values.NO_OVERLOAD)

    return call
