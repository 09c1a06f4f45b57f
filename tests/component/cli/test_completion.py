"""What shells complete: verbs, options and values in a real bash, names of Applications from the cluster."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.shell_completion import BashComplete

from syncline.cli import options
from syncline.cli.main import cli
from tests.support.installation import Installation

pytestmark = pytest.mark.timeout(120)
# Bash calls the function with these variables when somebody presses Tab; compopt works only then.
SCRIPT = """\
source <(syncline completion bash)
compopt() { :; }
for line in "$@"; do
  COMP_WORDS=($line "")
  [[ $line == *' ' ]] || COMP_WORDS=($line)
  COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
  COMPREPLY=()
  _syncline_completion syncline
  echo "${COMPREPLY[*]}"
done
"""


def test_bash_completes_verbs_options_and_values() -> None:
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("there is no bash on this machine")
    cases = {
        "syncline app h": "history",
        "syncline app get hello --show": "--show-operation --show-params",
        "syncline app get hello -o ": "wide json yaml tree tree=detailed",
    }
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    command = [bash, "--norc", "-c", SCRIPT, "bash", *cases]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=100, check=True)
    assert dict(zip(cases, done.stdout.split("\n"), strict=False)) == cases, done.stderr


def test_names_of_applications_are_completed_from_the_cluster(
    installation: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KUBECONFIG", str(installation.kubeconfig))
    monkeypatch.setattr(options, "_COMPLETION_PATIENCE", 60.0)
    for name in ("hello", "help", "shop"):
        answer = installation.run(
            *("app", "create", name, "--repo", str(installation.repository), "--path", "web", "--dest-namespace", name),
            *("--dest-server", "https://kubernetes.default.svc"),
        )
        assert answer.code == 0, answer.errors
    cases = {
        ("app", "sync", "hel"): ["hello", "help"],
        ("app", "delete", "shop", "hello", "he"): ["hello", "help"],
        ("why", ""): ["hello", "help", "shop"],
        ("app", "get", "--context", "sandbox", "s"): ["shop"],
        ("app", "get", "-N", "elsewhere", ""): [],
    }
    assert {words: completed(*words) for words in cases} == cases


def test_names_are_not_completed_without_a_cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "nothing"))
    assert completed("app", "get", "") == []


def completed(*words: str) -> list[str]:
    """Return what the last word may become."""
    *before, incomplete = words
    found = BashComplete(cli, {}, "syncline", "_SYNCLINE_COMPLETE").get_completions(before, incomplete)
    return [item.value for item in found if item.type == "plain"]
