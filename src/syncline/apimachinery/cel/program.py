"""Compiles an expression and runs it: what the rest of the tree uses of this package."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from syncline.apimachinery.cel import compiling, library, parser, tree, values
from syncline.apimachinery.cel.checker import Checker, Complaint
from syncline.apimachinery.cel.cost.estimating import Estimator, SizeOf
from syncline.apimachinery.cel.types import Type
from syncline.apimachinery.cel.walking import Run, Work


class NotCompiled(Exception):
    """An expression that no server would take; the text is cel-go's, with the place marked."""


class Budget:
    """What several expressions may cost together."""

    __slots__ = ("left",)

    def __init__(self, left: int) -> None:
        self.left = left

    def pay(self, cost: int) -> None:
        """Take a cost; raises `values.OutOfBudget` where there is not so much left."""
        if cost > self.left:
            raise values.OutOfBudget
        self.left -= cost


class Program:
    """A compiled expression and the type of what it gives."""

    __slots__ = ("_checker", "_node", "_work", "result")

    def __init__(self, node: tree.Node, checker: Checker, work: Work, result: Type) -> None:
        self._node = node
        self._checker = checker
        self._work = work
        self.result = result

    def most(self, size_of: SizeOf) -> int:
        """Return what it costs at most, by how large its variables can be."""
        return Estimator(self._checker, size_of).most(self._node)

    def run(self, variables: dict[str, Any], budget: Budget | None = None) -> Any:
        """Work it out and pay for it; raises `values.Fault`, `values.TooLong` or `values.OutOfBudget`."""
        run = Run(variables)
        try:
            return self._work(run)
        finally:
            if budget is not None:
                budget.pay(run.cost)


def compiled(
    text: str, variables: Mapping[str, Type], named: Mapping[str, Type] | None = None, *, patches: bool = False
) -> Program:
    """Compile an expression about variables of these types; raises `NotCompiled`.

    `named` are the types it may write, in place of the usual ones; `patches` adds what patches need.
    """
    functions = library.for_patches() if patches else library.functions()
    named = library.TYPES if named is None else named
    try:
        node = parser.parse(text)
        checker = Checker(functions, variables, named)
        result = checker.check(node)
        if checker.complaints:
            raise NotCompiled(_told(text, checker.complaints))
        return Program(node, checker, compiling.Compiler(functions, named).work(node), result)
    except tree.Unreadable as problem:
        told = [Complaint(one.at, str(one)) for one in (*problem.earlier, problem)]
        raise NotCompiled(_told(text, told)) from None


def _told(text: str, complaints: list[Complaint]) -> str:
    return "\n".join(_shown(text, one) for one in sorted(complaints, key=lambda one: one.at))


def _shown(text: str, complaint: Complaint) -> str:
    before = text[: complaint.at]
    line = before.count("\n")
    column = len(before) - (before.rfind("\n") + 1)
    written = text.split("\n")[line]
    return f"ERROR: <input>:{line + 1}:{column + 1}: {complaint.text}\n | {written}\n | {'.' * column}^"
