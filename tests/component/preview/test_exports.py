"""The two sides of a preview are the files of the commit and those of the checkout, however that was changed."""

from __future__ import annotations

import asyncio
import subprocess
from pathlib import Path

import pytest

from syncline.adapters.git import exports


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "platform"
    folder.mkdir()
    _git(folder, "init", "-q", "-b", "main")
    for name in ("same", "edited", "staged", "deleted", "forgotten", "deep/er/same", "turned/into/a/file"):
        _write(folder, name, f"{name}, as committed\n")
    (folder / "link").symlink_to("same")
    _git(folder, "add", "-A")
    _git(folder, "commit", "-qm", "first")
    return folder


def _git(folder: Path, *words: str) -> str:
    settings = ("-c", "user.name=a", "-c", "user.email=a@b.example")
    return subprocess.run(["git", *settings, *words], cwd=folder, check=True, capture_output=True, text=True).stdout


def _write(folder: Path, name: str, text: str) -> None:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text)


def _change(folder: Path) -> None:
    """Change a checkout in every way that Git knows of."""
    _write(folder, "edited", "edited, as it is now\n")
    _write(folder, "staged", "staged, first\n")
    _git(folder, "add", "staged")
    _write(folder, "staged", "staged, as committed\n")  # as in the commit again, though the index has something else
    (folder / "deleted").unlink()
    _git(folder, "rm", "-q", "--cached", "forgotten")
    _write(folder, "forgotten", "forgotten, as it is now\n")
    subprocess.run(["rm", "-r", "turned"], cwd=folder, check=True)
    _write(folder, "turned", "a file now\n")
    _write(folder, "new", "new\n")
    _write(folder, ".gitignore", "ignored\n")
    _write(folder, "ignored", "ignored\n")
    (folder / "link").unlink()
    (folder / "link").symlink_to("new")


def _content(folder: Path) -> dict[str, str]:
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_symlink():
            found[path.relative_to(folder).as_posix()] = f"-> {path.readlink()}"
        elif path.is_file() and ".git/" not in f"{path.relative_to(folder).as_posix()}/":
            found[path.relative_to(folder).as_posix()] = path.read_text()
    return found


def _by_git(root: Path, revision: str, folder: Path) -> dict[str, str]:
    """Return the files of a commit as Git itself writes them."""
    folder.mkdir()
    archive = subprocess.run(["git", "archive", revision], cwd=root, check=True, capture_output=True).stdout
    subprocess.run(["tar", "-x"], cwd=folder, input=archive, check=True)
    return _content(folder)


def test_both_sides_are_what_git_says_they_are(root: Path, tmp_path: Path) -> None:
    _change(root)
    old = _git(root, "rev-parse", "HEAD").strip()
    asyncio.run(exports.export_both(root, old, "", tmp_path / "before", tmp_path / "after"))
    assert _content(tmp_path / "before") == _by_git(root, old, tmp_path / "git")
    now = {name: text for name, text in _content(root).items() if name != "ignored"}
    assert _content(tmp_path / "after") == now
    # What is the same is one file, which is why a preview of a large repository is quick.
    assert (tmp_path / "before/deep/er/same").samefile(tmp_path / "after/deep/er/same")


def test_two_commits_are_what_git_says_they_are(root: Path, tmp_path: Path) -> None:
    old = _git(root, "rev-parse", "HEAD").strip()
    _change(root)
    _git(root, "add", "-A")
    _git(root, "commit", "-qm", "second")
    new = _git(root, "rev-parse", "HEAD").strip()
    _write(root, "same", "not committed\n")
    asyncio.run(exports.export_both(root, old, new, tmp_path / "before", tmp_path / "after"))
    assert _content(tmp_path / "before") == _by_git(root, old, tmp_path / "git-old")
    assert _content(tmp_path / "after") == _by_git(root, new, tmp_path / "git-new")
    assert (tmp_path / "before/same").samefile(tmp_path / "after/same")
