"""The files of a commit: listed, read, told apart by digest, fetched once, and mended when the cache is damaged."""

import asyncio
import pathlib

import pytest

from syncline.adapters.git.source import GitSource
from syncline.model.errors import SourceError
from syncline.ports.source import CommitNote, TreeFile
from tests.support import this_machine
from tests.support.git_http import Repository, Server

FILES: dict[str, str | None] = {
    "apps/web/deployment.yaml": "kind: Deployment",
    "apps/web/nested/service.yaml": "kind: Service",
    "apps/api/deployment.yaml": "kind: Deployment",
    "README.md": "hello",
}


async def test_a_folder_lists_its_files_and_no_others(shop: Repository, source: GitSource, url: str) -> None:
    sha = shop.commit(FILES)
    deployment = shop.git("rev-parse", f"{sha}:apps/web/deployment.yaml")
    service = shop.git("rev-parse", f"{sha}:apps/web/nested/service.yaml")
    tree = await source.tree(url, sha, "./apps/web/")
    assert tree.files() == (
        TreeFile("apps/web/deployment.yaml", deployment, 16),
        TreeFile("apps/web/nested/service.yaml", service, 13),
    )
    assert (tree.revision, tree.digest) == (sha, shop.git("rev-parse", f"{sha}:apps/web"))
    assert tree.read("apps/web/nested/service.yaml") == b"kind: Service"
    with pytest.raises(SourceError):
        tree.read("apps/web/nested")


@pytest.mark.parametrize("path", ["", ".", "./"])
async def test_the_root_is_a_folder_too(shop: Repository, source: GitSource, path: str) -> None:
    sha = shop.commit(FILES)
    tree = await source.tree(str(shop.folder), sha, path)
    assert [file.path for file in tree.files()] == sorted(FILES)
    assert tree.digest == shop.git("rev-parse", f"{sha}^{{tree}}")


async def test_a_commit_that_changes_another_folder_keeps_the_digest(
    shop: Repository, source: GitSource, url: str
) -> None:
    first = shop.commit(FILES)
    second = shop.commit({"apps/api/deployment.yaml": "changed"})
    digests = [(await source.tree(url, sha, "apps/web")).digest for sha in (first, second)]
    assert digests[0] == digests[1]


async def test_a_commit_is_fetched_once(shop: Repository, source: GitSource, server: Server) -> None:
    sha, url = shop.commit(FILES), server.url("shop")
    await asyncio.gather(*(source.tree(url, sha, path) for path in ["apps/web", "apps/api", ""] * 5))
    fetches = len(server.requests)
    await source.tree(url, sha, "apps")
    assert len(server.requests) == fetches
    assert sum(request.startswith("GET ") for request in server.requests) == 1


async def test_a_folder_that_many_apps_have_in_common_is_listed_once(
    shop: Repository, source: GitSource, url: str
) -> None:
    old, new = shop.commit(FILES), shop.commit({"apps/web/more.yaml": "kind: Service"})
    # As a first render does: until its files are here, each look at a commit may have to fetch some.
    whole = await source.tree(url, old, "")
    assert all(whole.read(file.path) for file in whole.files())
    assert await source.tree(url, old, "apps/web") is await source.tree(url, old, "./apps/web")
    assert len((await source.tree(url, new, "apps/web")).files()) == 3
    assert len((await source.tree(url, old, "apps/web")).files()) == 2


async def test_an_older_commit_can_be_read_after_a_newer_one(shop: Repository, source: GitSource, url: str) -> None:
    old = shop.commit(FILES)
    new = shop.commit({"README.md": "changed"})
    assert (await source.tree(url, new, "")).read("README.md") == b"changed"
    assert (await source.tree(url, old, "")).read("README.md") == b"hello"


async def test_a_commit_nobody_has_is_a_sentence(shop: Repository, source: GitSource, url: str) -> None:
    shop.commit(FILES)
    missing = "0123456789" * 4
    with pytest.raises(SourceError) as caught:
        await source.tree(url, missing, "")
    assert str(caught.value) == (
        f"unable to resolve '{missing}' to a commit SHA ({url.removeprefix('file://')} has no such commit: "
        "was the branch force-pushed and the commit collected?)"
    )


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("apps/wbe", "apps/wbe: app path does not exist (nearest existing path: apps/web)"),
        ("app/web", "app/web: app path does not exist (nearest existing path: apps)"),
        (
            "apps/web/nested/zzz/deep",
            "apps/web/nested/zzz/deep: app path does not exist (nearest existing path: apps/web/nested)",
        ),
        ("apps/qqqqq", "apps/qqqqq: app path does not exist (apps has api, web)"),
        ("apps/web/deployment.yaml", "apps/web/deployment.yaml: app path is not a directory (the folder is apps/web)"),
        ("README.md", "README.md: app path is not a directory (the folder is .)"),
        ("/etc", "/etc: app path is absolute (paths are relative to the root of the repository)"),
        ("../x", "../x: app path outside root"),
        ("apps/../../x", "apps/../../x: app path outside root"),
        ("a\0b", "invalid app path 'a\\x00b'"),
        ("a/" * 5000, f"invalid app path '{'a/' * 40}'"),
        ("apps/cafe\u0301", "apps/cafe\u0301: app path does not exist (apps has api, web)"),
        (".git", ".git: app path does not exist (the .git folder is never read)"),
        ("apps/.GIT/hooks", "apps/.GIT/hooks: app path does not exist (the .git folder is never read)"),
    ],
)
async def test_paths_that_are_not_there(shop: Repository, source: GitSource, path: str, sentence: str) -> None:
    sha = shop.commit(FILES)
    with pytest.raises(SourceError) as caught:
        await source.tree(str(shop.folder), sha, path)
    assert str(caught.value) == sentence


