"""Questions of generators, answered from the files of a commit."""

import asyncio
from typing import Any

import pytest

from syncline.controller.appsets.answering import Answering, answered, folders_of
from syncline.core.appset.generate import GenerationError
from syncline.model.cluster import KnownCluster
from syncline.model.errors import SourceError
from syncline.ports.source import Tree, TreeFile
from tests.support.fake_source import MemoryTree

REPO = "https://git.example/apps.git"
CONTENTS = {"apps/web/app.yaml": "size: big\n", "apps/api/app.yaml": "size: small\n", "notes/x.md": "#"}


def test_folders_are_those_with_files_below_and_none_is_hidden() -> None:
    paths = ["a/b/c.yaml", "a-b/x", "a/.hidden/deep/x", "top.yaml", ".github/x/y", "z/y"]
    assert folders_of([TreeFile(path, "", 0) for path in paths]) == ("a", "a/b", "a-b", "z")


def appset(*generators: Any) -> dict[str, Any]:
    template = {"metadata": {"name": "{{path.basename}}-{{name}}-{{size}}"}, "spec": {}}
    return {"metadata": {"name": "set"}, "spec": {"generators": list(generators), "template": template}}


def names(made: dict[str, Any], opened: list[tuple[str, str, str]], broken: bool = False) -> list[str]:
    async def tree(repo_url: str, revision: str, project: str) -> Tree:
        opened.append((repo_url, revision, project))
        if broken:
            raise SourceError("failed to list refs: authentication required")
        return MemoryTree("1" * 40, CONTENTS)

    answering = Answering(
        tree, [KnownCluster(server="https://a", name="a"), KnownCluster(server="https://b", name="b")]
    )
    return [one.name for one in asyncio.run(answered(made, answering))[0]]


def test_one_question_is_asked_once_however_many_have_it() -> None:
    opened: list[tuple[str, str, str]] = []
    files = {"git": {"repoURL": REPO, "revision": "main", "files": [{"path": "apps/*/app.yaml"}]}}
    found = names(appset({"matrix": {"generators": [{"clusters": {}}, files]}}), opened)
    assert found == [
        f"{app}-{name}-{size}" for name in ("in-cluster", "a", "b") for app, size in (("api", "small"), ("web", "big"))
    ]
    assert opened == [(REPO, "main", "")]


def test_a_repository_that_cannot_be_read_is_told() -> None:
    folders = {"git": {"repoURL": REPO, "revision": "main", "directories": [{"path": "apps/*"}]}}
    with pytest.raises(GenerationError, match="authentication required"):
        names(appset(folders), [], broken=True)
