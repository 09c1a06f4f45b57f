"""O1 and A3: nobody else can write what is rendered, what is changed on disk is noticed, and no other port is open."""

from __future__ import annotations

import contextlib
import pathlib
import stat
from collections.abc import Mapping
from typing import Any

from tests.hostile import oracle
from tests.hostile.client import Client
from tests.hostile.delivering import at_rest
from tests.hostile.installation import Installation, application, repository_secret
from tests.support import chart_server


def _listening(pid: int) -> set[tuple[str, int]]:
    """Return the addresses that a process and its children listen on."""
    inodes = set()
    for link in pathlib.Path(f"/proc/{pid}/fd").iterdir():
        # A connection may end while it is looked at.
        with contextlib.suppress(FileNotFoundError):
            inodes.add(link.readlink().name.removeprefix("socket:[").rstrip("]"))
    found = set()
    for name in ("tcp", "tcp6", "udp", "udp6"):
        for line in pathlib.Path(f"/proc/{pid}/net/{name}").read_text().splitlines()[1:]:
            words = line.split()
            # A socket that asks a resolver has an address at its other end, and takes nothing from others.
            takes_datagrams = name.startswith("udp") and words[2].endswith(":0000")
            if words[9] in inodes and (words[3] == "0A" or takes_datagrams):
                address, _, port = words[1].rpartition(":")
                found.add((address, int(port, 16)))
    return found


def test_processes_listen_on_loopback_and_on_their_own_ports_alone(installation: Installation) -> None:
    loopback = "0100007F"
    assert _listening(installation.processes["server"].pid) == {(loopback, installation.server_port)}
    assert _listening(installation.processes["controller"].pid) == {(loopback, installation.metrics_port)}


def test_metrics_port_serves_nothing_else(installation: Installation) -> None:
    client = Client(installation.metrics_port)
    assert client.get("/metrics").status == 200
    for path in ("/", "/api/v1/applications", "/debug/pprof", "/../etc/passwd", "/metrics/../api"):
        assert client.get(path).status in (404, 405), path


def test_folders_of_both_processes_are_for_one_user(installation: Installation, delivered: Mapping[str, Any]) -> None:
    """A3: what was checked cannot be swapped, since nobody else can enter where it lies."""
    for name in ("controller", "server"):
        cache = installation.folder / name / "cache"
        folders = [path for path in (cache / "syncline", *cache.glob("syncline/*")) if path.is_dir()]
        assert len(folders) > 1, "nothing is cached: this test looks at nothing"
        for folder in folders:
            assert stat.S_IMODE(folder.stat().st_mode) & 0o077 == 0, folder


def test_archive_that_was_changed_on_disk_is_not_used(installation: Installation) -> None:
    """A poisoned cache entry is noticed by its digest, and fetched again or refused."""
    folder = installation.folder / "charts" / "o1"
    folder.mkdir()
    chart_server.package(
        folder,
        "web",
        "1.0.0",
        {"templates/config.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: genuine}\n"},
    )
    chart_server.index(folder)
    url = f"{installation.charts.url}/o1"
    installation.apply(repository_secret("o1", url, type="helm", project="open-a"))
    source = {"path": None, "chart": "web", "targetRevision": "1.0.0"}
    namespace = installation.target("team-a-o1")
    installation.create(application("o1-first", "open-a", url, "", namespace, source=source))
    assert oracle.verdict(at_rest(installation, ["o1-first"])["o1-first"]) == "Synced"
    evil = installation.folder / "evil"
    evil.mkdir()
    packed = chart_server.package(
        evil, "web", "1.0.0", {"templates/config.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: poisoned}\n"}
    )
    kept = [
        path
        for path in (installation.folder / "controller" / "cache").rglob("*")
        if path.is_file() and path.read_bytes()[:2] == b"\x1f\x8b"
    ]
    assert kept, "no archive is kept: this test attacks nothing"
    for path in kept:
        path.chmod(0o600)
        path.write_bytes(packed.read_bytes())
    installation.restart("controller", kill=True)
    installation.create(
        application("o1-second", "open-a", url, "", namespace, source={**source, "helm": {"releaseName": "second"}})
    )
    at_rest(installation, ["o1-second"])
    assert installation.read("ConfigMap", "poisoned", namespace) is None
