"""Repositories that mean harm: what git would do for them elsewhere does not happen here."""

import pathlib

import pytest

from syncline.adapters.git.source import GitSource
from syncline.model.errors import SourceError
from syncline.model.sources.access import SourceAccess
from syncline.model.sources.repository import Credentials, Repository
from syncline.ports.source import RevisionRequest
from tests.support import git_http
from tests.support.git_http import Repository as Shop


def files_below(folder: pathlib.Path) -> list[str]:
    return [path.name for path in folder.rglob("*") if path.is_file()]


def is_there(name: str) -> bool:
    return pathlib.Path(name).exists()


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("file:///etc", "repository not permitted: file:///etc is a local path"),
        ("/etc", "repository not permitted: /etc is a local path"),
        ("ext::sh -c 'touch canary'", "invalid repoURL \"ext::sh -c 'touch canary'\": use an https://, "),
        ("--upload-pack=touch canary", "invalid repoURL '--upload-pack=touch canary': it must not start with a dash"),
        ("http://169.254.169.254/x", "repository not permitted: http://169.254.169.254/x: "),
        ("https://evil.example.invalid/x", "failed to list refs: Could not resolve host"),
        ("../../other", "failed to list refs: repository not found: http://127.0.0.1:"),
    ],
)
async def test_a_submodule_leads_to_no_forbidden_place(
    shop: Shop, server: git_http.Server, source: GitSource, url: str, told: str
) -> None:
    shop.write({"app/a.yaml": "1", "b/b.yaml": "2", ".gitmodules": f'[submodule "x"]\n\tpath = app/x\n\turl = {url}\n'})
    shop.git("add", "--all")
    shop.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},app/x")
    shop.git("commit", "--quiet", "-m", "x")
    sha = shop.git("rev-parse", "HEAD")
    with pytest.raises(SourceError) as caught:
        await source.tree(server.url("shop"), sha, "app")
    assert caught.value.what.startswith(f"app/x: its submodule cannot be fetched: {told}")
    assert not is_there("canary")
    # What does not read it goes on.
    tree = await source.tree(server.url("shop"), sha, "b")
    assert [file.path for file in tree.files()] == ["b/b.yaml"]
    assert tree.read("app/a.yaml") == b"1"
    with pytest.raises(SourceError, match="its submodule cannot be fetched"):
        tree.read("app/x/values.yaml")


async def test_a_pointer_to_a_large_file_is_a_text_and_fetches_nothing(
    shop: Shop, server: git_http.Server, source: GitSource
) -> None:
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:" + "a" * 64 + "\nsize 10\n"
    sha = shop.commit(
        {
            ".lfsconfig": "[lfs]\n\turl = http://169.254.169.254/\n",
            ".gitattributes": "*.bin filter=lfs\n",
            "a.bin": pointer,
        }
    )
    tree = await source.tree(server.url("shop"), sha, "")
    assert tree.read("a.bin").decode() == pointer


async def test_nothing_of_a_commit_is_checked_out(
    shop: Shop, server: git_http.Server, source: GitSource, tmp_path: pathlib.Path
) -> None:
    sha = shop.commit({"hooks/post-checkout": "#!/bin/sh\ntouch canary\n", "config": "[core]\n\tpager = canary\n"})
    assert (await source.tree(server.url("shop"), sha, "")).read("config")
    names = files_below(tmp_path / "cache")
    assert "post-checkout" not in names
    assert "canary" not in names


@pytest.mark.parametrize(
    "url",
    [
        "ssh://-oProxyHost/x",
        "ssh://git@-oProxyHost/x",
        "ssh://-u@host/x",
        "git@-host:x",
        "ssh://host$(id)/x",
        "ssh://host`id`/x",
        "http://host;id/x",
        "http://h ost/x",
        "https://host/x\nhost: evil",
        "https://host\\@evil.example/x",
        "https://host%00.example/x",
    ],
)
async def test_addresses_with_an_intent_are_refused_before_anything_starts(source: GitSource, url: str) -> None:
    with pytest.raises(SourceError, match="invalid repoURL"):
        await source.resolve(RevisionRequest(url, "main"))


async def test_a_server_sees_only_the_credentials_of_its_own_address(
    shop: Shop, repositories: pathlib.Path, source: GitSource
) -> None:
    shop.commit({"a.yaml": "1"})
    with git_http.serve(repositories) as ours, git_http.serve(repositories) as theirs:
        repository = Repository(url=ours.url("shop"), credentials=Credentials(username="ada", password="canary"))
        source.use(SourceAccess(repositories=(repository,)))
        await source.resolve(RevisionRequest(ours.url("shop"), "main"))
        await source.resolve(RevisionRequest(theirs.url("shop"), "main"))
        assert all(login.startswith("Basic ") for login in ours.logins)
        assert set(theirs.logins) == {""}


async def test_a_secret_that_git_repeats_is_taken_out_of_its_words(
    repositories: pathlib.Path, source: GitSource, monkeypatch: pytest.MonkeyPatch
) -> None:
    from syncline.adapters.git import process

    async def failing(*_arguments: object, **_options: object) -> bytes:
        raise process.GitFailed("fatal: the server said: your password is swordfish-canary")

    monkeypatch.setattr(process, "run", failing)
    url = "https://git.example.com/shop"
    credentials = Credentials(username="ada", password="swordfish-canary")
    source.use(SourceAccess(repositories=(Repository(url=url, credentials=credentials),)))
    with pytest.raises(SourceError) as caught:
        await source.resolve(RevisionRequest(url, "main"))
    assert str(caught.value) == (
        "failed to list refs: the server said: your password is *** (repository https://git.example.com/shop)"
    )
