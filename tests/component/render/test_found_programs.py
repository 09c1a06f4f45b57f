"""Which helm is run: the newer one, asked for its version once; never one that a repository brings."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from syncline import processes
from syncline.adapters.render.found import FoundVersions, find, parts
from syncline.adapters.render.programs import Programs
from tests.support.git_http import Repository

WHEEL = Path(sys.executable).with_name("helm")


def program(folder: Path, says: str, name: str = "helm") -> Path:
    """Make a program that says a version, and notes each time that it is run."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / name
    file.write_text(f"#!/bin/sh\necho run >> {folder}/runs\n{says}\n")
    file.chmod(0o755)
    return file


def runs(folder: Path) -> int:
    file = folder / "runs"
    return len(file.read_text().splitlines()) if file.exists() else 0


@pytest.fixture
def path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A folder that is all of PATH."""
    folder = tmp_path / "path"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.chdir(tmp_path)
    return folder


@pytest.mark.parametrize(
    ("says", "newer"),
    [
        ("echo v4.3.1+gabc", True),
        ("echo v4.3", True),
        ("echo v3.17.4", True),
        ("echo v3.17.3+ge4da497", False),
        ("echo v3.9.0", False),
        ("echo v2.17.0", False),
    ],
)
def test_a_helm_on_path_is_preferred_where_it_is_newer_than_the_wheel(path: Path, says: str, newer: bool) -> None:
    other = program(path, says)
    found = find("helm", FoundVersions())
    assert found.path == str(other if newer else WHEEL)
    assert found.trouble == ""


@pytest.mark.parametrize("says", ["echo unknown", "exit 3", "exec sleep 60", "echo v4"])
def test_a_helm_that_does_not_say_its_version_is_not_run_and_that_is_said(
    path: Path, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("syncline.adapters.render.found._LIMITS", processes.ProcessLimits(seconds=1.0))
    other = program(path, says)
    found = find("helm", FoundVersions())
    assert found.path == str(WHEEL)
    assert str(other) in found.trouble
    assert "does not say its version" in found.trouble


async def test_the_sentence_is_with_every_render(path: Path) -> None:
    program(path, "echo unknown")
    (said,) = await Programs().pin_warnings("helm")
    assert "does not say its version" in said


def test_a_version_is_asked_once_for_each_file_and_again_when_the_file_changes(path: Path, tmp_path: Path) -> None:
    program(path, "echo v4.3.1")
    memory = tmp_path / "cache" / "programs.json"
    for _ in range(3):
        assert find("helm", FoundVersions(memory)).version == "4.3.1"
    assert runs(path) == 1
    program(path, "echo v4.10.0 # another")
    assert find("helm", FoundVersions(memory)).version == "4.10.0"


@pytest.mark.parametrize("content", [b"", b"[]", b'{"a": 1', b"\xff"])
def test_a_memory_that_cannot_be_read_is_made_again(path: Path, tmp_path: Path, content: bytes) -> None:
    program(path, "echo v4.3.1")
    memory = tmp_path / "programs.json"
    memory.write_bytes(content)
    assert find("helm", FoundVersions(memory)).version == "4.3.1"


async def test_a_version_is_asked_also_from_inside_a_loop(path: Path) -> None:
    program(path, "echo v4.3.1")
    assert Programs().path("helm") == str(path / "helm")


def test_kubectl_stays_the_one_whose_kustomize_argo_cd_uses(path: Path) -> None:
    program(path, "echo Client Version: v9.9.9", "kubectl")
    assert find("kubectl", FoundVersions()).path == str(WHEEL.with_name("kubectl"))
    assert runs(path) == 0


@pytest.mark.parametrize("entries", [".", "", "bin", "./bin", "bin:.:"])
def test_no_program_of_the_folder_that_we_stand_in_is_run_by_a_relative_path(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, entries: str
) -> None:
    program(tmp_path, "echo v9.9.9")
    program(tmp_path / "bin", "echo v9.9.9")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", entries)
    assert find("helm", FoundVersions()).path == str(WHEEL)
    assert (runs(tmp_path), runs(tmp_path / "bin")) == (0, 0)


@pytest.mark.parametrize("stand", ["", "deep/folder"])
def test_no_program_inside_the_repository_that_we_stand_in_is_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, stand: str
) -> None:
    repository = Repository(tmp_path / "repo").folder
    (repository / stand).mkdir(parents=True, exist_ok=True)
    program(repository / "bin", "echo v9.9.9")
    linked = tmp_path / "linked"
    linked.mkdir()
    (linked / "helm").symlink_to(repository / "bin" / "helm")
    monkeypatch.setenv("PATH", f"{repository / 'bin'}:{linked}")
    monkeypatch.chdir(repository / stand)
    assert find("helm", FoundVersions()).path == str(WHEEL)
    assert runs(repository / "bin") == 0
    monkeypatch.chdir(tmp_path)
    assert find("helm", FoundVersions()).path == str(repository / "bin" / "helm"), "from elsewhere it is one of PATH"


async def test_a_program_that_is_run_by_its_name_is_not_sought_in_its_own_folder(tmp_path: Path) -> None:
    program(tmp_path, "echo hostile", "git")
    environment = {"PATH": ".:/usr/bin:/bin"}
    ended = await processes.run(("git", "--version"), environment=environment, folder=str(tmp_path))
    assert ended.output.startswith(b"git version")
    assert runs(tmp_path) == 0


@pytest.mark.parametrize(
    ("older", "newer"), [("3.9.9", "3.10.0"), ("3.17.3", "3.17.10"), ("3.22.0", "4.0.0"), ("4.2.9", "4.3")]
)
def test_versions_are_compared_as_numbers(older: str, newer: str) -> None:
    assert parts(older) < parts(newer)
