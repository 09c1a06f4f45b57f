"""Submodules are folders like any other: fetched with the login of the repository around them, or with none."""

import pathlib

import pytest

from syncline.adapters.git import submodules
from syncline.adapters.git.source import GitSource
from syncline.model.errors import SourceError
from syncline.model.settings.parts import SourceSettings
from syncline.model.sources.access import SourceAccess
from syncline.model.sources.repository import Credentials, Repository, Way
from tests.support import git_http
from tests.support.git_http import Repository as Shop
from tests.support.listener import listening

LOGIN = Credentials(username="ada", password="canary")


def link(shop: Shop, path: str, url: str, sha: str) -> str:
    """Commit a submodule; return the commit's SHA."""
    file = shop.folder / ".gitmodules"
    known = file.read_text() if file.exists() else ""
    shop.write({".gitmodules": known + f'[submodule "{path}"]\n\tpath = {path}\n\turl = {url}\n'})
    shop.git("add", ".gitmodules")
    shop.git("update-index", "--add", "--cacheinfo", f"160000,{sha},{path}")
    shop.git("commit", "--quiet", "-m", "x")
    return shop.git("rev-parse", "HEAD")


@pytest.fixture
def library(repositories: pathlib.Path) -> Shop:
    return Shop(repositories / "library")


def contents(tree: object) -> dict[str, bytes]:
    files = tree.files()  # type: ignore[attr-defined]
    return {file.path: tree.read(file.path) for file in files}  # type: ignore[attr-defined]


async def test_the_files_of_a_submodule_are_where_they_are_in_a_checkout(
    shop: Shop, library: Shop, url: str, source: GitSource
) -> None:
    first = library.commit({"base/a.yaml": "1", "base/link.yaml": "-> a.yaml"})
    second = library.commit({"base/a.yaml": "2"})
    shop.commit({"app/own.yaml": "own", "app/into": "-> ../vendor/base"})
    old = link(shop, "vendor", "../../library/.git" if url.endswith("/.git") else "../library", first)
    shop.git("update-index", "--cacheinfo", f"160000,{second},vendor")
    shop.git("commit", "--quiet", "-m", "y")
    new = shop.git("rev-parse", "HEAD")
    tree = await source.tree(url, old, "vendor/base")
    assert contents(tree) == {"vendor/base/a.yaml": b"1", "vendor/base/link.yaml": b"1"}
    assert contents(await source.tree(url, new, "vendor/base"))["vendor/base/a.yaml"] == b"2"
    whole = await source.tree(url, old, "")
    assert [file.path for file in whole.files()] == [
        ".gitmodules",
        "app/into",
        "app/own.yaml",
        "vendor/base/a.yaml",
        "vendor/base/link.yaml",
    ]
    assert whole.digest != (await source.tree(url, new, "")).digest
    app = await source.tree(url, old, "app")
    assert app.read("vendor/base/a.yaml") == b"1"
    assert app.read("app/into/a.yaml") == b"1"
    assert app.digest_of("vendor/base") == tree.digest
    with pytest.raises(SourceError, match="vendor/bass: app path does not exist"):
        await source.tree(url, old, "vendor/bass")


async def test_submodules_of_submodules_are_there_too(
    shop: Shop, library: Shop, repositories: pathlib.Path, server: git_http.Server, source: GitSource
) -> None:
    deepest = Shop(repositories / "deepest")
    sha = deepest.commit({"d.yaml": "d"})
    library.commit({"l.yaml": "l"})
    middle = link(library, "deep", server.url("deepest"), sha)
    top = link(shop, "lib", server.url("library"), middle)
    tree = await source.tree(server.url("shop"), top, "lib")
    assert contents(tree)["lib/deep/d.yaml"] == b"d"


async def test_a_submodule_that_contains_itself_ends(shop: Shop, server: git_http.Server, source: GitSource) -> None:
    sha = shop.commit({"a.yaml": "1"})
    for _ in range(submodules.DEEPEST + 3):
        sha = link(shop, "again", server.url("shop"), sha)
    with pytest.raises(SourceError, match="a commit has at most 64 submodules, 5 deep"):
        await source.tree(server.url("shop"), sha, "")


