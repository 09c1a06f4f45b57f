"""Renders a parsed template with values, by Go's rules: walks its nodes and writes.

Made per text by `syncline.core.appset.engine`; what pipelines give is found by the evaluator beside it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from syncline.core.appset.gotemplate import formatting, nodes
from syncline.core.appset.gotemplate.evaluating import Evaluator
from syncline.core.appset.gotemplate.functions import Context, Function
from syncline.core.appset.gotemplate.parser import Tree
from syncline.core.appset.gotemplate.quoting import quote
from syncline.core.appset.gotemplate.values import ELEMENTS, NO_VALUE, Named, is_true, sorted_keys


class _Break(Exception):
    """`{{break}}`"""


class _Continue(Exception):
    """`{{continue}}`"""


class Executor(Evaluator):
    """One rendering of one text."""

    def __init__(
        self,
        text: str,
        trees: Mapping[str, Tree],
        functions: Mapping[str, Function],
        missing_key: str,
        context: Context,
    ) -> None:
        super().__init__(text, functions, missing_key, context)
        self._trees = trees
        self._out: list[str] = []
        self._written = 0
        self._depth = 0

    def run(self, data: Any) -> str:
        """Return what the main template renders."""
        self._variables = [["$", data, False]]
        self._walk_list(data, self._trees[""].root)
        return "".join(self._out)

    def _write(self, text: str) -> None:
        self._out.append(text)
        self._written += len(text)
        self._budget.text(self._written if len(text) > 4096 else min(self._written, 64))
        if self._written > self._budget.limits.max_output:
            self._budget.text(self._written)

    def _walk_list(self, dot: Any, node: nodes.ListNode) -> None:
        self._node = node
        for child in node.nodes:
            self._budget.spend(1)
            self._node = child
            if child.__class__ is nodes.TextNode:
                self._write(child.text)
            else:
                _WALKS[child.__class__](self, dot, child)

    def _walk_action(self, dot: Any, node: nodes.ActionNode) -> None:
        value = self._pipeline(dot, node.pipe)
        if not node.pipe.variables:
            self._node = node
            self._write(formatting.plain(value, self._budget))

    def _walk_break(self, _dot: Any, _node: nodes.BreakNode) -> None:
        raise _Break

    def _walk_continue(self, _dot: Any, _node: nodes.ContinueNode) -> None:
        raise _Continue

    def _walk_if(self, dot: Any, node: nodes.IfNode) -> None:
        mark = len(self._variables)
        if is_true(self._pipeline(dot, node.pipe)):
            self._walk_list(dot, node.body)
        elif node.otherwise is not None:
            self._walk_list(dot, node.otherwise)
        del self._variables[mark:]

    def _walk_with(self, dot: Any, node: nodes.WithNode) -> None:
        mark = len(self._variables)
        value = self._pipeline(dot, node.pipe)
        if is_true(value):
            self._walk_boxed(value, node.body, boxed=False)
        elif node.otherwise is not None:
            self._walk_list(dot, node.otherwise)
        del self._variables[mark:]

    def _walk_boxed(self, dot: Any, node: nodes.ListNode, *, boxed: bool) -> None:
        before, self._boxed = self._boxed, boxed
        try:
            self._walk_list(dot, node)
        finally:
            self._boxed = before

    def _walk_range(self, dot: Any, node: nodes.RangeNode) -> None:
        mark = len(self._variables)
        try:
            if not self._rounds(dot, node) and node.otherwise is not None:
                self._walk_list(dot, node.otherwise)
        except _Break:
            pass
        del self._variables[mark:]

    def _rounds(self, dot: Any, node: nodes.RangeNode) -> bool:
        """Go through what is ranged over; tell whether there was anything."""
        value = self._pipeline(dot, node.pipe)
        if value is NO_VALUE or value is None:
            return False
        elements: Iterable[tuple[Any, Any]]
        if isinstance(value, list):
            elements = enumerate(value)
        elif isinstance(value, Mapping):
            elements = ((key, value[key]) for key in sorted_keys(value))
        elif isinstance(value, int) and not isinstance(value, bool):
            if len(node.pipe.variables) > 1:
                raise self._failed(f"can't use {self._shown(value)} to iterate over more than one variable")
            elements = ((NO_VALUE, type(value)(at) if type(value) is not Named else at) for at in range(value))
        else:
            raise self._failed(f"range can't iterate over {self._shown(value)}")
        boxed = type(value) not in ELEMENTS and not isinstance(value, int)
        found = False
        mark = len(self._variables)
        for index, element in elements:
            found = True
            self._budget.spend(1)
            self._bind(node.pipe, index, element, boxed=boxed)
            with contextlib.suppress(_Continue):
                self._walk_boxed(element, node.body, boxed=boxed)
            del self._variables[mark:]
        return found

    def _bind(self, pipe: nodes.PipeNode, index: Any, element: Any, *, boxed: bool) -> None:
        names = pipe.variables
        if not names:
            return
        if pipe.is_assign:
            self._assign(names[0].names[0], index if len(names) > 1 else element)
            if len(names) > 1:
                self._assign(names[1].names[0], element)
            return
        self._variables[-1][1:] = [element, boxed]
        if len(names) > 1:
            self._variables[-2][1:] = [index, False]

    def _walk_template(self, dot: Any, node: nodes.TemplateNode) -> None:
        tree = self._trees.get(node.name)
        if tree is None:
            raise self._failed(f"template {quote(node.name)} not defined")
        self._budget.depth(self._depth)
        value = NO_VALUE if node.pipe is None else self._pipeline(dot, node.pipe)
        outer = self._name, self._variables
        self._name, self._variables = tree.name, [["$", value, False]]
        self._depth += 1
        self._walk_boxed(value, tree.root, boxed=False)
        self._depth -= 1
        self._name, self._variables = outer


_WALKS: dict[type[nodes.Node], Callable[[Executor, Any, Any], None]] = {
    nodes.ActionNode: Executor._walk_action,  # noqa: SLF001 - the table of its own methods
    nodes.BreakNode: Executor._walk_break,  # noqa: SLF001
    nodes.ContinueNode: Executor._walk_continue,  # noqa: SLF001
    nodes.IfNode: Executor._walk_if,  # noqa: SLF001
    nodes.RangeNode: Executor._walk_range,  # noqa: SLF001
    nodes.TemplateNode: Executor._walk_template,  # noqa: SLF001
    nodes.WithNode: Executor._walk_with,  # noqa: SLF001
}
