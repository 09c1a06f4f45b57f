"""Half-sent requests by the hundred, and few descriptors: deliveries go on, and others are still answered (row L1)."""

from __future__ import annotations

import contextlib
import pathlib
import socket
import time
from collections.abc import Iterator

from tests.e2e.program import Machine, Running, until
from tests.e2e.test_up import CONFIG_MAP, write

DESCRIPTORS = 200
HALF_SENT = 400
HALF = b"GET /api/v1/applications HTTP/1.1\r\nHost: localhost\r\nX-Slow: "


def half_sent(port: int) -> socket.socket:
    client = socket.create_connection(("127.0.0.1", port), timeout=5)
    with contextlib.suppress(OSError):
        client.sendall(HALF)
    client.setblocking(False)
    return client


def is_open(client: socket.socket) -> bool:
    """Whether the server neither said anything nor hung up."""
    try:
        client.recv(1)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


def asked(port: int, source: str, path: str = "/healthz") -> tuple[str, float]:
    """Return the status line that a client of another address gets, and after how many seconds."""
    begun = time.monotonic()
    with socket.create_connection(("127.0.0.1", port), timeout=10, source_address=(source, 0)) as client:
        client.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
        told = client.recv(1000)
    return told.split(b"\r\n")[0].decode(), time.monotonic() - begun


@contextlib.contextmanager
def flooded(port: int) -> Iterator[list[socket.socket]]:
    clients = [half_sent(port) for _ in range(HALF_SENT)]
    try:
        yield clients
    finally:
        for client in clients:
            client.close()


def commit(machine: Machine, folder: pathlib.Path, colour: str) -> None:
    (folder / "deploy").mkdir(parents=True, exist_ok=True)
    (folder / "deploy/settings.yaml").write_text(CONFIG_MAP.replace("blue", colour))
    identity = ("-c", "user.name=Ada", "-c", "user.email=ada@example.invalid")
    for arguments in (["init", "-q", "-b", "main"], ["add", "."], [*identity, "commit", "-q", "-m", colour]):
        assert machine.run("git", "-C", folder, *arguments).code == 0


def colour_of(machine: Machine, kubeconfig: pathlib.Path) -> str:
    where = ("get", "configmap", "settings", "-n", "shop", "-o", "jsonpath={.data.colour}")
    return machine.kubectl(kubeconfig, *where).out


def port_of(running: Running) -> int:
    return int(running.says(r"http://127\.0\.0\.1:(\d+)/").group(1))


def test_half_sent_requests_stop_neither_deliveries_nor_answers_and_fill_no_log(
    machine: Machine, tmp_path: pathlib.Path
) -> None:
    commit(machine, tmp_path / "repos/shop", "blue")
    apps = write(tmp_path / "apps", "shop", repository=tmp_path / "repos/shop", path="deploy", revision="main")
    arguments = ("up", "--apps", apps, "--local-repos", tmp_path / "repos", "--data", tmp_path / "data")
    kubeconfig = tmp_path / "data/kubeconfig"
    with machine.running(*arguments, "--port", "0", "--refresh", "1", descriptors=DESCRIPTORS) as running:
        port = port_of(running)
        until(lambda: colour_of(machine, kubeconfig) == "blue" or None, lambda: running.out + running.err)
        with flooded(port) as clients:
            # One address has a quarter of half of all.
            until(lambda: sum(map(is_open, clients)) <= DESCRIPTORS // 8 or None, lambda: "too many were let in")
            assert any(map(is_open, clients))
            for source in ("127.0.0.2", "127.0.0.3"):
                line, seconds = asked(port, source)
                assert line.endswith("200 OK"), line
                assert seconds < 10
            commit(machine, tmp_path / "repos/shop", "green")
            until(lambda: colour_of(machine, kubeconfig) == "green" or None, lambda: running.out + running.err)
            # Nobody is let in for ever: the time for a head is over.
            until(lambda: not any(map(is_open, clients)) or None, lambda: "some are still open")
        assert asked(port, "127.0.0.1")[0].endswith("200 OK")
        assert len((running.out + running.err).splitlines()) < 60
        assert "Traceback" not in running.err
        assert "Too many open files" not in running.err
        assert running.interrupt() == 130
