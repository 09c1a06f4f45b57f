"""Who wrote each line of a file, where two commits parted, and which branches there are: by real git, from afar too."""

import pathlib

import pytest

from syncline.adapters.git.source import GitSource
from syncline.model.errors import SourceError
from syncline.ports.source import RevisionRequest
from tests.support import git_http
from tests.support.git_http import Repository


async def test_each_line_has_the_commit_that_wrote_it_last(url: str, shop: Repository, source: GitSource) -> None:
    first = shop.commit({"apps/web.yaml": "one: 1\ntwo: 2\nthree: 3\n"}, "Begin\n\nwith more words")
    second = shop.commit({"apps/web.yaml": "one: 1\ntwo: 22\nthree: 3\n"}, "Double two")
    shop.commit({"apps/other.yaml": "x"}, "Elsewhere")
    head = await source.resolve(RevisionRequest(url, "main"))
    found = await source.lines(url, head, "apps/web.yaml")
    assert [note and note.revision for note in found] == [first, second, first]
    assert found[1] is not None
    assert (found[1].author, found[1].date, found[1].message) == (
        "Ada <ada@example.com>",
        "2030-01-02T01:04:05Z",
        "Double two",
    )


async def test_versions_of_the_file_are_fetched_from_a_server_that_sends_commits_without_files(
    shop: Repository, server: git_http.Server, source: GitSource
) -> None:
    shop.git("config", "uploadpack.allowFilter", "true")
    first = shop.commit({"a b/[x].yaml": "1\n2\n", "huge": "x" * 1000})
    second = shop.commit({"a b/[x].yaml": "1\nzwei\n"})
    found = await source.lines(server.url("shop"), second, "a b/[x].yaml")
    assert [note and note.revision for note in found] == [first, second]


async def test_what_a_cut_off_history_would_say_is_not_said(
    tmp_path: pathlib.Path, repositories: pathlib.Path, shop: Repository, source: GitSource
) -> None:
    shop.commit({"a.yaml": "1\n2\n"})
    shop.commit({"a.yaml": "1\n3\n"})
    shop.git("clone", "--quiet", "--depth=1", f"file://{shop.folder}", str(repositories / "cut"))
    head = shop.git("rev-parse", "HEAD")
    assert await source.lines(str(repositories / "cut"), head, "a.yaml") == [None, None]


async def test_a_file_that_is_not_there_is_one_sentence(url: str, shop: Repository, source: GitSource) -> None:
    head = shop.commit({"a.yaml": "1\n"})
    with pytest.raises(SourceError, match=r"b\.yaml: who wrote it cannot be told"):
        await source.lines(url, head, "b.yaml")


async def test_a_branch_is_told_from_its_base_where_they_parted(url: str, shop: Repository, source: GitSource) -> None:
    parted = shop.commit({"a.yaml": "1\n"})
    shop.git("checkout", "--quiet", "-b", "feature")
    feature = shop.commit({"a.yaml": "2\n"})
    shop.git("checkout", "--quiet", "main")
    main = shop.commit({"b.yaml": "1\n"})
    assert await source.fork(url, feature, main) == parted
    assert await source.fork(url, main, main) == main
    shop.git("checkout", "--quiet", "--orphan", "stranger")
    stranger = shop.commit({"c.yaml": "1\n"})
    assert await source.fork(url, stranger, main) == main


async def test_branches_begin_with_the_default_one(url: str, shop: Repository, source: GitSource) -> None:
    shop.commit({"a.yaml": "1\n"})
    shop.git("branch", "alpha")
    shop.git("branch", "zeta")
    assert await source.branches(url) == ["main", "alpha", "zeta"]
