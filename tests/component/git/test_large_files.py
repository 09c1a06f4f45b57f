"""Files that a repository keeps in Git LFS: fetched with its credentials where it says so, checked, never leaked."""

import json
import pathlib
import shutil

import pytest

from syncline.adapters.git import large_files
from syncline.adapters.git.large_files import Pointer
from syncline.adapters.git.source import GitSource
from syncline.model.errors import SourceError
from syncline.model.sources.access import SourceAccess
from syncline.model.sources.repository import Credentials, Repository, Way
from syncline.net import urls
from tests.support import git_http, git_ssh
from tests.support.git_http import Repository as Shop

LOGIN = Credentials(username="ada", password="canary")
LARGE = Way(lfs=True)


def access(url: str, *more: Repository, credentials: Credentials = LOGIN, way: Way = LARGE) -> SourceAccess:
    return SourceAccess(repositories=(Repository(url=url, credentials=credentials, way=way, secret="one"), *more))


async def refusal(source: GitSource, url: str, sha: str) -> str:
    tree = await source.tree(url, sha, "")
    with pytest.raises(SourceError) as caught:
        tree.read("big.yaml")
    assert "canary" not in str(caught.value)
    assert "\n" not in str(caught.value)
    assert caught.value.what.startswith("big.yaml: the large file (Git LFS) it points to cannot be fetched: ")
    return caught.value.what.partition("cannot be fetched: ")[2]


async def test_large_files_come_in_one_batch_with_the_repositorys_login(
    shop: Shop, repositories: pathlib.Path, source: GitSource
) -> None:
    with git_http.serve(repositories, password="ada:canary") as server:
        url = server.url("shop")
        files = {f"app/{name}.yaml": server.keep(f"kind: {name}\n".encode()) for name in "abc"}
        sha = shop.commit({**files, "app/plain.yaml": "kind: plain\n"})
        source.use(access(url, way=Way()))
        pointer = (await source.tree(url, sha, "app")).read("app/a.yaml")
        assert pointer.startswith(b"version https://git-lfs.github.com/spec/v1\n")
        source.use(access(url))
        for _ in range(2):
            tree = await source.tree(url, sha, "app")
            contents = {file.path: tree.read(file.path) for file in tree.files()}
            assert contents == {
                "app/a.yaml": b"kind: a\n",
                "app/b.yaml": b"kind: b\n",
                "app/c.yaml": b"kind: c\n",
                "app/plain.yaml": b"kind: plain\n",
            }
        asked = [line for line in server.requests if "/large/" in line or "/lfs/" in line]
        assert len(asked) == 4
        assert asked[0] == "POST /shop/.git/info/lfs/objects/batch"


async def test_who_may_not_read_a_repository_gets_nothing_of_its_large_files(
    shop: Shop, repositories: pathlib.Path, source: GitSource
) -> None:
    with (
        git_http.serve(repositories, password="ada:canary") as server,
        git_http.serve(repositories) as other,
    ):
        sha = shop.commit({"big.yaml": server.keep(b"canary")})
        source.use(access(server.url("shop"), Repository(url=other.url("shop"), way=LARGE)))
        assert (await source.tree(server.url("shop"), sha, "")).read("big.yaml") == b"canary"
        assert await refusal(source, other.url("shop"), sha) == "the server does not have it"


async def test_a_login_is_not_sent_to_where_the_server_sends_us(
    shop: Shop, repositories: pathlib.Path, source: GitSource
) -> None:
    with git_http.serve(repositories, password="ada:canary") as server, git_http.serve(repositories) as storage:
        sha = shop.commit({"big.yaml": server.keep(b"large")})
        storage.keep(b"large")
        server.large_place = f"http://127.0.0.1:{storage.port}"
        source.use(access(server.url("shop")))
        assert (await source.tree(server.url("shop"), sha, "")).read("big.yaml") == b"large"
        assert storage.logins == [""]


@pytest.mark.parametrize(
    ("place", "told"),
    [
        ("http://169.254.169.254", "is refused: 169.254.169.254 resolves to 169.254.169.254, which is not a "),
        ("file:///etc", "its scheme is not one of http, https"),
        ("http://127.0.0.1:1", "did not answer: "),
    ],
)
async def test_a_place_that_is_none_is_not_asked(
    shop: Shop, repositories: pathlib.Path, source: GitSource, place: str, told: str
) -> None:
    with git_http.serve(repositories) as server:
        sha = shop.commit({"big.yaml": server.keep(b"large")})
        server.large_place = place
        source.use(access(server.url("shop")))
        assert told in await refusal(source, server.url("shop"), sha)


@pytest.mark.parametrize("sent", [b"", b"other", b"largE", b"larger"])
async def test_other_content_than_the_pointer_says_is_refused(
    shop: Shop, server: git_http.Server, source: GitSource, sent: bytes
) -> None:
    pointer = server.keep(b"large")
    sha = shop.commit({"big.yaml": pointer})
    server.large[next(iter(server.large))] = sent
    source.use(access(server.url("shop")))
    told = await refusal(source, server.url("shop"), sha)
    assert told == "the content does not match the pointer" or told.endswith("is larger than 5 bytes")


