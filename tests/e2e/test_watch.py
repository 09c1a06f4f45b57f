"""`syncline check --watch` as people run it: a file changes, and what is found changes with it."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.component.check.test_check import HERE, app, config
from tests.e2e.program import Machine


def write(file: Path, text: str) -> None:
    """Replace a file at once, as editors do: a file that is half written is another mistake."""
    new = file.parents[1] / "new"
    new.write_text(text)
    new.replace(file)


def test_a_mistake_is_found_when_it_is_written_and_gone_when_it_is_taken_back(machine: Machine, tmp_path: Path) -> None:
    repo = tmp_path / "platform"
    (repo / "a").mkdir(parents=True)
    (repo / "a/a.yaml").write_text(config("a"))
    (repo / "app.json").write_text(app("a", "a"))
    for arguments in (["init", "-q"], ["remote", "add", "origin", HERE]):
        subprocess.run(["git", *arguments], cwd=repo, check=True)
    with machine.running("check", repo, "--watch") as running:
        running.says("nothing found")
        running.mark()
        write(repo / "app.json", app("a", "elsewhere"))
        running.says("APP-003 path-not-found")
        running.mark()
        write(repo / "app.json", app("a", "a"))
        running.says("nothing found")
        assert running.interrupt() == 130
        assert "Traceback" not in running.err
