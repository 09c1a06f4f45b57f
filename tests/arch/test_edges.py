"""Who in all of src opens files, sockets and addresses by itself, beside the one opener, downloader and address check.

`tests.arch.test_fetching` holds the readers of repositories to theirs; here is everybody else, each with a reason.
Programs are started in one place in all of src: `tests.arch.test_source_rules`.
"""

import ast
import pathlib
import re

import pytest

from tests.arch import source_rules

READERS = tuple(f"syncline/adapters/{room}/" for room in ("git", "charts", "render", "images"))
OPENERS = {"open", "fdopen", "read_bytes", "read_text", "scandir", "listdir", "iterdir", "glob", "rglob"}

# Each of these reads what the person at the keyboard, or the operator, has named or mounted; never what a repository
# names.
FILES = {
    "syncline/adapters/dumps.py": "the snapshot, or the folder of a dump, named on the command line",
    "syncline/adapters/customizations.py": "the folder of scripts that the operator names",
    "syncline/adapters/kube/config.py": "the token and certificate mounted into our own pod",
    "syncline/adapters/kube/credentials.py": "the token file that a kubeconfig names",
    "syncline/adapters/kube/aws.py": "the shared credentials file of AWS that the environment names",
    "syncline/adapters/kube/kubeconfig.py": "the kubeconfig and the certificates it names",
    "syncline/adapters/server_contexts.py": "the logins of this user",
    "syncline/cli/login/browser.py": "opens the browser, not files",
    "syncline/adapters/scripts/worker.py": "its own standard input and output",
    "syncline/adapters/repository_map.py": "syncline.toml, and what a sandbox was told",
    "syncline/adapters/store.py": "what was kept on disk, each checked against its digest",
    "syncline/cli/render/image_check.py": "the logins that container tools of this user keep",
    "syncline/cli/scenario/live.py": "lines that somebody types while a story is played",
    "syncline/cli/diagnose/command.py": "the older answer named on the command line",
    "syncline/cli/diagnose/patching.py": "files of the checkout at hand, below its top folder",
    "syncline/cli/repo/access_objects.py": "certificates and keys named on the command line",
    "syncline/cli/app/create.py": "the file named on the command line",
    "syncline/api/application_files.py": "files below a folder named on the command line",
    "syncline/cli/repo/credential_flags.py": "keys and certificates named on the command line",
    "syncline/cli/admin/diff_rules.py": "the file named on the command line",
    "syncline/api/build_options.py": "settings of the checkout at hand",
    "syncline/api/repository/files.py": "the files of the checkout that is checked",
    "syncline/api/repository/cluster_facts.py": "facts about clusters, in the checkout that is checked",
    "syncline/api/baselines.py": "the baseline named on the command line, or the one in the checkout",
    "syncline/api/fixing.py": "files of the checkout that is checked, below its top folder",
    "syncline/cli/ci/comment.py": "the preview named on the command line, and the summary that a pipeline names",
    "syncline/cli/ci/hosts.py": "the event that a pipeline names",
    "syncline/api/preview.py": "both sides of the checkout that is previewed, below their own folders",
    "syncline/cli/run/demo_breaks.py": "the repository that the demo has made",
    "syncline/server/connections/door.py": "a descriptor of nothing, to be given up where there are no others",
    "syncline/server/page_files.py": "the web page that comes with the program",
    "syncline/api/object_files.py": "files named on the command line",
    "syncline/cli/shadow/journal.py": "the recording named on the command line",
    "syncline/cli/app/spec_flags.py": "files named on the command line",
    "syncline/cli/run/app_files.py": "files named on the command line",
    "syncline/private_folders.py": "writes files for this user alone, and reads none",
    "syncline/enclosure.py": "pipes of programs, and the heads of helm and kubectl",
    "syncline/enclosure_warden.py": "who it is to the kernel, and the folders that programs are shut in with",
    "syncline/sandbox/cluster/file.py": "the description of a cluster named on the command line",
    "syncline/sandbox/store/journal.py": "the cluster's own folder",
    "syncline/sandbox/api/requests.py": "opens watches, not files",
    "syncline/sandbox/serving/tls.py": "the certificate it has just made",
    "syncline/wiring/sandboxes.py": "the behaviour named on the command line",
}
SOCKETS = {
    "syncline/adapters/auth/dex.py": "a Dex that the server has started, on the loopback address",
    "syncline/adapters/auth/loopback.py": "waits on this machine for the browser that comes back from a login",
    "syncline/adapters/git/tunnel.py": "carries ssh through the proxy of a repository Secret",
    "syncline/adapters/kube/http.py": "clusters, which operators name",
    "syncline/adapters/kube/tls.py": "clusters, which operators name",
    "syncline/adapters/notify/mail.py": "mail servers, which operators name",
    "syncline/net/downloads.py": "the one downloader",
    "syncline/enclosure.py": "a pair of sockets to its own warden",
    "syncline/enclosure_warden.py": "a pair of sockets to whoever started it",
    "syncline/net/proxies.py": "opens tunnels for the downloader",
    "syncline/sandbox/serving/streaming.py": "forwards ports to this machine, as the cluster file says",
    "syncline/sandbox/serving/tls.py": "serves",
    "syncline/sandbox/serving/webhooks.py": "webhooks on this machine, with TLS that their own authority vouches for",
    "syncline/server/app.py": "serves",
    "syncline/server/connections/door.py": "accepts what is served",
}
ADDRESSES = {
    "syncline/adapters/kube/proxies.py": "which proxy the environment names for a cluster",
    "syncline/cli/cluster/add.py": "the address of a cluster named on the command line",
    "syncline/net/urls.py": "the one check",
}
SPEAKS = re.compile(
    r"http\.client\..*|urllib\.request\..*|socket\.(socket|create_connection|socketpair)|ssl\.(create_default_context"
    r"|SSLContext|wrap_socket)|asyncio\.(open_connection|open_unix_connection|start_server|start_unix_server)"
    r"|aiohttp\.(ClientSession|TCPConnector|UnixConnector|request)|ftplib\..*|telnetlib\..*|requests\..*|httpx\..*"
)
READS_ADDRESSES = re.compile(r"urllib\.parse\.(urlsplit|urlparse|urljoin)")


