"""A folder of this machine in place of an address, whatever its spelling; one's own checkout counts by itself."""

import pathlib

import pytest

from syncline.adapters.git.checkout import checkout_mirrors, parse_mirrors
from syncline.adapters.git.source import GitSource
from syncline.model.errors import NeedsUser, SourceError
from syncline.model.sources import repository_urls
from syncline.ports.source import RevisionRequest
from tests.support.git_http import Repository

SPELLINGS = [
    "https://git.example.com/team/shop",
    "https://git.example.com/team/shop.git",
    "https://ada:pw@git.example.com:443/team/shop/",
    "http://git.example.com/Team/Shop",
    "git@git.example.com:team/shop.git",
    "ssh://git@git.example.com/team/shop",
    "ssh://git@git.example.com:22/team/shop.git",
]


@pytest.mark.parametrize(("remote", "asked"), list(zip(SPELLINGS, [*SPELLINGS[1:], SPELLINGS[0]], strict=True)))
async def test_every_spelling_of_a_remote_is_read_from_the_checkout(
    shop: Repository, tmp_path: pathlib.Path, remote: str, asked: str
) -> None:
    sha = shop.commit({"deploy/a.yaml": "1"})
    shop.git("remote", "add", "origin", remote)
    source = GitSource(str(tmp_path / "cache"), mirrors=checkout_mirrors(str(shop.folder / "deploy")))
    assert await source.resolve(RevisionRequest(asked, "main")) == sha
    assert (await source.tree(asked, sha, "deploy")).read("deploy/a.yaml") == b"1"


@pytest.mark.parametrize(
    "asked",
    ["https://git.example.com/team/shop2", "https://git.example.com:8443/team/shop", "https://evil.example/shop"],
)
def test_other_addresses_are_not_mapped(shop: Repository, tmp_path: pathlib.Path, asked: str) -> None:
    from syncline.adapters.git import addresses

    mirrors = repository_urls.mirrors({SPELLINGS[0]: str(shop.folder)})
    assert not addresses.parse(asked, mirrors=mirrors).local


@pytest.mark.parametrize(
    ("remote", "asked", "mapped"),
    [
        ("ssh://git@git.example.com:2222/team/shop.git", "https://git.example.com/team/shop", True),
        ("ssh://git@git.example.com:2222/team/shop.git", "https://git.example.com:8443/Team/Shop/", True),
        ("https://git.example.com:8443/team/shop", "git@git.example.com:team/shop.git", True),
        ("https://git.example.com:8443/team/shop", "https://git.example.com/team/shop", False),
        ("ssh://git@git.example.com:2222/team/shop", "git@git.example.com:team/shop", False),
        ("https://git.example.com:8443/team/shop", "ssh://git@other.example/team/shop", False),
    ],
)
def test_ports_count_between_addresses_of_one_kind_only(remote: str, asked: str, mapped: bool) -> None:
    known = repository_urls.mirrors({remote: "/srv/shop"})
    assert repository_urls.mirror(known, asked) == ("/srv/shop" if mapped else "")


def test_outside_a_checkout_nothing_is_mapped(tmp_path: pathlib.Path) -> None:
    assert checkout_mirrors(str(tmp_path)) == {}


def test_the_flag_takes_an_address_and_a_repository(shop: Repository) -> None:
    text = f"https://git.example.com/shop?a=b={shop.folder}"
    assert parse_mirrors([text]) == {"https://git.example.com/shop?a=b": str(shop.folder)}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("https://git.example.com/shop", "'https://git.example.com/shop' is not URL=PATH"),
        ("=/x", "'=/x' is not URL=PATH"),
        ("https://git.example.com/shop=/nonexistent", "/nonexistent is not a Git repository"),
    ],
)
def test_a_flag_that_is_wrong_says_so(text: str, told: str) -> None:
    with pytest.raises(NeedsUser) as caught:
        parse_mirrors([text])
    assert caught.value.what == told


async def test_a_shallow_checkout_says_what_to_do(
    shop: Repository, repositories: pathlib.Path, source: GitSource
) -> None:
    old = shop.commit({"a.yaml": "1"})
    shop.commit({"a.yaml": "2"})
    clone = repositories / "clone"
    shop.git("clone", "--quiet", "--depth=1", f"file://{shop.folder}", str(clone))
    with pytest.raises(SourceError) as caught:
        await source.tree(str(clone), old, "")
    assert str(caught.value) == (
        f"unable to resolve '{old}' to a commit SHA "
        f"({clone} is a shallow clone without this commit: run git fetch --unshallow in it)"
    )


async def test_a_branch_that_only_a_remote_has_is_found_in_the_checkout(
    shop: Repository, tmp_path: pathlib.Path
) -> None:
    first = shop.commit({"a.yaml": "1"})
    shop.git("checkout", "-q", "-b", "team/next")
    second = shop.commit({"a.yaml": "2"})
    shop.git("checkout", "-q", "main")
    clone = Repository(tmp_path / "clone")
    clone.git("remote", "add", "origin", str(shop.folder))
    clone.git("fetch", "-q", "origin")
    clone.git("remote", "set-url", "origin", SPELLINGS[0])
    source = GitSource(str(tmp_path / "cache"), mirrors=checkout_mirrors(str(clone.folder)))
    assert await source.resolve(RevisionRequest(SPELLINGS[0], "team/next")) == second
    assert (await source.tree(SPELLINGS[0], second, "")).read("a.yaml") == b"2"
    assert await source.resolve(RevisionRequest(SPELLINGS[0], "main")) == first
    with pytest.raises(SourceError, match=r"branches of .*: main, team/next"):
        await source.resolve(RevisionRequest(SPELLINGS[0], "gone"))
