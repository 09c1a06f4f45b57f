"""`syncline ci comment` as people install it: from the wheel, as a program, against a local code host."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.component.preview.test_comment import checkout, event  # noqa: F401 - a fixture
from tests.support.comment_host import CommentHost, serving

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with what the wheel has, and nothing of the source beside it."""
    made, folder = tmp_path_factory.mktemp("wheel"), tmp_path_factory.mktemp("site")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(made)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = made.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


def test_the_wheel_previews_comments_and_draws_a_page(tmp_path: Path, checkout: Path, installed: Path) -> None:  # noqa: F811
    program = [sys.executable, "-c", "from syncline.cli.main import main; main()"]
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GITHUB_", "GITLAB_", "CI_"))}
    with serving(CommentHost()) as host:
        variables = {**kept, **host.github(event(tmp_path, checkout)), "PYTHONPATH": str(installed)}
        where = subprocess.run(
            [sys.executable, "-c", "import syncline; print(syncline.__file__)"],
            env=variables,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        assert where.startswith(str(installed))
        done = subprocess.run(
            [*program, "ci", "comment", str(checkout)], env=variables, cwd=tmp_path, capture_output=True, text=True
        )
        assert (done.returncode, done.stderr) == (0, "the comment was written\n")
        assert "touches 1 app" in host.comments[0]["body"]
        page = subprocess.run(
            [*program, "preview", str(checkout), "-o", "html"],
            env=variables,
            cwd=tmp_path,
            capture_output=True,
            text=True,
        )
        assert page.stdout.startswith("<!doctype html>")
    assert json.loads((tmp_path / "event.json").read_text())
