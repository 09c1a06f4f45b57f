"""Repositories that cannot be read, and texts that never reach git; no answer holds a credential."""

import asyncio
import pathlib
import shutil
import time

import pytest

from syncline import processes
from syncline.adapters.git import process
from syncline.adapters.git.addresses import scrub
from syncline.adapters.git.source import GitSource
from syncline.model.errors import SourceError
from syncline.ports.source import RevisionRequest
from tests.support import git_http, this_machine
from tests.support.git_http import Repository


async def refusal(source: GitSource, url: str, revision: str = "main") -> str:
    with pytest.raises(SourceError) as caught:
        await source.resolve(RevisionRequest(url, revision))
    assert "\n" not in str(caught.value)
    assert "canary" not in str(caught.value)
    return str(caught.value)


async def test_a_password_in_the_address_is_used_and_never_shown(
    shop: Repository, repositories: pathlib.Path, source: GitSource
) -> None:
    sha = shop.commit({"a.yaml": "1"})
    with git_http.serve(repositories, password="ada:can@ry") as server:
        url = server.url("shop", "ada:can%40ry")
        assert await source.resolve(RevisionRequest(url, "main")) == sha
        assert (await source.tree(url, sha, "")).read("a.yaml") == b"1"
        plain = server.url("shop")
        required = f"failed to list refs: authentication required: {plain} "
        for login in ("", "ada:canary-wrong"):
            assert (await refusal(source, server.url("shop", login))).startswith(required)
        assert "can%40ry" not in await refusal(source, url, "nope")
        with pytest.raises(SourceError, match="authentication required"):
            await source.tree(plain, sha, "")


