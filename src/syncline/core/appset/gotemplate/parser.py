"""Makes trees of a template text: the main one, and one per `define` and `block`.

Called by `syncline.core.appset.engine` with the names of the functions there are, since a name that is not a
function is an error of the text, before anything is rendered. Errors are Go's, with the line of the item that was read
last but not yet used.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection

from syncline.core.appset.gotemplate import nodes
from syncline.core.appset.gotemplate.lexer import Item, Kind, Lexer
from syncline.core.appset.gotemplate.pipelines import Pipelines
from syncline.core.appset.gotemplate.quoting import quote


@dataclasses.dataclass(slots=True)
class Tree:
    """A template: its name and what it renders."""

    name: str
    root: nodes.ListNode


def parse(text: str, functions: Collection[str], max_depth: int) -> dict[str, Tree]:
    """Return the templates of a text by name; the main one has the empty name."""
    trees: dict[str, Tree] = {}
    lexer = Lexer(text)
    main = _Parser(lexer, functions, trees, max_depth)
    main.parse_main()
    return trees


class _Parser(Pipelines):
    """Reads one template of a text; each has its own variables and look-ahead, and all share the lexer."""

    def __init__(self, lexer: Lexer, functions: Collection[str], trees: dict[str, Tree], max_depth: int) -> None:
        super().__init__(lexer, functions, max_depth)
        self._trees = trees
        self._range_depth = 0

    # Templates.

    def parse_main(self) -> None:
        """Read the text to its end."""
        root = nodes.ListNode(self._peek().pos, [])
        while self._peek().kind is not Kind.EOF:
            if self._peek().kind is Kind.LEFT_DELIM:
                delim = self._next()
                if self._next_word().kind is Kind.DEFINE:
                    self._other()._definition()  # noqa: SLF001 - another reader of the same text
                    continue
                self._push_back(delim)
            node = self._text_or_action()
            if isinstance(node, nodes.EndNode | nodes.ElseNode):
                raise self._error(f"unexpected {node}")
            root.nodes.append(node)
        self._add(Tree("", root))

    def _other(self) -> _Parser:
        return _Parser(self._lexer, self._functions, self._trees, self._max_depth - self._depth)

    def _add(self, tree: Tree) -> None:
        known = self._trees.get(tree.name)
        if known is None or nodes.is_empty(known.root):
            self._trees[tree.name] = tree
        elif not nodes.is_empty(tree.root):
            raise self._error(f"template: multiple definition of template {quote(tree.name)}")

    def _definition(self) -> None:
        context = "define clause"
        name = self._unquoted(self._expect(context, Kind.STRING, Kind.RAW_STRING).text)
        self._expect(context, Kind.RIGHT_DELIM)
        root, end = self._item_list()
        if not isinstance(end, nodes.EndNode):
            raise self._error(f"unexpected {end} in {context}")
        self._add(Tree(name, root))

    def _item_list(self) -> tuple[nodes.ListNode, nodes.Node]:
        result = nodes.ListNode(self._peek_word().pos, [])
        while self._peek_word().kind is not Kind.EOF:
            node = self._text_or_action()
            if isinstance(node, nodes.EndNode | nodes.ElseNode):
                return result, node
            result.nodes.append(node)
        raise self._error("unexpected EOF")

    def _text_or_action(self) -> nodes.Node:
        item = self._next_word()
        if item.kind is Kind.TEXT:
            return nodes.TextNode(item.pos, item.text)
        if item.kind is Kind.LEFT_DELIM:
            self._action_line = item.line
            node = self._action()
            self._action_line = 0
            return node
        raise self._unexpected(item, "input")

    # Actions.

    def _action(self) -> nodes.Node:
        item = self._next_word()
        match item.kind:
            case Kind.BLOCK:
                return self._block()
            case Kind.BREAK | Kind.CONTINUE:
                return self._jump(item)
            case Kind.ELSE:
                return self._else()
            case Kind.END:
                return nodes.EndNode(self._expect("end", Kind.RIGHT_DELIM).pos)
            case Kind.IF:
                return nodes.IfNode(*self._control("if"))
            case Kind.RANGE:
                return nodes.RangeNode(*self._control("range"))
            case Kind.WITH:
                return nodes.WithNode(*self._control("with"))
            case Kind.TEMPLATE:
                return self._template()
        self._backup()
        item = self._peek()
        return nodes.ActionNode(item.pos, self._pipeline("command", Kind.RIGHT_DELIM))

    def _jump(self, item: Item) -> nodes.Node:
        word = f"{{{{{item.text}}}}}"
        end = self._next_word()
        if end.kind is not Kind.RIGHT_DELIM:
            raise self._unexpected(end, word)
        if not self._range_depth:
            raise self._error(f"{word} outside {{{{range}}}}")
        return nodes.BreakNode(item.pos) if item.kind is Kind.BREAK else nodes.ContinueNode(item.pos)

    def _else(self) -> nodes.Node:
        item = self._peek_word()
        if item.kind not in (Kind.IF, Kind.WITH):
            item = self._expect("else", Kind.RIGHT_DELIM)
        return nodes.ElseNode(item.pos)

    def _control(self, context: str) -> tuple[int, nodes.PipeNode, nodes.ListNode, nodes.ListNode | None]:
        known = len(self._variables)
        self._deeper()
        pipe = self._pipeline(context, Kind.RIGHT_DELIM)
        self._range_depth += context == "range"
        body, end = self._item_list()
        self._range_depth -= context == "range"
        otherwise = self._otherwise(context, end) if isinstance(end, nodes.ElseNode) else None
        self._depth -= 1
        del self._variables[known:]
        return pipe.pos, pipe, body, otherwise

    def _otherwise(self, context: str, end: nodes.Node) -> nodes.ListNode:
        """Read what follows `else`; `else if` is an `if` inside of it that shares its `end`."""
        kind = self._peek().kind
        if context == "if" and kind is Kind.IF:
            self._next()
            return nodes.ListNode(end.pos, [nodes.IfNode(*self._control("if"))])
        if context == "with" and kind is Kind.WITH:
            self._next()
            return nodes.ListNode(end.pos, [nodes.WithNode(*self._control("with"))])
        otherwise, end = self._item_list()
        if not isinstance(end, nodes.EndNode):
            raise self._error(f"expected end; found {end}")
        return otherwise

    def _block(self) -> nodes.Node:
        context = "block clause"
        item = self._next_word()
        name = self._template_name(item, context)
        pipe = self._pipeline(context, Kind.RIGHT_DELIM)
        block = self._other()
        root, end = block._item_list()  # noqa: SLF001 - another reader of the same text
        if not isinstance(end, nodes.EndNode):
            raise self._error(f"unexpected {end} in {context}")
        block._add(Tree(name, root))  # noqa: SLF001
        return nodes.TemplateNode(item.pos, name, pipe)

    def _template(self) -> nodes.Node:
        context = "template clause"
        item = self._next_word()
        name = self._template_name(item, context)
        pipe = None
        if self._next_word().kind is not Kind.RIGHT_DELIM:
            self._backup()
            pipe = self._pipeline(context, Kind.RIGHT_DELIM)
        return nodes.TemplateNode(item.pos, name, pipe)

    def _template_name(self, item: Item, context: str) -> str:
        if item.kind not in (Kind.STRING, Kind.RAW_STRING):
            raise self._unexpected(item, context)
        return self._unquoted(item.text)
