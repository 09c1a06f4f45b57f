"""Finds tests that may pass without having checked anything; the test beside it applies it to `tests`.

An assertion is sure where nothing can step around it: not under `if`, not in `try` or `suppress` where an error is
swallowed, not behind a `return` or `continue` under `if`. A test that asserts needs one sure assertion: an `assert`,
`pytest.raises`, or a call of a helper that asserts, by its name.
"""

import ast
import pathlib
from collections.abc import Iterator, Sequence

Function = ast.FunctionDef | ast.AsyncFunctionDef
HELPERS = ("assert", "check", "expect", "must", "verify")
LEAVES = (ast.Return, ast.Continue, ast.Break)


def unsure(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield line and name of each test whose assertions are all conditional."""
    for node in ast.walk(tree):
        if isinstance(node, Function) and node.name.startswith("test_") and _asserts(node) and not _sure(node.body):
            yield node.lineno, node.name


def _asserts(node: ast.AST) -> bool:
    return any(isinstance(inner, ast.Assert) for inner in ast.walk(node))


def _sure(body: Sequence[ast.stmt]) -> bool:
    """Whether a block certainly asserts something, if it is reached and runs to its end."""
    for statement in body:
        if _asserts_surely(statement):
            return True
        if isinstance(statement, ast.If) and any(isinstance(node, LEAVES) for node in _own(statement)):
            return False
    return False


def _asserts_surely(statement: ast.stmt) -> bool:
    match statement:
        case ast.Assert() | ast.FunctionDef() | ast.AsyncFunctionDef():
            # A function inside of a test is a story that the test plays.
            return isinstance(statement, ast.Assert) or _sure(statement.body)
        case ast.With(items=items, body=body) | ast.AsyncWith(items=items, body=body):
            called = [_called(item.context_expr) for item in items]
            if "raises" in called:
                return True
            return "suppress" not in called and _sure(body)
        case ast.If(body=body, orelse=other):
            return _sure(body) and _sure(other)
        case ast.For(body=body) | ast.AsyncFor(body=body) | ast.While(body=body):
            return _sure(body)
        case ast.Try(body=body, handlers=handlers, orelse=other, finalbody=last):
            return (_sure([*body, *other]) and all(_sure(one.body) for one in handlers)) or _sure(last)
        case ast.Match(cases=cases):
            return all(_sure(case.body) for case in cases)
    return any(_called(node).lstrip("_").startswith(HELPERS) for node in ast.walk(statement))


def _own(statement: ast.If) -> Iterator[ast.AST]:
    """Yield the nodes of a statement without those of functions and loops inside of it."""
    waiting: list[ast.AST] = [statement]
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, Function | ast.For | ast.While | ast.Lambda):
            waiting += ast.iter_child_nodes(node)


def _called(node: ast.AST) -> str:
    if not isinstance(node, ast.Call):
        return ""
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def unsure_in(folder: pathlib.Path) -> list[str]:
    """Return file, line and name of each such test below a folder."""
    found = []
    for path in sorted(folder.rglob("test_*.py")):
        place = path.relative_to(folder.parent).as_posix()
        found += [f"{place}:{line} {name}" for line, name in unsure(ast.parse(path.read_text(encoding="utf-8")))]
    return found
