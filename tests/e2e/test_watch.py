"""`syncline check --watch` as people run it: a file changes, and what is found changes with it."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.component.check.test_check import HERE, app, config
from tests.e2e.program import Machine


def test_a_mistake_is_found_when_it_is_written_and_gone_when_it_is_taken_back(machine: Machine, tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a/a.yaml").write_text(config("a"))
    (tmp_path / "app.json").write_text(app("a", "a"))
    for arguments in (["init", "-q"], ["remote", "add", "origin", HERE]):
        subprocess.run(["git", *arguments], cwd=tmp_path, check=True)
    with machine.running("check", tmp_path, "--watch") as running:
        running.says("nothing found")
        running.mark()
        (tmp_path / "app.json").write_text(app("a", "elsewhere"))
        running.says("APP-003 path-not-found")
        running.mark()
        (tmp_path / "app.json").write_text(app("a", "a"))
        running.says("nothing found")
        assert running.interrupt() == 130
        assert "Traceback" not in running.err
