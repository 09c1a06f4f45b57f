"""What tells whether a file or folder is the same in another commit."""

import pytest

from syncline.adapters.git.source import GitSource
from syncline.adapters.git.tree import GitTree
from syncline.model.errors import SourceError
from tests.support.git_http import Repository

FILES = {
    "app/a.yaml": "1",
    "base/b.yaml": "2",
    "app/link.yaml": "-> ../base/b.yaml",
    "folder": "-> base",
    "out.yaml": "-> ../x",
    "loop": "-> loop",
}


async def tree(source: GitSource, shop: Repository, changes: dict[str, str | None], path: str = "app") -> GitTree:
    return await source.tree(str(shop.folder), shop.commit({**changes}), path)


@pytest.mark.parametrize(
    ("path", "changes", "same"),
    [
        ("", {}, True),
        ("", {"base/b.yaml": "3"}, False),
        ("app", {"base/b.yaml": "3"}, True),
        ("app", {"app/new": "3"}, False),
        ("app/a.yaml", {"app/new": "3"}, True),
        ("app/a.yaml", {"app/a.yaml": "3"}, False),
        ("app/a.yaml", {"app/a.yaml": None}, False),
        ("app/link.yaml", {"base/b.yaml": "3"}, False),
        ("folder/b.yaml", {"base/b.yaml": "3"}, False),
        ("gone", {}, True),
        ("gone", {"gone": "3"}, False),
    ],
)
async def test_a_digest_follows_the_content(
    source: GitSource, shop: Repository, path: str, changes: dict[str, str | None], same: bool
) -> None:
    before = (await tree(source, shop, {**FILES})).digest_of(path)
    assert ((await tree(source, shop, changes)).digest_of(path) == before) is same


@pytest.mark.parametrize("path", ["gone", "app/gone", "app/a.yaml/x", "out.yaml", "loop"])
async def test_what_cannot_be_read_has_no_digest(source: GitSource, shop: Repository, path: str) -> None:
    assert (await tree(source, shop, {**FILES})).digest_of(path) == ""


async def test_another_folder_of_the_same_commit(source: GitSource, shop: Repository) -> None:
    opened = await tree(source, shop, {**FILES})
    assert [file.path for file in opened.below("base").files()] == ["base/b.yaml"]
    assert [file.path for file in opened.below("folder").files()] == ["folder/b.yaml"]
    assert opened.below("base").revision == opened.revision
    for folder in ("gone", "../x", "/etc", ".git"):
        with pytest.raises(SourceError):
            opened.below(folder)
