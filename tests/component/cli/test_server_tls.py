"""An API server over TLS, with a real certificate: who trusts it, what becomes of plain HTTP, and where it listens.

Security rows H2 (certificates are checked) and O1 (nothing listens for others, or answers without a login).
"""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import pathlib
import socket
import ssl
from collections.abc import Iterator

import pytest

from syncline import wiring
from syncline.server.access.certificates import served_certificate
from tests.support.certificates import Authority
from tests.support.installation import Installation, installed

pytestmark = pytest.mark.timeout(180)
LISTENS, LOOPBACK = "0A", "0100007F"


@pytest.fixture(scope="module")
def authority() -> Authority:
    return Authority()


@pytest.fixture(scope="module")
def served(authority: Authority, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    folder = tmp_path_factory.mktemp("tls")
    certificate, key = authority.server("127.0.0.1")
    (folder / "tls.crt").write_text(certificate)
    (folder / "tls.key").write_text(key)
    with installed(folder, served=True, pair=(str(folder / "tls.crt"), str(folder / "tls.key"))) as found:
        yield found


def test_a_client_that_trusts_the_authority_is_answered_over_tls(served: Installation, authority: Authority) -> None:
    host, _, port = served.server.partition(":")
    context = ssl.create_default_context(cadata=authority.certificate)
    connection = http.client.HTTPSConnection(host, int(port), context=context, timeout=30)
    connection.request("GET", "/api/version")
    answer = connection.getresponse()
    assert answer.status == 200
    answer.read()
    connection.close()


def test_the_command_line_checks_the_certificate_unless_told_not_to(
    served: Installation, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SYNCLINE_LOGINS", str(tmp_path / "logins"))
    login = ("login", served.server, "--username", "admin", "--password", served.password())
    answer = served.run_apart(*login)
    assert answer.code == 2
    assert "certificate" in answer.errors
    assert not (tmp_path / "logins").exists()
    assert served.run_apart(*login, "--insecure").code == 0
    assert served.run_apart("account", "list", "-o", "name").output == "admin\n"


def test_plain_http_gets_no_answer(served: Installation) -> None:
    host, _, port = served.server.partition(":")
    with socket.create_connection((host, int(port)), 30) as plain:
        plain.sendall(b"GET /api/version HTTP/1.1\r\nHost: localhost\r\n\r\n")
        plain.settimeout(30)
        try:
            received = plain.recv(1024)
        except ConnectionResetError:
            received = b""
    assert b"HTTP/" not in received
    assert b"Version" not in received


def listeners() -> set[tuple[str, int]]:
    """Return where this process listens, as the kernel tells it."""
    own = set()
    for link in pathlib.Path("/proc/self/fd").iterdir():
        with contextlib.suppress(OSError):
            own.add(str(link.readlink()))
    found = set()
    for table in ("tcp", "tcp6"):
        for line in pathlib.Path("/proc/self/net", table).read_text().splitlines()[1:]:
            cells = line.split()
            if cells[3] == LISTENS and f"socket:[{cells[9]}]" in own:
                address, _, port = cells[1].partition(":")
                found.add((address, int(port, 16)))
    return found


@pytest.mark.skipif(not pathlib.Path("/proc/self/net/tcp").exists(), reason="the kernel tells no listeners here")
def test_everything_that_listens_does_so_for_this_machine_alone(served: Installation) -> None:
    found = listeners()
    assert int(served.server.partition(":")[2]) in {port for _address, port in found}
    assert {address for address, _port in found} == {LOOPBACK}
    # The near miss: a listener for everybody is seen.
    with socket.socket() as open_to_all:
        open_to_all.bind(("0.0.0.0", 0))
        open_to_all.listen()
        assert {address for address, _port in listeners()} == {LOOPBACK, "00000000"}


def test_the_certificate_of_an_installation_is_found_where_argo_cd_keeps_it(
    served: Installation, authority: Authority
) -> None:
    async def read() -> object:
        async with wiring.connected(kubeconfig=str(served.kubeconfig)) as (cluster, _words):
            return await served_certificate(cluster, "argocd")

    assert asyncio.run(read()) is None
    certificate, key = authority.server("127.0.0.1")
    served.apply(
        {
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": {"name": "argocd-server-tls", "namespace": "argocd"},
            "type": "kubernetes.io/tls",
            "stringData": {"tls.crt": certificate, "tls.key": key},
        }
    )
    found = asyncio.run(read())
    assert getattr(found, "certificate", b"").decode() == certificate
    assert key not in repr(found)
