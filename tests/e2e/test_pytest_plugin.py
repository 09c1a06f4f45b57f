"""`pytest --syncline` in a GitOps repository: findings are tests that fail at their place."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.component.check.test_check import HERE, app, config


def ran(folder: Path, *arguments: str) -> tuple[int, str]:
    program = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    done = subprocess.run([*program, *arguments], cwd=folder, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout


def test_findings_fail_beside_the_tests_of_a_repository(tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "test_own.py").write_text("def test_own(): pass\n")
    (tmp_path / "good").mkdir()
    (tmp_path / "good/a.yaml").write_text(config("a"))
    (tmp_path / "apps").mkdir()
    (tmp_path / "apps/good.json").write_text(app("good", "good"))
    (tmp_path / "apps/gone.json").write_text(app("gone", "nowhere"))
    for arguments in (["init", "-q"], ["remote", "add", "origin", HERE]):
        subprocess.run(["git", *arguments], cwd=tmp_path, check=True)
    assert ran(tmp_path)[0] == 0
    code, shown = ran(tmp_path, "--syncline")
    assert code == 1
    assert "error APP-003 path-not-found: argocd/gone: nowhere: app path does not exist" in shown
    assert "apps/gone.json" in shown
    assert "Traceback" not in shown
    (tmp_path / "apps/gone.json").unlink()
    code, shown = ran(tmp_path, "--syncline")
    # The repository as a whole, and the test beside it.
    assert code == 0
    assert "2 passed" in shown
