"""While a repository is fetched, no other program can read a secret: arguments and environments are searched."""

import base64
import contextlib
import os
import pathlib
import shutil
import sys
from collections.abc import Callable, Iterator

import pytest

from syncline.adapters.git.source import GitSource
from syncline.model.sources.access import SourceAccess
from syncline.model.sources.repository import Credentials, Repository, Way
from syncline.ports.source import RevisionRequest
from tests.support import git_http, git_ssh, http_proxy, socks_proxy
from tests.support.git_http import Repository as Shop

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="processes are listed in /proc")
BASIC = base64.b64encode(b"ada:canary").decode()
SECRETS = ("canary", BASIC, "PRIVATE KEY")


class Search:
    """What a look at all programs that we have started has found."""

    def __init__(self) -> None:
        self.looks = 0
        self.programs: set[str] = set()
        self.found: list[str] = []

    def look(self) -> None:
        """Read arguments and environment of every program, as others can."""
        self.looks += 1
        for process in _started():
            for name in ("cmdline", "environ"):
                with contextlib.suppress(OSError):
                    text = (process / name).read_bytes().decode("utf-8", "replace")
                    if name == "cmdline":
                        self.programs.add(pathlib.Path(text.partition("\0")[0]).name)
                    self.found += [f"{name} of {process.name}" for secret in SECRETS if secret in text]


def _started() -> list[pathlib.Path]:
    """Return the programs that were started by us, or by one of them."""
    parents: dict[int, int] = {}
    for process in pathlib.Path("/proc").iterdir():
        with contextlib.suppress(OSError, ValueError):
            # The name, in parentheses, may hold anything; the state and the parent follow it.
            parents[int(process.name)] = int((process / "stat").read_text().rpartition(")")[2].split()[1])
    ours = {os.getpid()}
    while more := {one for one, parent in parents.items() if parent in ours} - ours:
        ours |= more
    return [pathlib.Path(f"/proc/{one}") for one in ours - {os.getpid()}]


class Looking(list[str]):
    """A list that makes somebody look whenever something is written into it."""

    def __init__(self, look: Callable[[], None]) -> None:
        super().__init__()
        self._look = look

    def append(self, text: str) -> None:
        self._look()
        super().append(text)


@contextlib.contextmanager
def over_http(repositories: pathlib.Path, search: Search, kind: str) -> Iterator[tuple[str, SourceAccess]]:
    login = {"bearer": "canary"} if kind == "bearer" else {"password": "ada:canary"}
    credentials = (
        Credentials(bearer_token="canary") if kind == "bearer" else Credentials(username="ada", password="canary")
    )
    with git_http.serve(repositories, **login) as server, http_proxy.serve(password="ada:canary") as proxy:  # type: ignore[arg-type]
        server.requests = Looking(search.look)
        way = Way(proxy=f"http://ada:canary@127.0.0.1:{proxy.port}") if kind == "proxy" else Way()
        url = server.url("shop", login="ada:canary" if kind == "address" else "")
        known = () if kind == "address" else (Repository(url=url, credentials=credentials, way=way),)
        yield url, SourceAccess(repositories=known)


@contextlib.contextmanager
def over_ssh(repositories: pathlib.Path, search: Search) -> Iterator[tuple[str, SourceAccess]]:
    private, public = git_ssh.key_pair()
    with git_ssh.serve(repositories, [public]) as server, socks_proxy.serve(password="ada:canary") as proxy:
        server.commands = Looking(search.look)
        way = Way(proxy=f"socks5://ada:canary@127.0.0.1:{proxy.port}")
        repository = Repository(url=server.url("shop"), credentials=Credentials(ssh_private_key=private), way=way)
        yield server.url("shop"), SourceAccess(repositories=(repository,), known_hosts=server.known_hosts())


@pytest.mark.parametrize(
    ("kind", "program"),
    [
        ("password", "git-remote-http"),
        ("bearer", "git-remote-http"),
        ("proxy", "git-remote-http"),
        ("address", "git-remote-http"),
        ("ssh", "ssh"),
    ],
)
async def test_no_secret_is_in_arguments_or_environment_of_any_program(
    shop: Shop, repositories: pathlib.Path, source: GitSource, kind: str, program: str
) -> None:
    if shutil.which("ssh") is None and kind == "ssh":
        pytest.skip("the program ssh is not on this machine")
    sha = shop.commit({"a.yaml": "1"})
    search = Search()
    serving = over_ssh(repositories, search) if kind == "ssh" else over_http(repositories, search, kind)
    with serving as (url, access):
        source.use(access)
        assert await source.resolve(RevisionRequest(url, "main")) == sha
        assert (await source.tree(url, sha, "")).read("a.yaml") == b"1"
    assert search.looks >= 2
    assert any(name.startswith(program) for name in search.programs)
    assert search.found == []
