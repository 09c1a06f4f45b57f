"""`syncline ci comment` in pipelines of GitHub and GitLab, with a local server in their place."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from syncline.cli.ci.comment import MARK
from syncline.cli.main import main
from tests.support.comment_host import TOKEN, CommentHost, serving

APP = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: a, namespace: argocd}
spec:
  source: {repoURL: https://git.example/team/platform, path: a}
  destination: {server: https://kubernetes.default.svc, namespace: web}
"""
CONFIG = "{{apiVersion: v1, kind: ConfigMap, metadata: {{name: a}}, data: {{x: '{}'}}}}\n"


def git(folder: Path, *arguments: str) -> str:
    settings = ("-c", "user.name=a", "-c", "user.email=a@b.example")
    done = subprocess.run(["git", *settings, *arguments], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    folder = tmp_path / "platform"
    (folder / "a").mkdir(parents=True)
    git(folder, "init", "-q", "-b", "main")
    git(folder, "remote", "add", "origin", "https://git.example/team/platform")
    (folder / "app.yaml").write_text(APP)
    (folder / "a/a.yaml").write_text(CONFIG.format("one"))
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "first")
    git(folder, "checkout", "-qb", "change")
    (folder / "a/a.yaml").write_text(CONFIG.format("two"))
    git(folder, "commit", "-qam", "second")
    return folder


@pytest.fixture
def host() -> Iterator[CommentHost]:
    with serving(CommentHost()) as found:
        yield found


@pytest.fixture(autouse=True)
def _outside_of_pipelines(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith(("GITHUB_", "GITLAB_", "CI_")):
            monkeypatch.delenv(name)


def run(monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], *arguments: str) -> int:
    with monkeypatch.context() as patch:
        for name, value in variables.items():
            patch.setenv(name, value)
        with pytest.raises(SystemExit) as end:
            main(["ci", "comment", *arguments])
    return int(end.value.code or 0)


def event(tmp_path: Path, checkout: Path) -> str:
    file = tmp_path / "event.json"
    file.write_text(json.dumps({"pull_request": {"number": 7, "base": {"sha": git(checkout, "rev-parse", "main")}}}))
    return str(file)


def test_one_comment_is_written_and_replaced_and_left_alone_when_it_says_the_same(
    tmp_path: Path, checkout: Path, host: CommentHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    variables = host.github(event(tmp_path, checkout))
    # More comments than fit on a page, and one of somebody who knows our mark.
    for number in range(120):
        host.add("somebody", f"comment {number}")
    host.add("somebody", f"{MARK}\nmine")
    assert run(monkeypatch, variables, str(checkout)) == 0
    (ours,) = host.comments[121:]
    assert ours["body"].startswith(f"{MARK}\n### This change touches 1 app.")
    assert "`data.x` `one` → `two`" in ours["body"]
    writes = [line for line in host.requests if not line.startswith("GET")]
    run(monkeypatch, variables, str(checkout))
    assert [line for line in host.requests if not line.startswith("GET")] == writes
    (checkout / "a/a.yaml").write_text(CONFIG.format("three"))
    run(monkeypatch, variables, str(checkout))
    assert len(host.comments) == 122
    assert "`one` → `three`" in host.comments[121]["body"]
    assert host.comments[120]["body"].endswith("mine")


def test_a_token_of_a_workflow_has_no_name_and_knows_its_comment_all_the_same(
    tmp_path: Path, checkout: Path, host: CommentHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    host.names_us = False
    variables = host.github(event(tmp_path, checkout))
    run(monkeypatch, variables, str(checkout))
    (checkout / "a/a.yaml").write_text(CONFIG.format("three"))
    run(monkeypatch, variables, str(checkout))
    assert len(host.comments) == 1


def test_a_pull_request_from_a_fork_gets_its_preview_as_a_summary(
    tmp_path: Path,
    checkout: Path,
    host: CommentHost,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    host.may_write = False
    summary = tmp_path / "summary.md"
    assert run(monkeypatch, host.github(event(tmp_path, checkout), str(summary)), str(checkout)) == 0
    told = capsys.readouterr().err
    assert "may not write" in told
    assert TOKEN not in told
    assert "touches 1 app" in summary.read_text()
    assert host.comments == []


def test_merge_requests_have_notes(checkout: Path, host: CommentHost, monkeypatch: pytest.MonkeyPatch) -> None:
    variables = host.gitlab(git(checkout, "rev-parse", "main"))
    assert run(monkeypatch, variables, str(checkout)) == 0
    (checkout / "a/a.yaml").write_text(CONFIG.format("three"))
    run(monkeypatch, variables, str(checkout))
    assert [line for line in host.requests if not line.startswith("GET")] == [
        "POST /projects/12/merge_requests/7/notes",
        "PUT /projects/12/merge_requests/7/notes/1",
    ]


def test_a_second_workflow_writes_about_values_and_not_about_text(
    tmp_path: Path, checkout: Path, host: CommentHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    host.head = git(checkout, "rev-parse", "change")
    file = handed_over(tmp_path, checkout, host.head)
    # What a fork hands over may say anything; it stays text.
    file.write_text(file.read_text().replace('"two"', '"<img src=x> @all"'))
    variables = host.github("")
    assert run(monkeypatch, variables, "--from", str(file), "--pr", "7") == 0
    (ours,) = host.comments
    assert "`one` → `<img src=x> @all`" in ours["body"]
    file.write_text("{}")
    assert run(monkeypatch, variables, "--from", str(file), "--pr", "7") == 2


def handed_over(tmp_path: Path, checkout: Path, head: str) -> Path:
    file = tmp_path / "preview.json"
    with pytest.raises(SystemExit):
        main(["preview", str(checkout), "--head", head, "-o", "json", "--output-file", str(file)])
    return file


def after(tmp_path: Path, head: str) -> str:
    file = tmp_path / "run.json"
    file.write_text(json.dumps({"workflow_run": {"head_sha": head}}))
    return str(file)


OTHER = "0123456789abcdef0123456789abcdef01234567"


@pytest.mark.parametrize(
    ("previewed", "ran_for", "at", "said"),
    [
        ("change", "change", "change", "the comment was written"),
        ("worktree", "change", "change", "the comment was written"),  # the run alone tells
        (
            "worktree",
            "",
            "change",
            "the preview does not say which commit it is for, so it is not written to pull request 7",
        ),
        ("worktree", "other", "change", "and this preview is of 0123456789"),  # somebody else's pull request
        ("change", "change", "other", "pull request 7 is at 0123456789, and this preview is of"),  # pushed to since
        ("main", "change", "change", "and this preview is of"),
    ],
)
def test_a_preview_of_another_commit_is_not_written(
    previewed: str,
    ran_for: str,
    at: str,
    said: str,
    tmp_path: Path,
    checkout: Path,
    host: CommentHost,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    commits = {name: git(checkout, "rev-parse", name) for name in ("main", "change")} | {"other": OTHER, "": ""}
    file = handed_over(tmp_path, checkout, commits.get(previewed, previewed))
    host.head = commits[at]
    code = run(monkeypatch, host.github(after(tmp_path, commits[ran_for])), "--from", str(file), "--pr", "7")
    assert said in capsys.readouterr().err
    assert (code, len(host.comments)) == ((0, 1) if said == "the comment was written" else (2, 0))


def test_outside_of_a_pipeline_it_says_what_to_do(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, {}, str(checkout)) == 2
    assert "this is not a pipeline of GitHub or GitLab" in capsys.readouterr().err
