"""The action, the examples for pipelines and the pre-commit hook: what their YAML calls is run, out of the wheel."""

from __future__ import annotations

import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from syncline.apimachinery import yaml
from tests.component.check.test_check import HERE, app, config
from tests.component.preview.test_comment import checkout, event, git  # noqa: F401 - a fixture
from tests.e2e.program import Machine
from tests.e2e.test_wheel import Installed, installed  # noqa: F401 - a fixture
from tests.support.comment_host import TOKEN, CommentHost, serving
from tools import build_page

REPOSITORY = pathlib.Path(__file__).parents[2]
INSTALLS = re.compile(r"(pipx|pip) install .*")
"""Steps that install: what they would fetch is the wheel that is there already."""


def read(name: str) -> Any:
    return yaml.load((REPOSITORY / name).read_bytes())


@pytest.fixture
def host() -> Iterator[CommentHost]:
    with serving(CommentHost()) as found:
        yield found


def run(script: str, folder: pathlib.Path, wheel: Installed, variables: Mapping[str, str]) -> tuple[int, str]:
    """Run a step as a runner does: by bash, which ends at the first command that fails."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GITHUB_", "GITLAB_", "CI_"))}
    path = f"{wheel.python.parent}{os.pathsep}{pathlib.Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-e", "-o", "pipefail", "-c", script],
        cwd=folder,
        env={**kept, "PATH": path, **variables},
        capture_output=True,
        text=True,
        check=False,
        timeout=200,
    )
    assert "Traceback" not in done.stderr
    return done.returncode, done.stderr


def calls(scripts: list[str]) -> list[str]:
    """Return the steps that are more than an installation; there is one of those before them."""
    assert INSTALLS.fullmatch(scripts[0])
    return [one for one in scripts[1:] if not INSTALLS.fullmatch(one)]


def test_the_action_comments_on_a_pull_request(
    tmp_path: pathlib.Path,
    checkout: pathlib.Path,  # noqa: F811
    installed: Installed,  # noqa: F811
    host: CommentHost,
) -> None:
    action = read("action.yml")
    steps = action["runs"]["steps"]
    given = {"${{ inputs.token }}": TOKEN, "${{ inputs.arguments }}": "--fail-on never"}
    assert {f"${{{{ inputs.{name} }}}}" for name in action["inputs"]} == set(given)
    (script,) = calls([step["run"] for step in steps])
    variables = {name: given[value] for name, value in steps[-1]["env"].items()}
    code, said = run(script, checkout, installed, {**host.github(event(tmp_path, checkout)), **variables})
    assert (code, said) == (0, "the comment was written\n")
    assert "touches 1 app" in host.comments[0]["body"]


def test_the_workflow_comments_on_a_pull_request(
    tmp_path: pathlib.Path,
    checkout: pathlib.Path,  # noqa: F811
    installed: Installed,  # noqa: F811
    host: CommentHost,
) -> None:
    workflow = read("docs/examples/github-workflow.yaml")
    steps = [step for step in workflow["jobs"]["preview"]["steps"] if "run" in step]
    (script,) = calls([step["run"] for step in steps])
    assert steps[-1]["env"] == {"GITHUB_TOKEN": "${{ github.token }}"}
    assert run(script, checkout, installed, host.github(event(tmp_path, checkout)))[0] == 0
    assert "touches 1 app" in host.comments[0]["body"]


def test_the_job_comments_on_a_merge_request(
    checkout: pathlib.Path,  # noqa: F811
    installed: Installed,  # noqa: F811
    host: CommentHost,
) -> None:
    job = read("docs/examples/gitlab-ci.yaml")["preview"]
    (script,) = calls(job["script"])
    assert run(script, checkout, installed, host.gitlab(git(checkout, "rev-parse", "main")))[0] == 0
    assert "touches 1 app" in host.comments[0]["body"]


def hooks_of(folder: pathlib.Path) -> pathlib.Path:
    """Return a repository with the files as they are, committed or not, and the page that is built already."""
    build_page.build(say=False)
    git(folder.parent, "clone", "-q", "--no-hardlinks", str(REPOSITORY), str(folder))
    for name in ("src", "web"):
        left_out = shutil.ignore_patterns("__pycache__", "node_modules")
        shutil.copytree(REPOSITORY / name, folder / name, dirs_exist_ok=True, ignore=left_out)
    for name in (".pre-commit-hooks.yaml", "pyproject.toml"):
        (folder / name).write_bytes((REPOSITORY / name).read_bytes())
    git(folder, "add", "-A")
    git(folder, "add", "-f", str(build_page.BUILT.relative_to(REPOSITORY)))
    git(folder, "commit", "-q", "--allow-empty", "-m", "as it is")
    return folder


def test_the_hook_runs_in_the_real_pre_commit(machine: Machine, tmp_path: pathlib.Path) -> None:
    source, repo = hooks_of(tmp_path / "source"), tmp_path / "platform"
    (repo / "a").mkdir(parents=True)
    (repo / "a/a.yaml").write_text(config("a"))
    (repo / "app.json").write_text(app("a", "elsewhere"))
    hook = {"repo": f"file://{source}", "rev": git(source, "rev-parse", "HEAD"), "hooks": [{"id": "syncline-check"}]}
    (repo / ".pre-commit-config.yaml").write_text(yaml.dump({"repos": [hook]}))
    for arguments in (["init", "-q"], ["remote", "add", "origin", HERE], ["add", "-A"]):
        git(repo, *arguments)
    lent = {
        "PRE_COMMIT_HOME": str(tmp_path / "home"),
        "PYTHONPATH": sysconfig.get_path("purelib"),  # what the hook needs is lent, so that nothing is downloaded
        "PIP_NO_INDEX": "1",
        "PIP_NO_DEPS": "1",
        "PIP_NO_BUILD_ISOLATION": "0",
        "VIRTUALENV_NO_DOWNLOAD": "1",
    }
    words = [f"{name}={value}" for name, value in lent.items()]
    program = pathlib.Path(sys.executable).with_name("pre-commit")
    broken = machine.run("env", "-C", repo, *words, program, "run", "--all-files")
    assert (broken.code, "APP-003 path-not-found" in broken.out) == (1, True), broken.out + broken.err
    (repo / "app.json").write_text(app("a", "a"))
    git(repo, "add", "-A")
    fixed = machine.run("env", "-C", repo, *words, program, "run", "--all-files")
    assert (fixed.code, "Passed" in fixed.out) == (0, True), fixed.out + fixed.err
