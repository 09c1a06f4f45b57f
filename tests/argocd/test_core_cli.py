"""Argo CD's own command line, without a server of its own (--core), reads what `syncline up` delivers."""

import json
import os
import pathlib
import subprocess
import sys
from collections.abc import Iterator

import pytest

from tests.argocd.build import Programs
from tests.argocd.harness import kubectl
from tests.argocd.test_harness import IDENTITY, eventually
from tests.real.cluster import spawn, stop_all

# Every command of `argocd --core` wants a ready repo-server before it does anything; `up` makes a pod in its place.
_IN_PLACE = ("pod", "-l", "app.kubernetes.io/name=argocd-repo-server", "-n", "argocd")
SETTINGS = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {colour: blue}\n"


class Cli:
    """The program `argocd --core`, with a kubeconfig whose namespace is Argo CD's."""

    def __init__(self, programs: Programs, folder: pathlib.Path, kubeconfig: pathlib.Path) -> None:
        self._program = str(programs.argocd)
        self._environment = {"HOME": str(folder), "KUBECONFIG": str(kubeconfig), "PATH": os.environ["PATH"]}

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [self._program, "--core", *arguments]
        return subprocess.run(command, env=self._environment, capture_output=True, text=True, check=False, timeout=300)


@pytest.fixture(scope="module")
def cli(tmp_path_factory: pytest.TempPathFactory, programs: Programs) -> Iterator[Cli]:
    folder = tmp_path_factory.mktemp("argocd-core")
    repo = folder / "repo"
    (repo / "app").mkdir(parents=True)
    (repo / "app" / "settings.yaml").write_text(SETTINGS)
    for words in (("init", "-q", "-b", "main"), ("add", "-A"), (*IDENTITY, "commit", "-q", "-m", "first")):
        subprocess.run(["git", *words], cwd=repo, check=True)
    app = {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {"name": "shop", "namespace": "argocd"},
        "spec": {
            "project": "default",
            "source": {"repoURL": str(repo), "path": "app", "targetRevision": "main"},
            "destination": {"server": "https://kubernetes.default.svc", "namespace": "default"},
            "syncPolicy": {"automated": {}},
        },
    }
    (folder / "app.yaml").write_text(json.dumps(app))
    program = str(pathlib.Path(sys.executable).with_name("syncline"))
    up = [program, "up", "--data", str(folder / "data"), "--apps", str(folder / "app.yaml")]
    running = spawn([*up, "--local-repos", str(repo)], folder / "up.log")
    kubeconfig = folder / "data" / "kubeconfig"
    try:
        eventually(kubeconfig.exists, True)
        path = ("-n", "argocd", "-o", "jsonpath={.status.sync.status}", "--ignore-not-found")
        eventually(lambda: _asked(str(kubeconfig), "get", "application", "shop", *path), "Synced")
        # An app may be Synced before the simulated kubelet has started that pod.
        kubectl(str(kubeconfig), "wait", "--for=condition=Ready", "--timeout=120s", *_IN_PLACE)
        kubectl(str(kubeconfig), "config", "set-context", "--current", "--namespace=argocd")
        yield Cli(programs, folder, kubeconfig)
    finally:
        stop_all([running])


def _asked(kubeconfig: str, *words: str) -> str:
    try:
        return kubectl(kubeconfig, *words)
    except (subprocess.CalledProcessError, AssertionError):
        return ""  # not served yet


def test_app_list_and_get_show_what_is_delivered(cli: Cli) -> None:
    listed = cli.run("app", "list", "-o", "json")
    assert listed.returncode == 0, listed.stderr
    assert [one["metadata"]["name"] for one in json.loads(listed.stdout)] == ["shop"]
    shown = cli.run("app", "get", "shop")
    assert shown.returncode == 0, shown.stderr
    assert "Sync Status:        Synced to main" in shown.stdout
    assert "Health Status:      Healthy" in shown.stdout


def test_a_refresh_by_argo_cd_is_done_by_syncline(cli: Cli) -> None:
    shown = cli.run("app", "get", "shop", "--refresh")
    assert shown.returncode == 0, shown.stderr
    assert "ConfigMap" in shown.stdout


def test_what_needs_a_repo_server_is_refused_and_not_made_up(cli: Cli) -> None:
    refused = cli.run("app", "sync", "shop")
    assert refused.returncode != 0
    assert "error resolving repo revision" in refused.stderr
