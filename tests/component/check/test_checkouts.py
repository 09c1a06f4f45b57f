"""`syncline check` on several paths, and what it says about bringing up a cluster, for programs."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.component.check.test_check import HERE, app, config, run

WIDGET = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: one}\n"


def checkout(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    for arguments in (["init", "-q"], ["remote", "add", "origin", HERE]):
        subprocess.run(["git", *arguments], cwd=folder, check=True)
    return folder


def test_paths_of_several_checkouts_are_told_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = checkout(tmp_path / "one", app_json=app("a", "gone"))
    two = checkout(tmp_path / "two", app_json=app("a", "a"), a__a_yaml=config("a"))
    monkeypatch.chdir(tmp_path)
    code, text = run("one", "two/a", str(two / "app.json"), "-o", "json")
    told = json.loads(text)
    assert (code, told["apps"], told["rendered"]) == (1, 2, 1)  # the second checkout once, whatever leads to it
    (finding,) = told["findings"]
    place = finding["evidence"][0]["place"]
    assert ((tmp_path / place["file"]).is_file(), place["file"]) == (True, "one/app.json")
    assert run(str(two))[0] == 0
    assert run(str(one))[0] == 1
    monkeypatch.chdir(one)
    (finding,) = json.loads(run(".", "../two", "-o", "json")[1])["findings"]
    assert finding["evidence"][0]["place"]["file"] == "app.json"  # as the shell names it


def test_fixes_and_baselines_are_those_of_each_checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = app("a", "a").replace('"project"', '"syncPolicy": {"syncOptions": ["PruneLast=ture"]},\n  "project"')
    for name in ("one", "two"):
        checkout(tmp_path / name, app_json=wrong, a__a_yaml=config("a"))
    monkeypatch.chdir(tmp_path)
    assert run("one", "two", "--write-baseline")[0] == 0
    assert all((tmp_path / name / ".syncline/baseline.json").is_file() for name in ("one", "two"))
    assert run("one", "two")[0] == 0
    for name in ("one", "two"):
        (tmp_path / name / ".syncline/baseline.json").unlink()
    assert run("one", "two", "--fix")[0] == 0
    assert [(tmp_path / name / "app.json").read_text() for name in ("one", "two")] == [
        wrong.replace("ture", "true")
    ] * 2


def test_watching_is_for_one_checkout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("one", "two"):
        checkout(tmp_path / name, app_json=app("a", "a"), a__a_yaml=config("a"))
    monkeypatch.chdir(tmp_path)
    assert run("one", "two", "--watch")[0] == 2
    assert "more than one checkout" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "kinds", "state", "missing"),
    [
        (config("a"), {}, "possible", []),
        (f"{config('a')}---\n{WIDGET}", {"example.com/Widget": 1}, "needs", ["example.com/Widget"]),
    ],
)
def test_programs_are_told_what_is_not_validated_and_what_an_empty_cluster_needs(
    text: str, kinds: dict[str, int], state: str, missing: list[str], tmp_path: Path
) -> None:
    folder = checkout(tmp_path, app_json=app("a", "a"), a__a_yaml=text)
    told = json.loads(run(str(folder), "-o", "json")[1])
    assert (told["not_validated"], told["not_validated_kinds"]) == (sum(kinds.values()), kinds)
    assert told["bootstrap_proof"] == {"state": state, "ring": [], "missing": missing}