async def test_a_file_that_is_too_large_is_not_asked_for(
    shop: Shop, server: git_http.Server, source: GitSource
) -> None:
    pointer = server.keep(b"large").replace("size 5", f"size {65 * 1024 * 1024}")
    sha = shop.commit({"big.yaml": pointer})
    source.use(access(server.url("shop")))
    assert await refusal(source, server.url("shop"), sha) == "it has 68157440 bytes, more than 67108864"
    assert not [line for line in server.requests if "lfs" in line]


async def test_a_wrong_login_and_a_server_without_lfs_are_said(
    shop: Shop, repositories: pathlib.Path, source: GitSource
) -> None:
    with git_http.serve(repositories) as server:
        sha = shop.commit({"big.yaml": server.keep(b"large")})
        source.use(access(server.url("shop")))
        server.moved["/shop/.git/info/lfs"] = "/nowhere"
        told = await refusal(source, server.url("shop"), sha)
        assert told == f"{server.url('shop')}/info/lfs/objects/batch: the server has no Git LFS"


async def test_a_repository_names_only_servers_of_its_own_host_or_permitted_ones(
    shop: Shop, repositories: pathlib.Path, source: GitSource
) -> None:
    with git_http.serve(repositories) as server, git_http.serve(repositories, password="bob:canary") as other:
        elsewhere = f"http://127.0.0.1:{other.port}/shop/.git/info/lfs"
        pointer = other.keep(b"large")
        sha = shop.commit({"big.yaml": pointer, ".lfsconfig": f"[core]\n\turl = x\n[lfs]\n\turl = {elsewhere}\n"})
        source.use(access(server.url("shop")))
        told = await refusal(source, server.url("shop"), sha)
        assert told == (
            f".lfsconfig points to 127.0.0.1, which is not permitted (add a repository Secret for {elsewhere} to "
            "permit it)"
        )
        assert other.requests == []
        permitted = Repository(url=elsewhere, credentials=Credentials(username="bob", password="canary"), secret="two")
        source.use(access(server.url("shop"), permitted))
        assert (await source.tree(server.url("shop"), sha, "")).read("big.yaml") == b"large"
        own = f"http://127.0.0.1:{server.port}/other/.git/info/lfs"
        server.keep(b"large")
        sha = shop.commit({".lfsconfig": f'[lfs]\n\turl = "{own}"\n', "big.yaml": server.keep(b"again")})
        assert (await source.tree(server.url("shop"), sha, "")).read("big.yaml") == b"again"
        assert "POST /other/.git/info/lfs/objects/batch" in server.requests


async def test_an_ssh_server_says_where_its_large_files_are(
    shop: Shop, repositories: pathlib.Path, source: GitSource
) -> None:
    if shutil.which("ssh") is None:
        pytest.skip("the program ssh is not on this machine")
    private, public = git_ssh.key_pair()
    with git_ssh.serve(repositories, [public]) as ssh, git_http.serve(repositories, bearer="canary.pass") as server:
        sha = shop.commit({"big.yaml": server.keep(b"large")})
        answer = {
            "href": f"http://127.0.0.1:{server.port}/shop/.git/info/lfs",
            "header": {"Authorization": "Bearer canary.pass"},
        }
        url = ssh.url("shop")
        hosts = ssh.known_hosts()
        known = access(url, credentials=Credentials(ssh_private_key=private))
        source.use(SourceAccess(repositories=known.repositories, known_hosts=hosts))
        ssh.answers["git-lfs-authenticate"] = b"nothing"
        assert await refusal(source, url, sha) == "127.0.0.1 does not report its Git LFS endpoint"
        ssh.answers["git-lfs-authenticate"] = json.dumps(answer).encode()
        assert (await source.tree(url, sha, "")).read("big.yaml") == b"large"
        assert ssh.commands[-1] == "git-lfs-authenticate /shop/.git download"


async def test_the_own_machine_is_asked_only_where_that_is_allowed(
    shop: Shop, repositories: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    source = GitSource(str(tmp_path / "cache"), reach=urls.Reach(loopback=False))
    with git_http.serve(repositories) as server:
        sha = shop.commit({"big.yaml": server.keep(b"large")})
        server.large_place = f"http://localhost:{server.port}"
        source.use(access(server.url("shop")))
        assert "localhost is this machine" in await refusal(source, server.url("shop"), sha)


DIGEST = "0123456789abcdef" * 4
HEAD = "version https://git-lfs.github.com/spec/v1\n"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (f"{HEAD}oid sha256:{DIGEST}\nsize 12\n", Pointer(DIGEST, 12)),
        (f"{HEAD}ext-0-case sha256:{DIGEST}\noid sha256:{DIGEST}\nsize 12\n", Pointer(DIGEST, 12)),
        (f"{HEAD}oid sha256:{DIGEST}\nsize 12\nmore: 1\n", None),
        (f"{HEAD}oid md5:{DIGEST}\nsize 12\n", None),
        (f"{HEAD}oid sha256:../{DIGEST}\nsize 12\n", None),
        (f"{HEAD}oid sha256:{DIGEST}\nsize -1\n", None),
        (f"# {HEAD}oid sha256:{DIGEST}\nsize 12\n", None),
        ("kind: ConfigMap\n", None),
        ("", None),
    ],
)
def test_a_pointer_is_known_by_its_form(text: str, found: Pointer | None) -> None:
    assert large_files.pointer(text.encode()) == found
