"""The parts of a parsed template; each prints as Go prints it in errors.

Made by `syncline.core.appset.gotemplate.parser` and walked by `syncline.core.appset.gotemplate.executor`.
"""

from __future__ import annotations

import dataclasses

from syncline.core.appset.gotemplate.quoting import quote


@dataclasses.dataclass(slots=True)
class Node:
    """A part of a template, and where it begins in the text."""

    pos: int


@dataclasses.dataclass(slots=True)
class ListNode(Node):
    """What is rendered one after the other."""

    nodes: list[Node]

    def __str__(self) -> str:
        return "".join(map(str, self.nodes))


@dataclasses.dataclass(slots=True)
class TextNode(Node):
    """Text outside of actions."""

    text: str

    def __str__(self) -> str:
        return self.text


@dataclasses.dataclass(slots=True)
class DotNode(Node):
    """`.`"""

    def __str__(self) -> str:
        return "."


@dataclasses.dataclass(slots=True)
class NilNode(Node):
    """`nil`"""

    def __str__(self) -> str:
        return "nil"


@dataclasses.dataclass(slots=True)
class BoolNode(Node):
    """`true` or `false`"""

    value: bool

    def __str__(self) -> str:
        return "true" if self.value else "false"


@dataclasses.dataclass(slots=True)
class NumberNode(Node):
    """A number, as each of Go's types that it fits."""

    text: str
    integer: int | None = None
    unsigned: int | None = None
    floating: float | None = None
    complex: complex | None = None

    def __str__(self) -> str:
        return self.text


@dataclasses.dataclass(slots=True)
class StringNode(Node):
    """A text in quotes."""

    quoted: str
    text: str

    def __str__(self) -> str:
        return self.quoted


@dataclasses.dataclass(slots=True)
class IdentifierNode(Node):
    """The name of a function."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclasses.dataclass(slots=True)
class FieldNode(Node):
    """`.a.b`"""

    names: list[str]

    def __str__(self) -> str:
        return "".join(f".{name}" for name in self.names)


@dataclasses.dataclass(slots=True)
class VariableNode(Node):
    """`$x.a.b`; the first name has its dollar sign."""

    names: list[str]

    def __str__(self) -> str:
        return ".".join(self.names)


@dataclasses.dataclass(slots=True)
class ChainNode(Node):
    """`(pipeline).a.b`"""

    node: Node
    names: list[str]

    def __str__(self) -> str:
        inner = f"({self.node})" if isinstance(self.node, PipeNode) else str(self.node)
        return inner + "".join(f".{name}" for name in self.names)


@dataclasses.dataclass(slots=True)
class CommandNode(Node):
    """A value, or a function with its arguments."""

    args: list[Node]

    def __str__(self) -> str:
        return " ".join(f"({arg})" if isinstance(arg, PipeNode) else str(arg) for arg in self.args)


@dataclasses.dataclass(slots=True)
class PipeNode(Node):
    """Commands of which each gets the result of the one before, and the variables that get the last one's."""

    is_assign: bool
    variables: list[VariableNode]
    commands: list[CommandNode]

    def __str__(self) -> str:
        names = ", ".join(map(str, self.variables))
        lead = f"{names} {'=' if self.is_assign else ':='} " if names else ""
        return lead + " | ".join(map(str, self.commands))


@dataclasses.dataclass(slots=True)
class ActionNode(Node):
    """`{{pipeline}}`"""

    pipe: PipeNode

    def __str__(self) -> str:
        return f"{{{{{self.pipe}}}}}"


@dataclasses.dataclass(slots=True)
class BranchNode(Node):
    """What `if`, `with` and `range` have in common."""

    pipe: PipeNode
    body: ListNode
    otherwise: ListNode | None

    def _text(self, word: str) -> str:
        rest = "" if self.otherwise is None else f"{{{{else}}}}{self.otherwise}"
        return f"{{{{{word} {self.pipe}}}}}{self.body}{rest}{{{{end}}}}"


@dataclasses.dataclass(slots=True)
class IfNode(BranchNode):
    """`{{if}}`"""

    def __str__(self) -> str:
        return self._text("if")


@dataclasses.dataclass(slots=True)
class WithNode(BranchNode):
    """`{{with}}`"""

    def __str__(self) -> str:
        return self._text("with")


@dataclasses.dataclass(slots=True)
class RangeNode(BranchNode):
    """`{{range}}`"""

    def __str__(self) -> str:
        return self._text("range")


@dataclasses.dataclass(slots=True)
class BreakNode(Node):
    """`{{break}}`"""

    def __str__(self) -> str:
        return "{{break}}"


@dataclasses.dataclass(slots=True)
class ContinueNode(Node):
    """`{{continue}}`"""

    def __str__(self) -> str:
        return "{{continue}}"


@dataclasses.dataclass(slots=True)
class TemplateNode(Node):
    """`{{template "name" pipeline}}`"""

    name: str
    pipe: PipeNode | None

    def __str__(self) -> str:
        given = "" if self.pipe is None else f" {self.pipe}"
        return f"{{{{template {quote(self.name)}{given}}}}}"


@dataclasses.dataclass(slots=True)
class EndNode(Node):
    """`{{end}}`; never part of a tree."""

    def __str__(self) -> str:
        return "{{end}}"


@dataclasses.dataclass(slots=True)
class ElseNode(Node):
    """`{{else}}`; never part of a tree."""

    def __str__(self) -> str:
        return "{{else}}"


def is_empty(node: Node) -> bool:
    """Tell whether a part renders white space only, whatever it is given."""
    if isinstance(node, ListNode):
        return all(map(is_empty, node.nodes))
    return isinstance(node, TextNode) and not node.text.strip()
