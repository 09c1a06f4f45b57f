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
READS_ADDRESSES = re.compile(r"urllib\.parse\.(urlsplit|urlparse|urljoin)")
STARTS_GIT = re.compile(r"syncline\.adapters\.git\.process\.run")
FETCHES = re.compile(r"syncline\.downloads\.fetch")
ELSEWHERE = ("syncline/adapters/kube/", "syncline/sandbox/", "syncline/server/", "syncline/cli/cluster")


def callers(pattern: re.Pattern[str]) -> set[str]:
    """Return the modules of src that call something, or hand it on."""
    found = set()
    for path in source_rules.modules():
        place = path.relative_to(source_rules.SOURCE).as_posix()
        tree = ast.parse(path.read_text())
        if not place.startswith(ELSEWHERE) and any(pattern.fullmatch(name) for _, name in source_rules.calls(tree)):
            found.add(place)
    return found


@pytest.mark.parametrize(
    ("pattern", "places"),
    [
        (SPEAKS, {"syncline/downloads.py"}),
        (READS_ADDRESSES, {"syncline/urls.py"}),
        (STARTS_GIT, {"syncline/adapters/git/remote.py", "syncline/adapters/git/cache.py"}),
        (
            FETCHES,
            {
                "syncline/adapters/charts/helm.py",
                "syncline/adapters/git/remote.py",
                "syncline/adapters/git/tokens.py",
                "syncline/registries.py",
            },
        ),
    ],
)
def test_one_place_does_each_thing(pattern: re.Pattern[str], places: set[str]) -> None:
    assert callers(pattern) <= places


def test_every_download_is_checked_on_its_connection() -> None:
    tree = ast.parse((source_rules.SOURCE / "syncline/downloads.py").read_text())
    connecting = [
        function
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef)
        and any(isinstance(node, ast.Attribute) and node.attr == "connect" for node in ast.walk(function))
    ]
    assert [function.name for function in connecting] == ["_connect"]
    assert any(isinstance(node, ast.Attribute) and node.attr == "refusal" for node in ast.walk(connecting[0]))


def test_no_proxy_becomes_a_command() -> None:
    named = [str(path) for path in source_rules.modules() if "ProxyCommand" in path.read_text()]
    assert named == []
