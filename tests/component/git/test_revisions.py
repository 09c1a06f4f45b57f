"""What a revision text stands for, and what is said when it stands for nothing."""

import asyncio
from collections import Counter

import pytest

from syncline.adapters.git.source import GitSource
from syncline.model.errors import SourceError
from syncline.ports.source import RevisionRequest
from tests.support.git_http import Repository, Server


async def resolve(source: GitSource, url: str, revision: str) -> str:
    return await source.resolve(RevisionRequest(url, revision))


async def test_every_spelling_of_a_revision(shop: Repository, source: GitSource, url: str) -> None:
    old = shop.commit({"a.yaml": "1"})
    shop.git("tag", "v1")
    shop.git("tag", "-a", "v2", "-m", "annotated")
    shop.git("checkout", "-q", "-b", "feature/x")
    new = shop.commit({"a.yaml": "2"})
    shop.git("tag", "same")
    shop.git("branch", "same", old)
    shop.git("checkout", "-q", "main")
    shop.git("update-ref", "refs/pull/7/head", new)
    expected = {
        "": old,
        "HEAD": old,
        "main": old,
        " main ": old,
        "feature/x": new,
        "v1": old,
        "v2": old,
        "same": old,
        "tags/same": new,
        "refs/heads/feature/x": new,
        "refs/tags/v2": old,
        "refs/pull/7/head": new,
        "pull/7/head": new,
        new: new,
        new[:10]: new,
    }
    assert {text: await resolve(source, url, text) for text in expected} == expected


async def test_a_short_sha_of_an_old_commit_is_found_in_the_history(
    shop: Repository, source: GitSource, url: str
) -> None:
    old = shop.commit({"a.yaml": "1"})
    new = shop.commit({"a.yaml": "2"})
    await source.tree(url, new, "")
    assert await resolve(source, url, old[:9]) == old
    with pytest.raises(SourceError, match="unable to resolve 'deadbeef' to a commit SHA"):
        await resolve(source, url, "deadbeef")


async def test_a_short_sha_of_two_commits_asks_for_more_digits(shop: Repository, source: GitSource) -> None:
    shop.branches(1000)
    shas = shop.git("for-each-ref", "--format=%(objectname)").split()
    prefix = next(prefix for prefix, count in Counter(sha[:4] for sha in shas).items() if count == 2)
    with pytest.raises(SourceError) as caught:
        await resolve(source, str(shop.folder), prefix)
    assert str(caught.value) == (
        f"unable to resolve '{prefix}' to a commit SHA (2 commits of {shop.folder} start with it: use more digits)"
    )


async def test_a_missing_branch_names_those_there_are(shop: Repository, source: GitSource, url: str) -> None:
    shop.commit({"a.yaml": "1"})
    shop.git("branch", "feature-x")
    with pytest.raises(SourceError) as caught:
        await resolve(source, url, "featurex")
    shown = url.removeprefix("file://")
    assert str(caught.value) == (
        f"unable to resolve 'featurex' to a commit SHA (branches of {shown}: feature-x, main; did you mean feature-x?)"
    )


async def test_many_branches_are_counted_and_not_listed(shop: Repository, source: GitSource) -> None:
    sha = shop.commit({"a.yaml": "1"})
    for number in range(20):
        shop.git("update-ref", f"refs/heads/b{number:02}", sha)
    with pytest.raises(SourceError) as caught:
        await resolve(source, str(shop.folder), "zzz")
    assert caught.value.hint == (f"branches of {shop.folder}: b00, b01, b02, b03, b04, b05, b06, b07 and 13 more")


async def test_an_empty_repository_says_so(shop: Repository, source: GitSource, url: str) -> None:
    with pytest.raises(SourceError, match="is empty: push a first commit"):
        await resolve(source, url, "")


async def test_a_force_push_is_followed(shop: Repository, source: GitSource, url: str) -> None:
    shop.commit({"a.yaml": "1"})
    first = shop.commit({"a.yaml": "2"})
    assert await resolve(source, url, "main") == first
    shop.git("reset", "-q", "--hard", "HEAD~1")
    second = shop.commit({"a.yaml": "3"})
    assert await resolve(source, url, "main") == second
    assert (await source.tree(url, second, "")).read("a.yaml") == b"3"


async def test_a_branch_that_vanished_and_came_back(shop: Repository, source: GitSource, url: str) -> None:
    sha = shop.commit({"a.yaml": "1"})
    shop.git("branch", "work")
    assert await resolve(source, url, "work") == sha
    shop.git("branch", "-q", "-D", "work")
    with pytest.raises(SourceError):
        await resolve(source, url, "work")
    assert (await source.tree(url, sha, "")).read("a.yaml") == b"1"
    shop.git("branch", "work")
    assert await resolve(source, url, "work") == sha


async def test_callers_at_the_same_time_share_one_listing(shop: Repository, source: GitSource, server: Server) -> None:
    sha = shop.commit({"a.yaml": "1"})
    url = server.url("shop")
    found = await asyncio.gather(*(resolve(source, url, revision) for revision in ["main", "HEAD"] * 20))
    assert set(found) == {sha}
    listings = [request for request in server.requests if request.startswith("GET ")]
    assert len(listings) == 1


async def test_a_caller_that_goes_away_does_not_end_the_listing_of_the_others(
    shop: Repository, source: GitSource, url: str
) -> None:
    sha = shop.commit({"a.yaml": "1"})
    leaving = asyncio.create_task(resolve(source, url, "main"))
    staying = asyncio.create_task(resolve(source, url, "main"))
    await asyncio.sleep(0)
    leaving.cancel()
    assert await staying == sha