async def test_links_are_followed_inside_the_repository_only(shop: Repository, source: GitSource) -> None:
    sha = shop.commit(
        {
            "base/a.yaml": "shared",
            "apps/web/in.yaml": "-> own.yaml",
            "apps/web/own.yaml": "own",
            "apps/web/shared.yaml": "-> ../../base/a.yaml",
            "apps/web/chain.yaml": "-> shared.yaml",
            "apps/web/out.yaml": "-> ../../../outside.yaml",
            "apps/web/absolute.yaml": "-> /etc/hostname",
            "apps/web/through.yaml": "-> chain-out.yaml",
            "apps/web/chain-out.yaml": "-> ../../../../etc/hostname",
            "apps/web/loop.yaml": "-> loop.yaml",
            "apps/web/gone.yaml": "-> nowhere.yaml",
            "apps/linked": "-> web",
            "apps/escape": "-> ../..",
        }
    )
    tree = await source.tree(str(shop.folder), sha, "apps/web")
    answers = {}
    for file in tree.files():
        try:
            answers[file.path.removeprefix("apps/web/")] = tree.read(file.path).decode()
        except SourceError as error:
            answers[file.path.removeprefix("apps/web/")] = error.what
    assert answers == {
        "in.yaml": "own",
        "own.yaml": "own",
        "shared.yaml": "shared",
        "chain.yaml": "shared",
        "out.yaml": "out of bounds symlink: apps/web/out.yaml",
        "absolute.yaml": "out of bounds symlink: apps/web/absolute.yaml",
        "through.yaml": "out of bounds symlink: apps/web/through.yaml",
        "chain-out.yaml": "out of bounds symlink: apps/web/chain-out.yaml",
        "loop.yaml": "symlink loop: apps/web/loop.yaml",
        "gone.yaml": f"apps/web/gone.yaml: no such file in commit {sha[:8]}",
    }
    assert {file.path for file in tree.files() if not file.is_link} == {"apps/web/own.yaml"}
    linked = await source.tree(str(shop.folder), sha, "apps/linked")
    assert linked.read("apps/linked/own.yaml") == b"own"
    with pytest.raises(SourceError, match="out of bounds symlink: apps/escape"):
        await source.tree(str(shop.folder), sha, "apps/escape")


async def test_a_folder_with_links_out_of_it_changes_with_what_they_lead_to(
    shop: Repository, source: GitSource
) -> None:
    first = shop.commit({"base/a.yaml": "1", "apps/web/a.yaml": "-> ../../base/a.yaml"})
    second = shop.commit({"base/a.yaml": "2"})
    digests = {(await source.tree(str(shop.folder), sha, "apps/web")).digest for sha in (first, second)}
    assert len(digests) == 2


def damage_nothing_left(cache: pathlib.Path) -> None:
    for path in cache.rglob("*"):
        if path.is_file():
            path.unlink()


def damage_objects(cache: pathlib.Path) -> None:
    for path in (cache / "objects").rglob("*"):
        if path.is_file():
            path.chmod(0o644)
            path.write_bytes(b"garbage")


def damage_cut_packs(cache: pathlib.Path) -> None:
    for path in (cache / "objects").rglob("*"):
        if path.is_file() and path.suffix != ".idx":
            path.chmod(0o644)
            path.write_bytes(path.read_bytes()[:-30])


def damage_configuration(cache: pathlib.Path) -> None:
    (cache / "config").write_text("[[[")


def damage_head(cache: pathlib.Path) -> None:
    (cache / "HEAD").write_text("")


@pytest.mark.parametrize(
    "damage", [damage_nothing_left, damage_objects, damage_cut_packs, damage_configuration, damage_head]
)
@pytest.mark.parametrize("commit", ["same", "next"])
async def test_a_damaged_cache_is_fetched_again(
    shop: Repository, tmp_path: pathlib.Path, repositories: pathlib.Path, damage: object, commit: str
) -> None:
    def fresh() -> GitSource:
        return GitSource(str(tmp_path / "cache"), local_folders=[str(repositories)], reach=this_machine.REACH)

    sha, url = shop.commit(FILES), f"file://{shop.folder}"
    before = await fresh().tree(url, sha, "apps")
    (cache,) = (tmp_path / "cache").glob("*/0")
    assert callable(damage)
    damage(cache)
    wanted = sha if commit == "same" else shop.commit({"README.md": "next"})
    tree = await fresh().tree(url, wanted, "apps")
    assert (tree.files(), tree.digest) == (before.files(), before.digest)
    assert tree.read("apps/api/deployment.yaml") == b"kind: Deployment"


async def test_a_commit_can_be_described(shop: Repository, source: GitSource, url: str) -> None:
    sha = shop.commit(FILES, "Add the shop\n\nAll of it.")
    note = CommitNote(sha, "Ada <ada@example.com>", "2030-01-02T01:04:05Z", "Add the shop\n\nAll of it.")
    assert await source.describe(url, sha) == note
    assert await source.describe(url, "0" * 40) is None
    assert await source.describe("http://127.0.0.1:1/gone.git", sha) is None
