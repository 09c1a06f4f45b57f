"""Nothing goes around the one check of addresses, the one downloader and the one starter of git."""

import ast
import re

import pytest

from tests.arch import source_rules

# Sockets and HTTP: downloads of sources here; clusters, the sandbox and the page have their own, checked by the layers.
SPEAKS = re.compile(
    r"http\.client\..*|urllib\.request\..*|socket\.(socket|create_connection|socketpair)|ssl\.(create_default_context"
    r"|SSLContext|wrap_socket)|asyncio\.(open_connection|open_unix_connection)|ftplib\..*|telnetlib\..*|requests\..*"
    r"|httpx\..*"
)
# Pairs of sockets between the program and its own warden: they lead nowhere else.
MAIL = "syncline/adapters/notify/mail.py"
DEX = "syncline/adapters/auth/dex.py"  # a child of the server, on the loopback address
BETWEEN_OURSELVES = {"syncline/enclosure.py", "syncline/enclosure_warden.py"}
READS_ADDRESSES = re.compile(r"urllib\.parse\.(urlsplit|urlparse|urljoin)")
STARTS_GIT = re.compile(r"syncline\.adapters\.git\.process\.run")
FETCHES = re.compile(r"syncline\.downloads\.fetch")
ELSEWHERE = ("syncline/adapters/kube/", "syncline/sandbox/", "syncline/server/", "syncline/cli/cluster")


def callers(pattern: re.Pattern[str]) -> set[str]:
    """Return the modules of src that call something, or hand it on."""
    found = set()
    for path in source_rules.modules():
        place = path.relative_to(source_rules.SOURCE).as_posix()
        tree = source_rules.parsed(path)
        if not place.startswith(ELSEWHERE) and any(pattern.fullmatch(name) for _, name in source_rules.calls(tree)):
            found.add(place)
    return found


@pytest.mark.parametrize(
    ("pattern", "places"),
    [
        (SPEAKS, {"syncline/net/downloads.py", MAIL, DEX, *BETWEEN_OURSELVES}),
        (READS_ADDRESSES, {"syncline/net/urls.py"}),
        (
            STARTS_GIT,
            {
                "syncline/adapters/git/remote.py",
                "syncline/adapters/git/cache.py",
                "syncline/adapters/git/exports.py",
                "syncline/adapters/git/history.py",
            },
        ),
        (
            FETCHES,
            {
                "syncline/adapters/charts/helm.py",
                "syncline/adapters/git/remote.py",
                "syncline/adapters/git/large_files.py",
                "syncline/adapters/git/token_requests.py",
                "syncline/adapters/render/remote_files.py",
                "syncline/net/registries.py",
            },
        ),
    ],
)
def test_one_place_does_each_thing(pattern: re.Pattern[str], places: set[str]) -> None:
    assert callers(pattern) <= places


# Files of a repository are blobs of a commit, members of an archive in memory, or files of a folder opened step by step
# without following links; a render reads back what it wrote itself. The rest are the operator's own files and caches.
OPENS_FILES = {
    "syncline/adapters/charts/source.py": "archives it keeps, each checked against its digest",
    "syncline/adapters/git/cache.py": "the name of a branch in its own cache",
    "syncline/adapters/git/cloud_identities.py": "the token that Azure lays into a pod",
    "syncline/adapters/git/folder_lock.py": "the lock of its own cache",
    "syncline/adapters/git/history.py": "the commits at which its own cache is cut off",
    "syncline/adapters/git/large_files.py": "objects it keeps, each checked against its digest",
    "syncline/adapters/git/tunnel.py": "the proxy that we wrote down for it",
    "syncline/adapters/render/found.py": "what programs said of their versions, in its own cache",
    "syncline/adapters/render/folder.py": "the one opener of a folder's files",
    "syncline/adapters/render/known_files.py": "lists folders for that opener, and opens nothing",
    "syncline/adapters/render/workspace.py": "what a render wrote itself",
    "syncline/adapters/render/jsonnet/worker.py": "the copy that its own process is shut in",
    "syncline/adapters/render/pins.py": "syncline.toml",
    "syncline/adapters/render/plugins/specs.py": "the operator's plugins",
}
OPENERS = {"open", "fdopen", "read_bytes", "read_text", "scandir", "listdir", "walk", "iterdir", "glob", "rglob"}
IN_MEMORY = {"tarfile", "gzip", "archive", "workspace"}


def opens_files(tree: ast.Module) -> bool:
    """Whether a module opens files or lists folders of this machine."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            called = node.func
            if isinstance(called, ast.Name) and called.id == "open":
                return True
            owner = called.value.id if isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name) else ""
            if isinstance(called, ast.Attribute) and called.attr in OPENERS and owner not in IN_MEMORY:
                return True
    return False


def test_files_of_repositories_are_opened_in_one_place() -> None:
    found = set()
    for room in ("git", "charts", "render", "images"):
        for path in source_rules.modules(source_rules.SOURCE / "syncline/adapters" / room):
            if opens_files(source_rules.parsed(path)):
                found.add(path.relative_to(source_rules.SOURCE).as_posix())
    assert found == set(OPENS_FILES)


@pytest.mark.parametrize(
    ("text", "opens"),
    [
        ("open('x')", True),
        ("import pathlib\npathlib.Path('x').read_bytes()", True),
        ("import os\nos.open('x', 0)", True),
        ("import tarfile\ntarfile.open(fileobj=x)", False),
        ("tree.read('x')", False),
    ],
)
def test_the_rule_on_files_knows_how_they_are_opened(text: str, opens: bool) -> None:
    assert opens_files(ast.parse(text)) is opens


def test_every_download_is_checked_on_its_connection() -> None:
    tree = ast.parse((source_rules.SOURCE / "syncline/net/downloads.py").read_text())
    connecting = [
        function
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef)
        and any(isinstance(node, ast.Attribute) and node.attr == "connect" for node in ast.walk(function))
    ]
    assert [function.name for function in connecting] == ["_connect"]
    assert any(isinstance(node, ast.Attribute) and node.attr == "refusal" for node in ast.walk(connecting[0]))


def test_the_one_command_of_a_proxy_is_our_own_program() -> None:
    naming = [path for path in source_rules.modules() if "ProxyCommand" in path.read_text()]
    assert [path.name for path in naming] == ["login.py", "tunnel.py"]
    tree = ast.parse(naming[0].read_text())
    words = next(
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id == "words"
    )
    assert ast.unparse(words) == "(sys.executable, '-P', '-m', 'syncline.adapters.git.tunnel', place)"
