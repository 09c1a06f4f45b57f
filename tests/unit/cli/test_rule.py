"""`syncline rule` lists the rules and explains one of them."""

import json
import subprocess
import sys

import pytest
from click.testing import CliRunner, Result

from syncline.cli.main import cli, main
from syncline.core.diagnose import registry


def rule(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["rule", *arguments])


def test_all_rules_are_listed_after_their_counts() -> None:
    first, header, *rows = rule().output.splitlines()
    counts = [sum(one.severity == name for one in registry.rules()) for name in ("error", "warning", "info")]
    assert first == "{} rules · {} errors, {} warnings, {} remarks".format(len(registry.rules()), *counts)
    assert header.split() == ["CODE", "NAME", "SEVERITY", "SUBJECT", "SUMMARY"]
    assert [row.split()[:2] for row in rows] == [[one.code, one.name] for one in registry.rules()]


@pytest.mark.parametrize("which", ["SET-001", "set-001", "setting-nobody-reads"])
def test_one_rule_is_explained_with_its_examples(which: str) -> None:
    lines = rule(which).output.splitlines()
    assert lines[0] == "SET-001 setting-nobody-reads · error, sometimes warning"
    assert [line.split()[0] for line in lines[1:] if line and not line.startswith(" ")] == [
        "says", "why", "fix", "subject", "looks", "bad:", "good:",
    ]  # fmt: skip
    assert "      syncOptions: [PruneLast=ture]" in lines


def test_json_has_every_field_of_every_rule() -> None:
    answer = json.loads(rule("-o", "json").output)
    assert answer["schemaVersion"] == 1
    assert [one["code"] for one in answer["rules"]] == [one.code for one in registry.rules()]
    (shared,) = (one for one in answer["rules"] if one["code"] == "OWN-001")
    assert (shared["name"], shared["severity"], shared["subjects"]) == (
        "shared-object",
        "error",
        ["fleet", "repo", "app", "node"],
    )
    assert shared["looksAt"] == ["rendered objects", "live objects"]


def test_json_of_one_rule_is_a_list_of_one() -> None:
    assert [one["code"] for one in json.loads(rule("WKL-002", "-o", "json").output)["rules"]] == ["WKL-002"]


def test_an_unknown_rule_names_the_nearest_and_leaves_with_2(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["rule", "shard-object"])
    assert left.value.code == 2
    assert capsys.readouterr().err == "syncline: no rule named shard-object; the nearest is OWN-001 shared-object\n"


@pytest.mark.parametrize("arguments", [["--help"], ["rule", "--help"], ["app", "--help"]])
def test_help_does_not_load_the_rules(arguments: list[str]) -> None:
    code = (
        "import sys\nfrom syncline.cli.main import main\n"
        f"try:\n    main({arguments!r})\nexcept SystemExit:\n    pass\n"
        "print(*(name for name in sys.modules if name.startswith('syncline.core')), file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30, check=True)
    assert done.stderr.split() == []
