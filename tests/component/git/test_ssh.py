"""Repositories over ssh, with the machine's own ssh client and a real server: keys, host keys, and refusals."""

import pathlib
import shutil
from collections.abc import Iterator

import pytest

from syncline.adapters.git.source import GitSource
from syncline.model.errors import SourceError
from syncline.model.sources.access import SourceAccess
from syncline.model.sources.repository import Credentials, CredentialTemplate, Repository, Way
from syncline.ports.source import RevisionRequest
from tests.support import git_ssh
from tests.support.git_http import Repository as Shop

PLAIN = Way()
pytestmark = pytest.mark.skipif(shutil.which("ssh") is None, reason="the program ssh is not on this machine")


@pytest.fixture(scope="module")
def keys() -> tuple[str, str]:
    return git_ssh.key_pair()


@pytest.fixture
def ssh(repositories: pathlib.Path, keys: tuple[str, str]) -> Iterator[git_ssh.Server]:
    with git_ssh.serve(repositories, [keys[1]]) as running:
        yield running


def access(server: git_ssh.Server, key: str, *, known_hosts: str | None = None, way: Way = PLAIN) -> SourceAccess:
    repository = Repository(url=server.url("shop"), credentials=Credentials(ssh_private_key=key), way=way)
    hosts = server.known_hosts() if known_hosts is None else known_hosts
    return SourceAccess(repositories=(repository,), known_hosts=hosts)


def is_there(name: str) -> bool:
    return pathlib.Path(name).exists()


async def refusal(source: GitSource, url: str) -> str:
    with pytest.raises(SourceError) as caught:
        await source.resolve(RevisionRequest(url, "main"))
    assert "PRIVATE KEY" not in str(caught.value)
    return str(caught.value)


async def test_a_key_and_a_known_host_read_a_repository(
    shop: Shop, ssh: git_ssh.Server, keys: tuple[str, str], source: GitSource
) -> None:
    sha = shop.commit({"app/a.yaml": "1"})
    source.use(access(ssh, keys[0]))
    assert await source.resolve(RevisionRequest(ssh.url("shop"), "main")) == sha
    assert (await source.tree(ssh.url("shop"), sha, "app")).read("app/a.yaml") == b"1"
    assert {command.split()[0] for command in ssh.commands} == {"git-upload-pack"}


async def test_a_template_gives_its_key_to_all_repositories_below_it(
    shop: Shop, ssh: git_ssh.Server, keys: tuple[str, str], source: GitSource
) -> None:
    sha = shop.commit({"a.yaml": "1"})
    template = CredentialTemplate(
        url=f"ssh://git@127.0.0.1:{ssh.port}/", credentials=Credentials(ssh_private_key=keys[0])
    )
    source.use(SourceAccess(templates=(template,), known_hosts=ssh.known_hosts()))
    assert await source.resolve(RevisionRequest(ssh.url("shop"), "main")) == sha


async def test_a_host_nobody_knows_is_refused_before_the_key_is_offered(
    shop: Shop, ssh: git_ssh.Server, keys: tuple[str, str], source: GitSource
) -> None:
    shop.commit({"a.yaml": "1"})
    source.use(access(ssh, keys[0], known_hosts=""))
    told = await refusal(source, ssh.url("shop"))
    place = f"[127.0.0.1]:{ssh.port}"
    assert told == (
        "failed to list refs: ssh: handshake failed: knownhosts: key is unknown "
        f"(trust {place} with: ssh-keyscan -p {ssh.port} 127.0.0.1 | syncline cert add-ssh --batch)"
    )
    assert ssh.commands == []


async def test_a_host_with_another_key_than_the_known_one_is_refused(
    shop: Shop, ssh: git_ssh.Server, keys: tuple[str, str], source: GitSource
) -> None:
    shop.commit({"a.yaml": "1"})
    _, other = git_ssh.key_pair()
    source.use(access(ssh, keys[0], known_hosts=f"[127.0.0.1]:{ssh.port} {other}\n"))
    told = await refusal(source, ssh.url("shop"))
    assert told.startswith("failed to list refs: ssh: handshake failed: knownhosts: key mismatch ([127.0.0.1]:")


async def test_a_repository_may_ignore_host_keys(
    shop: Shop, ssh: git_ssh.Server, keys: tuple[str, str], source: GitSource
) -> None:
    sha = shop.commit({"a.yaml": "1"})
    source.use(access(ssh, keys[0], known_hosts="", way=Way(ignore_host_key=True)))
    assert await source.resolve(RevisionRequest(ssh.url("shop"), "main")) == sha


async def test_a_wrong_key_is_an_authentication_error(shop: Shop, ssh: git_ssh.Server, source: GitSource) -> None:
    shop.commit({"a.yaml": "1"})
    source.use(access(ssh, git_ssh.key_pair()[0]))
    assert (await refusal(source, ssh.url("shop"))).startswith("failed to list refs: authentication required: ssh://")


@pytest.mark.parametrize(
    ("proxy", "told"),
    [
        ("socks5://h$(touch canary):1080", "invalid proxy 'socks5://h$(touch canary):1080': "),
        ("socks5://ada:$(touch${IFS}canary)@127.0.0.1:1", "failed to list refs: the proxy cannot reach it: "),
    ],
)
async def test_a_proxy_never_becomes_a_command(
    ssh: git_ssh.Server, keys: tuple[str, str], source: GitSource, proxy: str, told: str
) -> None:
    source.use(access(ssh, keys[0], way=Way(proxy=proxy)))
    assert (await refusal(source, ssh.url("shop"))).startswith(told)
    assert not is_there("canary")
    assert ssh.commands == []
