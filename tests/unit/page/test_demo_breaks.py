"""The demo's breaks: a commit that breaks and a commit that heals, each once, in a real repository."""

import pathlib
import subprocess
from typing import Any, cast

import pytest

from syncline.cli.run.demo_breaks import DemoBreaks, left_broken
from syncline.cli.run.example_repo import prepare_repository


class Empty:
    """A live view in which nothing is."""

    index: dict[Any, Any] = {}


class Deleting:
    """A cluster that notes what is deleted."""

    def __init__(self) -> None:
        self.deleted: list[str] = []

    async def delete(self, resource: Any, namespace: str, name: str, **_options: str) -> None:
        self.deleted.append(f"{resource.gvk.kind} {namespace}/{name}")


def subjects(repository: pathlib.Path) -> list[str]:
    told = subprocess.run(
        ["git", "-C", str(repository), "log", "--format=%s"], capture_output=True, text=True, check=True
    )
    return told.stdout.splitlines()


async def test_a_commit_breaks_and_another_heals(tmp_path: pathlib.Path) -> None:
    repository = await prepare_repository(tmp_path / "repo")
    breaks = DemoBreaks(cast("Any", Deleting()), cast("Any", Empty()), repository)
    assert [one.broken for one in await breaks.all() if one.name == "commit"] == [False]
    assert "committed" in await breaks.start("commit")
    assert [one.broken for one in await breaks.all() if one.name == "commit"] == [True]
    assert await breaks.start("commit") == "nothing to do: Git says so already"
    assert left_broken(repository)
    await breaks.heal("commit")
    assert not left_broken(repository)
    assert [one.broken for one in await breaks.all() if one.name == "commit"] == [False]
    assert len(subjects(repository)) == 3


async def test_deleting_leaves_git_alone(tmp_path: pathlib.Path) -> None:
    repository, cluster = await prepare_repository(tmp_path / "repo"), Deleting()
    breaks = DemoBreaks(cast("Any", cluster), cast("Any", Empty()), repository)
    await breaks.start("delete")
    assert cluster.deleted == ["Deployment hello/web"]
    assert len(subjects(repository)) == 1


async def test_a_break_that_is_not_there_is_refused(tmp_path: pathlib.Path) -> None:
    breaks = DemoBreaks(cast("Any", Deleting()), cast("Any", Empty()), await prepare_repository(tmp_path / "repo"))
    for act in (breaks.start, breaks.heal):
        with pytest.raises(KeyError):
            await act("nothing")
