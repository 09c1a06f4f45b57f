"""Argo CD's server and ours over one cluster, and a way to ask both the same.

The cluster is a sandbox, so that pods run, print and have Events. Argo CD delivers; `syncline server` only reads.
"""

import contextlib
import dataclasses
import json
import pathlib
import re
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

from tests.argocd import harness
from tests.argocd.answers import installation
from tests.argocd.build import Programs
from tests.argocd.harness import PASSWORD, ArgoCD, kubectl
from tests.argocd.test_harness import eventually
from tests.real.cluster import spawn, stop_all

_SERVING = re.compile(r"serving (http://\S+)")
_CONTROL = ("-n", harness.NAMESPACE)


@dataclasses.dataclass(frozen=True, slots=True)
class Answer:
    """What a server said: its status, and its JSON; of a stream the list of its lines."""

    status: int
    value: Any


@dataclasses.dataclass(slots=True)
class Both:
    """Two servers, and tokens of those who asked before."""

    argocd: ArgoCD
    ours: str
    url: str
    revision: str
    _tokens: dict[tuple[str, str], str] = dataclasses.field(default_factory=dict)

    @property
    def addresses(self) -> tuple[str, str]:
        """Theirs, then ours."""
        return self.argocd.server, self.ours

    def ask(self, path: str, who: str = "admin") -> tuple[Answer, Answer]:
        """Return what Argo CD and what Syncline answer to somebody; nobody is an empty name."""
        theirs, ours = (get(address + path, self.token(address, who)) for address in self.addresses)
        return theirs, ours

    def token(self, address: str, who: str) -> str:
        """Return a session of somebody at a server."""
        if who in ("", "with a bad token"):
            return "not-a-token" if who else ""
        if (address, who) not in self._tokens:
            body = json.dumps({"username": who, "password": PASSWORD}).encode()
            request = urllib.request.Request(f"{address}/api/v1/session", body, {"Content-Type": "application/json"})
            with urllib.request.urlopen(request, timeout=60) as answer:
                self._tokens[address, who] = str(json.load(answer)["token"])
        return self._tokens[address, who]


def get(address: str, token: str = "") -> Answer:
    """Ask for an address."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    try:
        with urllib.request.urlopen(urllib.request.Request(address, headers=headers), timeout=120) as answer:
            # A stream has no end: its first line is its answer.
            body = answer.readline() if "/v1/stream/" in address else answer.read()
            return Answer(answer.status, _decoded(body))
    except urllib.error.HTTPError as error:
        with error:
            return Answer(error.code, _decoded(error.read()))


def _decoded(body: bytes) -> Any:
    text = body.decode()
    try:
        return json.loads(text)
    except ValueError:
        lines = [line for line in text.splitlines() if line.strip()]
    try:
        return [json.loads(line) for line in lines]
    except ValueError:
        return text


@contextlib.contextmanager
def running(folder: pathlib.Path, programs: Programs) -> Iterator[Both]:
    """Run both servers over one cluster on which everything was delivered."""
    with contextlib.ExitStack() as stack:
        kubeconfig = stack.enter_context(_sandbox(folder))
        url = installation.repository(folder / "repo")
        argocd = stack.enter_context(
            harness.running(folder / "argocd", kubeconfig, programs, settings=installation.SETTINGS)
        )
        _give_passwords(kubeconfig)
        argocd.apply(installation.objects(url))
        _deliver(argocd)
        ours = stack.enter_context(_syncline(folder, kubeconfig))
        head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=folder / "repo", capture_output=True, check=True)
        yield Both(argocd, ours, url, head.stdout.decode().strip())
        assert argocd.ended() == []


@contextlib.contextmanager
def _sandbox(folder: pathlib.Path) -> Iterator[str]:
    kubeconfig = folder / "kubeconfig"
    process = spawn([_program(), "sandbox", "--write-kubeconfig", str(kubeconfig)], folder / "sandbox.log")
    try:
        eventually(kubeconfig.exists, True)
        yield str(kubeconfig)
    finally:
        stop_all([process])


@contextlib.contextmanager
def _syncline(folder: pathlib.Path, kubeconfig: str) -> Iterator[str]:
    log = folder / "syncline.log"
    repos = ("--local-repos", str(folder))
    process = spawn([_program(), "server", "--kubeconfig", kubeconfig, "--port", "0", *repos], log)
    try:
        eventually(lambda: bool(_SERVING.search(log.read_text())) or process.poll(), True)
        found = _SERVING.search(log.read_text())
        assert found, log.read_text()
        eventually(lambda: get(f"{found[1]}/readyz").status, 200)
        yield found[1]
    finally:
        stop_all([process])
        assert "Traceback" not in log.read_text(), log.read_text()


def _program() -> str:
    return str(pathlib.Path(sys.executable).with_name("syncline"))


def _give_passwords(kubeconfig: str) -> None:
    patch = json.dumps({"stringData": installation.accounts()})
    kubectl(kubeconfig, "patch", "secret", "argocd-secret", *_CONTROL, "-p", patch)


def _deliver(argocd: ArgoCD) -> None:
    """Wait until each Application is what it is going to be, and edit one by hand."""
    good = "Synced Healthy"
    for name in ("web", "kust", "green"):
        eventually(lambda name=name: _status(argocd, name), good)  # type: ignore[misc]
    eventually(lambda: _status(argocd, "drift"), "OutOfSync Healthy")
    objects = kubectl(argocd.kubeconfig, "get", "application", "drift", *_CONTROL, "-o", "json")
    tracked = {"argocd.argoproj.io/tracking-id": "drift:/ConfigMap:drift/settings"}
    assert json.loads(objects)["status"]["sync"]["status"] == "OutOfSync"
    metadata = {"name": "settings", "namespace": "drift", "annotations": tracked}
    argocd.apply([{"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"colour": "odd"}}])
    argocd.apply([{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "stray", "namespace": "drift"}}])
    argocd.apply([{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "stray", "namespace": "web"}}])
    eventually(lambda: _status(argocd, "drift"), "OutOfSync Healthy")
    eventually(lambda: _status(argocd, "broken"), "Unknown Healthy")


def _status(argocd: ArgoCD, name: str) -> str:
    path = "jsonpath={.status.sync.status} {.status.health.status}"
    return kubectl(argocd.kubeconfig, "get", "application", name, *_CONTROL, "--ignore-not-found", "-o", path)