async def test_the_password_is_not_in_the_arguments_of_git(
    shop: Repository, repositories: pathlib.Path, source: GitSource, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.commit({"a.yaml": "1"})
    seen: list[str] = []
    start = asyncio.create_subprocess_exec

    async def recording(*arguments: str, **options: object) -> object:
        seen.extend(arguments)
        return await start(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(asyncio, "create_subprocess_exec", recording)
    with git_http.serve(repositories, password="ada:canary") as server:
        await source.resolve(RevisionRequest(server.url("shop", "ada:canary"), "main"))
    assert seen[0] == "git"
    assert not [text for text in seen if "canary" in text]


async def test_repositories_that_do_not_answer(
    repositories: pathlib.Path, server: git_http.Server, source: GitSource
) -> None:
    missing = f"{repositories}/gone"
    not_found = "check repoURL; a private repository without credentials looks the same"
    assert await refusal(source, missing) == (f"failed to list refs: repository not found: {missing} ({not_found})")
    assert await refusal(source, server.url("gone")) == (
        f"failed to list refs: repository not found: {server.url('gone')} ({not_found})"
    )
    told = await refusal(source, "http://ada:canary@127.0.0.1:1/x.git")
    assert told.startswith("failed to list refs: Failed to connect to 127.0.0.1 port 1")
    assert told.endswith("(repository http://127.0.0.1:1/x.git)")
    assert (await refusal(source, "https://no-such-host.invalid/x")).startswith(
        "failed to list refs: Could not resolve host: no-such-host.invalid"
    )


@pytest.mark.parametrize(
    "url",
    [
        "",
        "-oProxyCommand=touch MARK",
        "--upload-pack=touch MARK",
        "ext::sh -c touch% MARK",
        "fd::17",
        "ftp://host/x",
        "git://host/x",
        "https://host/x\n--upload-pack=y",
        "https://host/x\0",
        " https://host/x",
        "ssh://-oProxyCommand=touch MARK/x",
        "ssh://-oX@host/x",
        "-x@host:path",
        "https://",
        "https://host:port/x",
        "relative/path",
        "../x",
        "file://host/x",
        "oci://host/x",
        "/etc",
        "file:///etc",
        "ALLOWED/../../outside",
        "ALLOWED/link",
    ],
)
async def test_addresses_that_never_reach_git(
    tmp_path: pathlib.Path, repositories: pathlib.Path, monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    async def never(*_arguments: object, **_options: object) -> bytes:
        raise AssertionError("git was started")

    monkeypatch.setattr(process, "run", never)
    (repositories / "link").symlink_to("/etc")
    source = GitSource(str(tmp_path / "cache"), local_folders=[str(repositories)], reach=this_machine.REACH)
    told = url.replace("MARK", str(tmp_path / "mark")).replace("ALLOWED", str(repositories))
    await refusal(source, told)
    with pytest.raises(SourceError):
        await source.tree(told, "0" * 40, "")


@pytest.mark.parametrize("revision", ["--upload-pack=x", "-x", "a\nb", "a\0b", "a b", "a..b", "main@{1}", "\x7f"])
async def test_revisions_that_never_reach_git(shop: Repository, source: GitSource, revision: str) -> None:
    shop.commit({"a.yaml": "1"})
    assert (await refusal(source, str(shop.folder), revision)).startswith("invalid revision ")
    with pytest.raises(SourceError, match="invalid revision"):
        await source.tree(str(shop.folder), revision, "")


async def test_local_repositories_are_refused_unless_allowed(shop: Repository, tmp_path: pathlib.Path) -> None:
    shop.commit({"a.yaml": "1"})
    told = await refusal(GitSource(str(tmp_path / "cache"), reach=this_machine.REACH), str(shop.folder))
    assert told == (
        f"repository not permitted: {shop.folder} is a local path "
        "(only repositories reached over https, http or ssh are allowed here; --local-repos FOLDER permits more)"
    )


async def test_a_repository_that_went_away_is_still_readable_at_known_commits(
    shop: Repository, source: GitSource
) -> None:
    sha = shop.commit({"a.yaml": "1"})
    await source.tree(str(shop.folder), sha, "")
    shutil.rmtree(shop.folder)
    assert (await source.tree(str(shop.folder), sha, "")).read("a.yaml") == b"1"
    assert (await refusal(source, str(shop.folder))).startswith("failed to list refs: repository not found")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("fatal: 'https://u:p@h/x' is bad", "fatal: 'https://h/x' is bad"),
        ("https://ghp_0123456789abcdefghij@github.com/x", "https://github.com/x"),
        ("https://u:p%40w@h and ssh://git@h/x", "https://h and ssh://h/x"),
        ("https://h/x?private_token=abc&y=1", "https://h/x?private_token=***&y=1"),
        ("Authorization: Bearer abcdefgh.ijkl", "Authorization: ***"),
        ("glpat-0123456789abcdefghij said no", "*** said no"),
        ("git@github.com:org/repo", "git@github.com:org/repo"),
        ("nothing here", "nothing here"),
    ],
)
def test_credentials_are_scrubbed(text: str, expected: str) -> None:
    assert scrub(text) == expected


def wait_for(path: pathlib.Path) -> None:
    while not path.exists() or not path.read_text():
        time.sleep(0.01)


def runs(pid: int) -> bool:
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def wait_until_gone(pid: int) -> None:
    """Wait until a process is gone; the test's own limit ends a wait in vain."""
    while runs(pid):
        time.sleep(0.01)


async def test_git_that_hangs_is_killed_with_its_children(tmp_path: pathlib.Path) -> None:
    alias = f"alias.hang=!sleep 30 & echo $! > {tmp_path}/pid; sleep 30"
    for seconds in (1, 10, 30):
        with pytest.raises(process.GitFailed, match=f"no answer within {seconds} seconds"):
            await process.run(("-c", alias, "hang"), limits=processes.ProcessLimits(seconds=seconds))
        # On a machine so busy that the child had not begun, there is nothing to see yet.
        if (tmp_path / "pid").exists():
            break
    await asyncio.to_thread(wait_until_gone, int((tmp_path / "pid").read_text()))


@pytest.mark.parametrize("limit", [1, 1000, 1_000_000])
async def test_git_that_prints_too_much_is_stopped(limit: int) -> None:
    async with asyncio.timeout(50):
        with pytest.raises(process.GitFailed, match=f"git printed more than {limit} bytes"):
            await process.run(("-c", "alias.talk=!yes; yes 1>&2", "talk"), limits=processes.ProcessLimits(output=limit))


async def test_git_whose_caller_goes_away_is_killed(tmp_path: pathlib.Path) -> None:
    alias = f"alias.hang=!echo $$ > {tmp_path}/pid; yes & yes 1>&2"
    running = asyncio.create_task(process.run(("-c", alias, "hang")))
    await asyncio.to_thread(wait_for, tmp_path / "pid")
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    await asyncio.to_thread(wait_until_gone, int((tmp_path / "pid").read_text()))


async def test_hooks_and_configuration_of_the_user_are_not_read(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".gitconfig").write_text("[user]\n\tname = canary\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("GIT_DIR", "/nonexistent")
    assert b"canary" not in await process.run(("config", "--list"))
