"""What is remembered from one look to the next never changes an answer: after any edits it is that of a first look."""

from __future__ import annotations

import asyncio
import os
import random
import subprocess
from pathlib import Path

import msgspec
import pytest

from syncline.api.applications import RenderFlags
from syncline.api.check import Checked, checked
from syncline.api.preview import previewed
from syncline.api.repository import memory as check_memory
from syncline.api.repository.memory import CheckMemory
from syncline.model.preview import Preview
from tests.component.check import edited_repo

LOCAL = RenderFlags(local=True)


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = tmp_path / "platform"
    folder.mkdir()
    _git(folder, "init", "-q", "-b", "main")
    _git(folder, "remote", "add", "origin", edited_repo.HERE)
    return folder


def _git(folder: Path, *words: str) -> None:
    settings = ("-c", "user.name=a", "-c", "user.email=a@b.example")
    subprocess.run(["git", *settings, *words], cwd=folder, check=True, capture_output=True)


def _shown(found: Checked | Preview) -> bytes:
    return msgspec.json.format(msgspec.json.encode(found), indent=1)


@pytest.mark.parametrize("seed", range(3))
def test_a_look_after_edits_finds_what_a_first_look_finds(root: Path, seed: int) -> None:
    chance = random.Random(seed)
    edited_repo.write_all(root)
    memory, done, codes = CheckMemory(), ["the first look"], set[str]()
    for _ in range(15):
        again = asyncio.run(checked(root, LOCAL, memory=memory))
        first = asyncio.run(checked(root, LOCAL))
        assert _shown(again) == _shown(first), f"seed {seed}, after {done}"
        codes |= {one.code for one in first.findings}
        done += edited_repo.edit(root, chance)
    # Edits that nothing notices would prove nothing.
    assert len(codes) > 4, codes


class Forgetful:
    """A memory that has nothing to say."""

    def __getattr__(self, name: str) -> object:
        made: object = getattr(CheckMemory(), name)
        return made


@pytest.mark.parametrize("seed", range(3))
def test_a_preview_says_what_two_separate_looks_say(root: Path, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(seed)
    edited_repo.write_all(root)
    _git(root, "add", "-A")
    _git(root, "commit", "-qm", "first")
    found = 0
    for number in range(4):
        done = edited_repo.edit(root, chance)
        told = asyncio.run(previewed(root, LOCAL))
        with monkeypatch.context() as patched:
            memory = Forgetful()
            patched.setattr(check_memory, "CheckMemory", lambda memory=memory, **_given: memory)
            apart = asyncio.run(previewed(root, LOCAL))
        assert _shown(told) == _shown(apart), f"seed {seed}, edit {number}: {done}"
        found += len(told.new) + len(told.fixed) + len(told.apps)
    assert found


def test_a_file_of_the_same_size_and_time_is_read_again(root: Path) -> None:
    """An editor may keep the time of a file: the inode and the time of its change tell."""
    edited_repo.write(root, "apps/a.yaml", edited_repo.VERSIONS["apps/a.yaml"][0])
    edited_repo.write(root, "a/web.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: one}\n")
    for file in ("apps/a.yaml", "a/web.yaml"):
        os.utime(root / file, (1, 1))
    memory = CheckMemory()
    asyncio.run(checked(root, LOCAL, memory=memory))
    edited_repo.write(root, "a/web.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {nome: one}\n")
    os.utime(root / "a/web.yaml", (1, 1))
    again = asyncio.run(checked(root, LOCAL, memory=memory))
    assert _shown(again) == _shown(asyncio.run(checked(root, LOCAL)))
