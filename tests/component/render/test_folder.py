"""Files that are in no commit, read from a folder: the same rules as for a commit, and no race through a link."""

import os
import pathlib
import time

import pytest

from syncline.adapters.render.folder import FolderTree
from syncline.model.errors import SourceError


@pytest.fixture
def root(tmp_path: pathlib.Path) -> pathlib.Path:
    (tmp_path / "canary.yaml").write_text("canary")
    made = tmp_path / "root"
    (made / "app/deep").mkdir(parents=True)
    (made / "app/a.yaml").write_text("a")
    (made / "app/deep/b.yaml").write_text("b")
    (made / "app/.git").mkdir()
    (made / "app/.git/config").write_text("secret")
    (made / "shared").mkdir()
    (made / "shared/c.yaml").write_text("c")
    return made


def link(root: pathlib.Path, name: str, target: str) -> None:
    (root / name).symlink_to(target)


def test_files_are_listed_and_read_from_the_root(root: pathlib.Path) -> None:
    link(root, "app/c.yaml", "../shared/c.yaml")
    link(root, "app/shared", "../shared")
    tree = FolderTree(root, "app")
    assert [(file.path, file.is_link) for file in tree.files()] == [
        ("app/a.yaml", False),
        ("app/c.yaml", True),
        ("app/deep/b.yaml", False),
        ("app/shared", True),
    ]
    assert [tree.read(path) for path in ("app/a.yaml", "app/c.yaml", "app/shared/c.yaml")] == [b"a", b"c", b"c"]
    assert tree.below("shared").files()[0].path == "shared/c.yaml"
    assert tree.below("app/shared").files()[0].path == "app/shared/c.yaml"


def test_a_digest_changes_with_the_content_and_with_nothing_else(root: pathlib.Path) -> None:
    before = {path: FolderTree(root).digest_of(path) for path in ("app", "app/a.yaml", "shared", "gone", "")}
    (root / "app/a.yaml").write_text("changed")
    os.utime(root / "shared/c.yaml", (1, 1))
    after = {path: FolderTree(root).digest_of(path) for path in before}
    assert {path for path in before if before[path] != after[path]} == {"app", "app/a.yaml", ""}
    assert after["gone"] == ""


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("/etc/passwd", "out of bounds symlink: app/x.yaml"),
        ("../../canary.yaml", "out of bounds symlink: app/x.yaml"),
        ("x.yaml", "symlink loop: app/x.yaml"),
        ("../app/.git/config", "app/x.yaml: no such file"),
        ("gone.yaml", "app/x.yaml: no such file"),
    ],
)
def test_links_never_lead_out(root: pathlib.Path, target: str, words: str) -> None:
    link(root, "app/x.yaml", target)
    started = time.process_time()
    with pytest.raises(SourceError) as caught:
        FolderTree(root).read("app/x.yaml")
    assert str(caught.value).startswith(words)
    assert time.process_time() - started < 1


@pytest.mark.parametrize(
    "folder", ["../x", "/etc", "app/../../x", "a\0b", ".git", "app/.GIT", "gone", "app/a.yaml", "x" * 5000]
)
def test_paths_that_are_no_folder_of_the_root_are_refused(root: pathlib.Path, folder: str) -> None:
    with pytest.raises(SourceError):
        FolderTree(root, folder)


def test_a_file_that_becomes_a_link_after_it_was_looked_at_is_refused(
    root: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = FolderTree(root)
    opened = tree._open

    def swapped(real: str) -> int:
        (root / "app/a.yaml").unlink()
        link(root, "app/a.yaml", "../../canary.yaml")
        return opened(real)

    monkeypatch.setattr(tree, "_open", swapped)
    with pytest.raises(SourceError, match="cannot be read"):
        tree.read("app/a.yaml")


def test_a_folder_that_becomes_a_link_after_it_was_looked_at_is_refused(
    root: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = FolderTree(root)
    opened = tree._open

    def swapped(real: str) -> int:
        (root / "app").rename(root / "moved")
        link(root, "app", "..")
        return opened(real)

    monkeypatch.setattr(tree, "_open", swapped)
    with pytest.raises(SourceError, match="cannot be read"):
        tree.read("app/a.yaml")


def test_a_pipe_does_not_stop_a_render(root: pathlib.Path) -> None:
    os.mkfifo(root / "app/pipe.yaml")
    assert "app/pipe.yaml" not in [file.path for file in FolderTree(root, "app").files()]
    with pytest.raises(SourceError):
        FolderTree(root).read("app/pipe.yaml")
