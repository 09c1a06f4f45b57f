"""Runs `syncline up` with its server, and Argo CD's own command line against it, for `tests.argocd.test_server_cli`."""

import base64
import contextlib
import dataclasses
import json
import os
import pathlib
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

from tests.argocd.build import Programs
from tests.argocd.harness import kubectl
from tests.argocd.test_harness import IDENTITY, eventually
from tests.real.cluster import free_ports, spawn, stop_all

PROGRAM = str(pathlib.Path(sys.executable).with_name("syncline"))
SETTINGS = "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: settings}}\ndata: {{colour: {colour}}}\n"
WEB = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
        - {name: main, image: busybox:1, command: [sh, -c, "echo hello from the shop; sleep 100000"]}
"""
SLOW = """\
apiVersion: batch/v1
kind: Job
metadata: {name: slow, annotations: {argocd.argoproj.io/hook: PreSync}}
spec:
  template:
    spec:
      restartPolicy: Never
      containers: [{name: main, image: busybox:1, command: [sleep, "100000"]}]
"""


class Cli:
    """The program `argocd`, with a folder of its own for what it remembers."""

    def __init__(self, programs: Programs, home: pathlib.Path) -> None:
        home.mkdir(exist_ok=True)
        self._program = str(programs.argocd)
        # Its socket for grpc-web lies in TMPDIR, and the path of a socket may not be long.
        self._environment = {"HOME": str(home), "PATH": os.environ["PATH"]}

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Return what a command said, and how it ended."""
        command = [self._program, *arguments]
        return subprocess.run(command, env=self._environment, capture_output=True, text=True, timeout=120)

    def text(self, *arguments: str) -> str:
        """Return what a command printed that went well."""
        done = self.run(*arguments)
        assert done.returncode == 0, f"{' '.join(arguments)}: {done.stdout}{done.stderr}"
        return done.stdout

    def json(self, *arguments: str) -> Any:
        """Return the JSON that a command printed."""
        return json.loads(self.text(*arguments, "-o", "json"))

    def first_line(self, *arguments: str) -> str:
        """Return the first line of a command that would go on for ever."""
        command = [self._program, *arguments]
        with subprocess.Popen(command, env=self._environment, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            line = process.stdout.readline()
            process.kill()
        return line

    def refused(self, *arguments: str) -> str:
        """Return what a command complained of."""
        done = self.run(*arguments)
        assert done.returncode != 0, done.stdout
        return done.stderr


@dataclasses.dataclass(frozen=True, slots=True)
class Shop:
    """A running Syncline: its repository, its cluster, its server."""

    folder: pathlib.Path
    address: str
    programs: Programs

    @property
    def kubeconfig(self) -> str:
        return str(self.folder / "data" / "kubeconfig")

    @property
    def repo(self) -> pathlib.Path:
        return self.folder / "repo"

    def commit(self, files: dict[str, str]) -> None:
        """Commit files."""
        for name, text in files.items():
            path = self.repo / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        for words in (("add", "-A"), (*IDENTITY, "commit", "-q", "-m", "next")):
            subprocess.run(["git", *words], cwd=self.repo, check=True)

    def commits(self) -> list[str]:
        """Return all commits, the newest first."""
        done = subprocess.run(["git", "rev-list", "HEAD"], cwd=self.repo, check=True, capture_output=True, text=True)
        return done.stdout.split()

    def kubectl(self, *words: str, stdin: str = "") -> str:
        return kubectl(self.kubeconfig, *words, stdin=stdin)

    def apps(self, *names: str) -> Any:
        """Return Applications as kubectl reads them."""
        return json.loads(
            self.kubectl("get", "applications", *names, "-n", "argocd", "-o", "json", "--show-managed-fields")
        )

    def password(self) -> str:
        """Return the first password of admin."""
        path = ("-n", "argocd", "-o", "jsonpath={.data.password}")
        return base64.b64decode(self.kubectl("get", "secret", "argocd-initial-admin-secret", *path)).decode()

    def cli(self, name: str) -> Cli:
        """Return the command line of somebody who has not signed in."""
        return Cli(self.programs, self.folder / name)


@contextlib.contextmanager
def running(folder: pathlib.Path, programs: Programs) -> Iterator[Shop]:
    """Run `syncline up` with the Applications shop and slow."""
    (port,) = free_ports(1)
    shop = Shop(folder, f"127.0.0.1:{port}", programs)
    shop.repo.mkdir(parents=True)
    subprocess.run(["git", "init", "-q", "-b", "main"], cwd=shop.repo, check=True)
    shop.commit({"shop/settings.yaml": SETTINGS.format(colour="blue"), "shop/web.yaml": WEB, "slow/job.yaml": SLOW})
    apps = [application("shop", shop.repo), application("slow", shop.repo)]
    (folder / "apps.yaml").write_text("\n---\n".join(json.dumps(one) for one in apps))
    up = [PROGRAM, "up", "--data", str(folder / "data"), "--apps", str(folder / "apps.yaml"), "--port", str(port)]
    process = spawn([*up, "--local-repos", str(shop.repo)], folder / "up.log")
    try:
        eventually((folder / "data" / "kubeconfig").exists, True)
        eventually(lambda: _status(shop, "shop"), "OutOfSync")
        yield shop
    finally:
        stop_all([process])


def _status(shop: Shop, name: str) -> str:
    path = ("-n", "argocd", "-o", "jsonpath={.status.sync.status}", "--ignore-not-found")
    try:
        return shop.kubectl("get", "application", name, *path)
    except AssertionError:
        return ""  # not served yet


def application(name: str, repo: pathlib.Path) -> dict[str, Any]:
    """Return an Application that waits to be synced."""
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {"name": name, "namespace": "argocd", "labels": {"tier": name}},
        "spec": {
            "project": "default",
            "source": {"repoURL": str(repo), "path": name, "targetRevision": "main"},
            "destination": {"server": "https://kubernetes.default.svc", "namespace": "default"},
            "info": [{"name": "owner", "value": "the shop"}],
            "syncPolicy": {"syncOptions": ["CreateNamespace=true"], "retry": {"limit": 0}},
            "ignoreDifferences": [{"kind": "ConfigMap", "jsonPointers": ["/data/unimportant"]}],
        },
    }


def bare(value: Any) -> Any:
    """Return a value without members that say nothing: Go leaves out some that are empty, and adds others."""
    if isinstance(value, dict):
        kept = {name: bare(member) for name, member in value.items()}
        return {name: member for name, member in kept.items() if member not in (None, "", 0, False, [], {})}
    return [bare(one) for one in value] if isinstance(value, list) else value
