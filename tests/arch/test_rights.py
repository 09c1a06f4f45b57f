"""Every module that writes to a cluster says what for: it is in the table of rights, or it delivers."""

from __future__ import annotations

import ast
import pathlib

import pytest

from syncline.core.rights.table import USES, Use
from tests.arch import source_rules

WRITES = frozenset({"create", "apply", "replace", "patch", "delete"})
READS = frozenset({"get", "list", "pages", "watch"})
# They ask clusters for objects of Applications: under the rights to deliver, or those of an account.
DELIVERS = (
    "controller.deliver.act",
    "controller.deliver.apply",
    "controller.deliver.dry_runs",
    "controller.deliver.survey",
    "controller.deliver.writing",
    "verbs.actions",
    "verbs.resources",
)
# What runs as a person, with the rights of a kubeconfig of theirs.
OF_PEOPLE = ("cli.", "verbs.own_rights", "api.")


def module_of(path: pathlib.Path) -> str:
    return ".".join(path.relative_to(source_rules.SOURCE).with_suffix("").parts).removeprefix("syncline.")


def writes(tree: ast.AST) -> bool:
    """Whether a module writes to a cluster: such calls alone name a field manager or a propagation."""
    return any(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in WRITES
        and {"manager", "propagation"} & {keyword.arg for keyword in node.keywords}
        for node in ast.walk(tree)
    )


def test_every_module_that_writes_to_a_cluster_says_what_for() -> None:
    known = {module for use in USES for module in use.modules} | set(DELIVERS)
    writing = {
        module_of(path)
        for path in source_rules.modules()
        if module_of(path).startswith(("controller.", "server.", "verbs.")) and writes(source_rules.parsed(path))
    }
    unknown = {module for module in writing - known if not module.startswith(OF_PEOPLE)}
    assert unknown == set(), "name them in src/syncline/core/rights/table.py, with what they ask for"


@pytest.mark.parametrize("use", USES, ids=lambda use: f"{use.component}-{use.resource}-{'-'.join(use.verbs)}")
def test_every_row_names_modules_that_are_there_and_that_ask(use: Use) -> None:
    for module in use.modules:
        path = source_rules.SOURCE / "syncline" / pathlib.Path(*module.split(".")).with_suffix(".py")
        called = {
            node.func.attr
            for node in ast.walk(source_rules.parsed(path))
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        }
        assert called & (WRITES | READS), f"{module} asks no cluster"


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("await home.patch(r, n, m, {}, manager=M)", True),
        ("await home.delete(r, n, m, uid=u, propagation='Background')", True),
        ("names.create(obj)", False),
        ("await home.get(r, n, m)", False),
    ],
)
def test_the_check_knows_what_writes(source: str, found: bool) -> None:
    tree = ast.parse(f"async def f():\n    {source}")
    assert writes(tree) is found
