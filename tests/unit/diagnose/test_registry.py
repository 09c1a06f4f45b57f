"""All rules are listed, described and spelled once, and agree with the catalogue of causes."""

import importlib
import pathlib
import re
import subprocess
import sys
from collections import Counter

import pytest

from syncline.apimachinery import yaml
from syncline.core.diagnose import node_registry, registry
from syncline.core.diagnose.graph.fault import NodeCheck
from syncline.core.diagnose.rule import Check, Rule
from syncline.core.diagnose.rules.internal import rule_failed
from tests.unit.diagnose import catalogue

SOURCE = pathlib.Path(__file__).parents[3] / "src"
RULES_FOLDER = SOURCE / "syncline/core/diagnose/rules"
RULES = registry.rules()
FAMILIES = {code.partition("-")[0] for code in [*catalogue.SEVERITIES, *(rule.code for rule in RULES)]}
CODE = re.compile(rf"\b(?:{'|'.join(sorted(FAMILIES))})-\d{{3}}\b")
FILES = sorted(path for path in RULES_FOLDER.rglob("*.py") if path.name != "__init__.py")
NODE_FILES = sorted(path for path in RULES_FOLDER.parent.glob("nodes/*/*.py") if path.name != "__init__.py")


def module_of(path: pathlib.Path) -> str:
    return ".".join(path.relative_to(SOURCE).with_suffix("").parts)


@pytest.mark.parametrize("path", FILES, ids=[str(path.relative_to(RULES_FOLDER)) for path in FILES])
def test_a_file_holds_one_rule_and_all_its_checks_are_listed(path: pathlib.Path) -> None:
    module = vars(importlib.import_module(module_of(path)))
    own = [value for value in module.values() if isinstance(value, Rule)]
    checks = [value for value in module.values() if isinstance(value, Check)]
    assert own == [module["RULE"]]
    assert own[0] in RULES
    on_nodes = [value for value in module.values() if isinstance(value, NodeCheck)]
    assert bool(checks or on_nodes) is (own[0] is not rule_failed.RULE)
    assert [check for check in checks if check not in registry.all_checks()] == []
    assert [check for check in on_nodes if check not in node_registry.CHECKS] == []


def test_no_check_is_listed_twice() -> None:
    assert [count for count in Counter(map(id, registry.all_checks())).values() if count > 1] == []
    assert [count for count in Counter(map(id, node_registry.CHECKS)).values() if count > 1] == []


@pytest.mark.parametrize("path", NODE_FILES, ids=[path.stem for path in NODE_FILES])
def test_a_file_of_checks_on_nodes_is_about_one_rule_and_listed(path: pathlib.Path) -> None:
    module = vars(importlib.import_module(module_of(path)))
    checks = [value for value in module.values() if isinstance(value, NodeCheck)]
    assert {check.rule.code for check in checks} == {module["RULE"].code}
    assert [check for check in checks if check not in node_registry.CHECKS] == []


def test_codes_and_names_are_used_once() -> None:
    assert len({rule.code for rule in RULES}) == len({rule.name for rule in RULES}) == len(RULES) == len(FILES)


@pytest.mark.parametrize("rule", RULES, ids=[rule.code for rule in RULES])
def test_every_rule_is_described(rule: Rule) -> None:
    assert CODE.fullmatch(rule.code)
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", rule.name)
    assert re.fullmatch(r"[A-Z].*\.", rule.summary)
    assert re.fullmatch(r"[a-z].*[^.]", rule.fix), "a fix goes on after `fix`, as in a finding"
    assert re.fullmatch(r"[A-Z].*\.", rule.why)
    assert bool(rule.bad) is bool(rule.good)
    assert rule.severity not in rule.other_severities


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule.bad], ids=lambda rule: rule.code)
def test_examples_can_be_read_and_differ(rule: Rule) -> None:
    bad, good = ([one.value for one in yaml.load_documents(text.encode())] for text in (rule.bad, rule.good))
    assert bad != good


@pytest.mark.parametrize("rule", RULES, ids=[rule.code for rule in RULES])
def test_a_code_of_the_catalogue_has_its_meaning_and_severity(rule: Rule) -> None:
    listed = (catalogue.MEANINGS.get(rule.code), catalogue.SEVERITIES.get(rule.code))
    assert listed in ((None, None), (rule.name, rule.severity.value))


def spelled(path: pathlib.Path) -> list[str]:
    """Return the codes of rules that a file spells out."""
    return CODE.findall(path.read_text(encoding="utf-8"))


def test_codes_stand_in_the_files_of_their_rules_and_nowhere_else() -> None:
    # The docstring of the package shows how a rule is written; stories tell which rules have to find what.
    example, stories = SOURCE / "syncline/core/diagnose/__init__.py", SOURCE / "syncline/scenarios"
    elsewhere = [
        path
        for path in SOURCE.rglob("*.py")
        if RULES_FOLDER not in path.parents and stories not in path.parents and path != example
    ]
    assert [f"{path.relative_to(SOURCE)}: {code}" for path in elsewhere for code in spelled(path)] == []
    assert [(path.name, spelled(path)) for path in FILES if len(spelled(path)) != 1] == []


def test_the_check_sees_codes() -> None:
    assert CODE.findall('code="LIV-101", "SHA-256"') == ["LIV-101"]


@pytest.mark.parametrize("text", ["OWN-001", "own-001", " shared-object ", "Shared-Object"])
def test_a_rule_is_found_by_code_and_by_name(text: str) -> None:
    found = registry.find(text)
    assert found is not None
    assert found.code == "OWN-001"


@pytest.mark.parametrize(
    ("text", "code"), [("shared-objekt", "OWN-001"), ("WKL-02", "WKL-002"), ("image-not-fuond", "WKL-002")]
)
def test_the_nearest_rule_is_the_one_somebody_meant(text: str, code: str) -> None:
    assert registry.find(text) is None
    assert registry.nearest(text).code == code


def test_a_rule_on_several_kinds_of_subject_names_them_all() -> None:
    assert {rule.code: registry.subjects_of(rule) for rule in RULES if rule.code in ("OWN-001", "WKL-001")} == {
        "OWN-001": ("fleet", "repo", "app", "node"),
        "WKL-001": ("app", "repo", "node"),
    }


def test_the_checks_of_apps_are_found_without_those_of_repositories() -> None:
    # `why` answers within a second; a hundred rules on repositories take a tenth of that to import.
    code = (
        "import sys; from syncline.core.diagnose import registry; from syncline.core.diagnose.subjects import App; "
        "assert registry.checks(App); print('syncline.core.diagnose.repo_registry' in sys.modules)"
    )
    found = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert found.stdout == "False\n"
