"""What is remembered for the whole process: constants and pure answers within bounds; the rest is handed in."""

import ast
import pathlib
from collections.abc import Iterator

import pytest

from tests.arch import source_rules

# Asked about a handful of things that are shipped with the program, so without bounds too.
OF_SHIPPED_THINGS = {
    "syncline/apimachinery/schema/builtin.py: _nodes",
    "syncline/apimachinery/schema/definitions.py: of_version",
    "syncline/core/health/knowledge.py: _check",
    "syncline/sandbox/behaviours/shipped.py: operator",
}
# Nodes of schemas by the content of the schema, a bounded number.
BY_CONTENT = {"syncline/apimachinery/schema/crd.py: _roots"}
GROWING = {"dict", "list", "set", "defaultdict", "OrderedDict", "Counter", "deque"}


def unbounded(tree: ast.Module) -> Iterator[str]:
    """Yield the functions with parameters whose answers are all remembered for ever."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            marks = {ast.unparse(mark) for mark in node.decorator_list}
            forever = marks & {"functools.cache", "cache", "functools.lru_cache(maxsize=None)", "lru_cache(None)"}
            if forever and (node.args.args or node.args.kwonlyargs):
                yield node.name


def filled_later(tree: ast.Module) -> Iterator[str]:
    """Yield the containers of a module that begin empty: somebody fills them while the program runs."""
    for node in tree.body:
        if isinstance(node, ast.AnnAssign | ast.Assign) and _begins_empty(node.value):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from (ast.unparse(target) for target in targets)


def _begins_empty(value: ast.expr | None) -> bool:
    if isinstance(value, ast.Dict):
        return not value.keys
    if isinstance(value, ast.List | ast.Set):
        return not value.elts
    if isinstance(value, ast.Call) and not value.args and not value.keywords:
        return ast.unparse(value.func).rpartition(".")[2].partition("[")[0] in GROWING
    return False


def places(folders: tuple[str, ...]) -> Iterator[tuple[str, pathlib.Path]]:
    for folder in folders:
        for path in source_rules.modules(source_rules.SOURCE / "syncline" / folder):
            yield path.relative_to(source_rules.SOURCE).as_posix(), path


def test_nothing_from_outside_is_remembered_without_bounds() -> None:
    found = {f"{place}: {name}" for place, path in places(("",)) for name in unbounded(source_rules.parsed(path))}
    assert found == OF_SHIPPED_THINGS


def test_deciding_code_keeps_nothing_between_calls_that_was_not_handed_in() -> None:
    rooms = ("apimachinery", "model", "core")
    found = {f"{place}: {name}" for place, path in places(rooms) for name in filled_later(source_rules.parsed(path))}
    constants = {name for name in found if name.rpartition(" ")[2].lstrip("_").isupper()}
    assert found - constants == BY_CONTENT


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("@functools.cache\ndef f(a): ...", ["f"]),
        ("@functools.cache\ndef f(): ...", []),
        ("@functools.lru_cache(maxsize=9)\ndef f(a): ...", []),
        ("class A:\n  @functools.cache\n  def f(self): ...", ["f"]),
    ],
)
def test_a_memory_without_bounds_is_noticed(source: str, names: list[str]) -> None:
    assert list(unbounded(ast.parse(source))) == names


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("_a: dict[str, int] = {}", ["_a"]),
        ("_a = OrderedDict[str, int]()", ["_a"]),
        ("_a = collections.defaultdict()", ["_a"]),
        ("_a = {1: 2}", []),
        ("_a = dict(b=1)", []),
    ],
)
def test_a_container_that_begins_empty_is_noticed(source: str, names: list[str]) -> None:
    assert list(filled_later(ast.parse(source))) == names
