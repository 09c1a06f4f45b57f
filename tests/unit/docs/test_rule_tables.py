"""The tables of rules in docs/spec name a test for every rule, and every test they name exists."""

import ast
import functools
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PAGES = sorted(ROOT.glob("docs/spec/*.md"))
NODE = re.compile(r"`(tests/[\w./-]+\.py)::(\w+)`")
HEADER = "| rule | test |"


def rows(text: str) -> list[tuple[str, str]]:
    """Return rule and test cell of every row of the page's tables."""
    found, inside = [], False
    for line in text.splitlines():
        if line == HEADER:
            inside = True
        elif not line.startswith("|"):
            inside = False
        elif inside and not line.startswith("| ---"):
            rule, _, test = line.strip("| ").rpartition(" | ")
            found.append((rule.strip(), test.strip()))
    return found


@functools.cache
def functions_of(file: str) -> frozenset[str]:
    """Return the names of the functions of a file, found without importing it."""
    path = ROOT / file
    if not path.is_file():
        return frozenset()
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    return frozenset(node.name for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, functions))


def problems(text: str) -> list[str]:
    """Return what is wrong with a page."""
    found = []
    for rule, test in rows(text):
        nodes = NODE.findall(test)
        if not nodes or not rule:
            found.append(f"{rule or test}: no test is named")
        found += [f"{rule}: {file}::{name} does not exist" for file, name in nodes if name not in functions_of(file)]
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_rule_names_tests_that_exist(page: Path) -> None:
    text = page.read_text()
    assert len(rows(text)) >= 10
    assert problems(text) == []


def test_there_is_a_page_for_every_part() -> None:
    assert [page.stem for page in PAGES] == [
        "access",
        "applicationsets",
        "check",
        "comparison",
        "controller",
        "diagnosis",
        "health",
        "notifications",
        "preview",
        "sources",
        "sync",
        "templates",
    ]


def test_no_rule_stands_twice_in_a_page() -> None:
    for page in PAGES:
        found = [rule for rule, _ in rows(page.read_text())]
        assert sorted(found) == sorted(set(found)), page.name


OPTIONS = (
    "Prune", "Delete", "PruneLast", "PrunePropagationPolicy", "Validate", "SkipDryRunOnMissingResource", "Replace",
    "Force", "ServerSideApply", "ClientSideApplyMigration", "ApplyOutOfSyncOnly", "CreateNamespace",
    "RespectIgnoreDifferences", "FailOnSharedResource",
)  # fmt: skip
HOOKS = ("PreSync", "Sync", "PostSync", "SyncFail", "Skip", "PreDelete", "PostDelete")
POLICIES = ("BeforeHookCreation", "HookSucceeded", "HookFailed")
CONDITIONS = (
    "InvalidSpecError", "ComparisonError", "SyncError", "UnknownError", "DeletionError", "SharedResourceWarning",
    "RepeatedResourceWarning", "OrphanedResourceWarning",
)  # fmt: skip


@pytest.mark.parametrize("word", [*OPTIONS, *HOOKS, *POLICIES, *CONDITIONS])
def test_every_option_hook_policy_and_condition_has_a_component_test(word: str) -> None:
    found = [
        test for rule, test in rows((ROOT / "docs/spec/controller.md").read_text()) if re.search(rf"\b{word}\b", rule)
    ]
    assert any("tests/component/" in test for test in found)


def test_the_check_sees_rules_without_tests_and_tests_that_are_gone() -> None:
    here = "tests/unit/docs/test_rule_tables.py"
    text = (
        f"{HEADER}\n| --- | --- |\n| a | `{here}::rows` |\n| b | |\n| c | `{here}::gone`, `{here}::rows` |\n\n| d | |\n"
    )
    assert problems(text) == ["b: no test is named", f"c: {here}::gone does not exist"]