def place(path: pathlib.Path) -> str:
    """Return a module as these tables name it."""
    return path.relative_to(source_rules.SOURCE).as_posix()


def reads_its_own_package(tree: ast.Module) -> bool:
    """Whether a module opens what was shipped with it, through importlib.resources."""
    return any(
        isinstance(node, ast.ImportFrom) and node.module in ("importlib", "importlib.resources.abc")
        for node in ast.walk(tree)
    )


def opens_files(tree: ast.Module) -> bool:
    """Whether a module opens files or lists folders."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            called = node.func
            if isinstance(called, ast.Name) and called.id == "open":
                return True
            if isinstance(called, ast.Attribute) and called.attr in OPENERS:
                return True
    return False


def test_files_are_opened_where_a_reason_is_given() -> None:
    found = set()
    for path in source_rules.modules():
        tree = source_rules.parsed(path)
        if not place(path).startswith(READERS) and opens_files(tree) and not reads_its_own_package(tree):
            found.add(place(path))
    assert sorted(found - set(FILES)) == []


@pytest.mark.parametrize(("pattern", "table"), [(SPEAKS, SOCKETS), (READS_ADDRESSES, ADDRESSES)])
def test_connections_and_addresses_are_handled_where_a_reason_is_given(
    pattern: re.Pattern[str], table: dict[str, str]
) -> None:
    found = set()
    for path in source_rules.modules():
        if any(pattern.fullmatch(name) for _line, name in source_rules.calls(source_rules.parsed(path))):
            found.add(place(path))
    assert sorted(found - set(table)) == []


@pytest.mark.parametrize(
    ("text", "opens"),
    [
        ("open('x')", True),
        ("import pathlib\npathlib.Path('x').read_bytes()", True),
        ("import os\nos.open('x', 0)", True),
        ("import os\nos.scandir('x')", True),
        ("tree.read('x')", False),
    ],
)
def test_the_rule_knows_how_files_are_opened(text: str, opens: bool) -> None:
    assert opens_files(ast.parse(text)) is opens