async def test_a_submodule_gets_the_login_of_the_repository_around_it_and_no_other(
    shop: Shop, library: Shop, repositories: pathlib.Path, source: GitSource
) -> None:
    inner = library.commit({"a.yaml": "1"})
    shop.commit({"b.yaml": "2"})
    with (
        git_http.serve(repositories, password="ada:canary") as server,
        git_http.serve(repositories) as public,
        git_http.serve(repositories, password="eve:canary") as secret,
    ):
        url = server.url("shop")
        own = Repository(url=url, credentials=LOGIN)
        eves = Credentials(username="eve", password="canary")
        others = Repository(url=secret.url("library"), credentials=eves)
        source.use(SourceAccess(repositories=(own, others)))
        same = link(shop, "same", server.url("library"), inner)
        assert (await source.tree(url, same, "same")).read("same/a.yaml") == b"1"
        elsewhere = link(shop, "public", public.url("library"), inner)
        assert (await source.tree(url, elsewhere, "public")).read("public/a.yaml") == b"1"
        assert set(public.logins) == {""}
        # Its cache is full of what Eve may read: that is for nobody else.
        assert (await source.tree(secret.url("library"), inner, "")).read("a.yaml") == b"1"
        hidden = link(shop, "hidden", secret.url("library"), inner)
        with pytest.raises(SourceError, match="authentication required") as caught:
            await source.tree(url, hidden, "hidden")
        assert "a submodule gets the credentials of the repository around it" in str(caught.value)
        assert "canary" not in str(caught.value)
        scoped = Repository(url=secret.url("library"), credentials=eves, project="shop")
        source.use(SourceAccess(repositories=(own, scoped)))
        tree = await source.tree(url, hidden, "hidden", project="shop")
        assert tree.read("hidden/a.yaml") == b"1"
        with pytest.raises(SourceError, match="authentication required"):
            await source.tree(url, hidden, "hidden", project="games")


async def test_a_submodule_without_an_address_is_an_empty_folder(
    shop: Shop, server: git_http.Server, source: GitSource
) -> None:
    shop.commit({"a.yaml": "1"})
    shop.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},x")
    shop.git("commit", "--quiet", "-m", "x")
    sha = shop.git("rev-parse", "HEAD")
    assert contents(await source.tree(server.url("shop"), sha, "")) == {"a.yaml": b"1"}


async def test_submodules_are_left_out_where_they_are_switched_off(
    shop: Shop, library: Shop, server: git_http.Server, source: GitSource
) -> None:
    shop.commit({"a.yaml": "1"})
    sha = link(shop, "lib", server.url("library"), library.commit({"l.yaml": "l"}))
    source.adjust(SourceSettings(git_submodules=False))
    assert [file.path for file in (await source.tree(server.url("shop"), sha, "")).files()] == [".gitmodules", "a.yaml"]
    assert not [line for line in server.requests if "library" in line]


async def test_large_files_of_a_submodule_are_fetched_like_its_own(
    shop: Shop, library: Shop, repositories: pathlib.Path, source: GitSource
) -> None:
    with git_http.serve(repositories, password="ada:canary") as server:
        url = server.url("shop")
        shop.commit({"a.yaml": "1"})
        inner = library.commit({"big.yaml": server.keep(b"large")})
        sha = link(shop, "lib", server.url("library"), inner)
        source.use(SourceAccess(repositories=(Repository(url=url, credentials=LOGIN, way=Way(lfs=True)),)))
        assert (await source.tree(url, sha, "")).read("lib/big.yaml") == b"large"
        assert "POST /library/.git/info/lfs/objects/batch" in server.requests


@pytest.mark.parametrize(
    ("url", "around", "found"),
    [
        ("https://x.example/y", "https://git.example/team/shop.git", "https://x.example/y"),
        ("../lib.git", "https://git.example/team/shop.git", "https://git.example/team/lib.git"),
        ("../lib.git", "https://git.example/team/shop/", "https://git.example/team/lib.git"),
        ("../../other/lib", "ssh://git@git.example:22/team/shop", "ssh://git@git.example:22/other/lib"),
        ("../lib.git", "git@git.example:team/shop.git", "git@git.example:team/lib.git"),
        ("./lib", "https://git.example/shop", "https://git.example/shop/lib"),
        ("../lib", "/srv/git/shop", "/srv/git/lib"),
    ],
)
def test_an_address_with_dots_counts_from_the_repository_around(url: str, around: str, found: str) -> None:
    assert submodules.absolute(url, around) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", {}),
        ('[submodule "a"]\n\tpath = lib/a\n\turl = ../a\n\tbranch = main\n', {"lib/a": "../a"}),
        ('[submodule "a"]\n\tURL = "../a b"\n\tPath = "lib/"\n# url = x\n', {"lib": "../a b"}),
        ('[submodule "a"]\n\tpath = a\n[submodule "b"]\n\turl = b\n', {}),
    ],
)
def test_gitmodules_is_read(text: str, found: dict[str, str]) -> None:
    assert submodules.declared(text) == found


async def test_a_submodule_that_the_project_does_not_permit_is_refused_and_not_contacted(
    shop: Shop, url: str, source: GitSource
) -> None:
    with listening() as listener:
        shop.commit({"app/own.yaml": "own"})
        sha = link(shop, "vendor", listener.url("library.git"), "1" * 40)
        with pytest.raises(SourceError) as failed:
            await source.tree(url, sha, "vendor", project="team", permitted=(url,))
        assert "is not permitted in project 'team'" in str(failed.value)
        assert listener.connections == 0
        with pytest.raises(SourceError):
            await source.tree(url, sha, "vendor", project="team", permitted=("**",))
        assert listener.connections > 0
