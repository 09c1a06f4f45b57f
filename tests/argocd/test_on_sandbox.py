"""The real Argo CD works on the sandbox as on any cluster, and finds nothing to complain about."""

import json
import pathlib
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import pytest

from tests.argocd import harness
from tests.argocd.build import Programs
from tests.argocd.harness import ArgoCD, kubectl
from tests.argocd.test_harness import IDENTITY, eventually
from tests.real.cluster import spawn, stop_all

CONTROL = ("-n", "argocd")
HELM = {
    "Chart.yaml": "apiVersion: v2\nname: charted\nversion: 1.0.0\n",
    "values.yaml": "colour: blue\n",
    "templates/settings.yaml": (
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: charted}\ndata: {colour: '{{ .Values.colour }}'}\n"
    ),
}
CONTAINER = "containers: [{name: main, image: nginx:1.27}]"
PLAIN = {
    "settings.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {colour: blue}\n",
    "extra.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: extra}\ndata: {colour: red}\n",
    "web.yaml": (
        "apiVersion: apps/v1\nkind: Deployment\n"
        "metadata: {name: web, annotations: {argocd.argoproj.io/sync-wave: '1'}}\n"
        "spec:\n  replicas: 2\n  selector: {matchLabels: {app: web}}\n"
        f"  template: {{metadata: {{labels: {{app: web}}}}, spec: {{{CONTAINER}}}}}\n"
    ),
    "before.yaml": (
        "apiVersion: batch/v1\nkind: Job\nmetadata: {name: before, annotations: {argocd.argoproj.io/hook: PreSync}}\n"
        f"spec: {{template: {{spec: {{restartPolicy: Never, {CONTAINER.replace('nginx:1.27', 'busybox:1')}}}}}}}\n"
    ),
}


class Repo:
    """A Git repository that Argo CD reads."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.url = f"file://{folder}"
        self._folder = folder
        folder.mkdir(parents=True)
        self._git("init", "-q", "-b", "main")

    def commit(self, files: dict[str, str | None]) -> None:
        for name, text in files.items():
            path = self._folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.unlink() if text is None else path.write_text(text)
        self._git("add", "-A")
        self._git(*IDENTITY, "commit", "-q", "-m", "next")

    def _git(self, *arguments: str) -> None:
        subprocess.run(["git", *arguments], cwd=self._folder, check=True)


@pytest.fixture(scope="module")
def repo(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    made = Repo(tmp_path_factory.mktemp("argocd-git") / "repo")
    made.commit({f"plain/{name}": text for name, text in PLAIN.items()})
    made.commit({f"chart/{name}": text for name, text in HELM.items()})
    return made


@pytest.fixture(scope="module")
def argocd(tmp_path_factory: pytest.TempPathFactory, programs: Programs, repo: Repo) -> Iterator[ArgoCD]:
    folder = tmp_path_factory.mktemp("argocd-on-sandbox")
    kubeconfig = folder / "kubeconfig"
    sandbox = spawn(
        [str(pathlib.Path(sys.executable).with_name("syncline")), "sandbox", "--write-kubeconfig", str(kubeconfig)],
        folder / "sandbox.log",
    )
    try:
        eventually(kubeconfig.exists, True)
        with harness.running(folder / "argocd", str(kubeconfig), programs) as running:
            everything = [harness.repository("first", repo.url), _apps(repo.url)]
            running.apply(everything)
            yield running
            assert running.ended() == []
    finally:
        stop_all([sandbox])


def _apps(url: str) -> dict[str, Any]:
    """Return an ApplicationSet with three ways of delivery."""
    elements = [
        {"name": "plain", "path": "plain", "apply": "ServerSideApply=false"},
        {"name": "server-side", "path": "plain", "apply": "ServerSideApply=true"},
        {"name": "chart", "path": "chart", "apply": "ServerSideApply=false"},
    ]
    spec = {
        "project": "default",
        "source": {"repoURL": url, "path": "{{path}}", "targetRevision": "main"},
        "destination": {"server": "https://kubernetes.default.svc", "namespace": "{{name}}"},
        "syncPolicy": {
            "automated": {"prune": True, "selfHeal": True},
            "syncOptions": ["CreateNamespace=true", "{{apply}}"],
        },
    }
    finalizers = ["resources-finalizer.argocd.argoproj.io"]
    template = {"metadata": {"name": "{{name}}", "finalizers": finalizers}, "spec": spec}
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "ApplicationSet",
        "metadata": {"name": "made", "namespace": "argocd"},
        "spec": {"generators": [{"list": {"elements": elements}}], "template": template},
    }


def statuses(argocd: ArgoCD) -> dict[str, tuple[str, str, str]]:
    found = {}
    for app in json.loads(kubectl(argocd.kubeconfig, "get", "applications", *CONTROL, "-o", "json"))["items"]:
        status = app.get("status") or {}
        found[app["metadata"]["name"]] = (
            str((status.get("sync") or {}).get("status")),
            str((status.get("health") or {}).get("status")),
            str((status.get("operationState") or {}).get("phase")),
        )
    return found


def data(argocd: ArgoCD, namespace: str, name: str) -> str:
    arguments = ("get", "configmap", name, "-n", namespace, "--ignore-not-found", "-o", "jsonpath={.data.colour}")
    return kubectl(argocd.kubeconfig, *arguments)


def refresh(argocd: ArgoCD) -> None:
    kubectl(
        argocd.kubeconfig, "annotate", "applications", "--all", *CONTROL, "--overwrite",
        "argocd.argoproj.io/refresh=normal",
    )  # fmt: skip


def test_argo_cd_delivers_heals_prunes_and_deletes_on_the_sandbox(argocd: ArgoCD, repo: Repo) -> None:
    good = ("Synced", "Healthy", "Succeeded")
    eventually(lambda: statuses(argocd), {"plain": good, "server-side": good, "chart": good})
    assert [data(argocd, *of) for of in (("plain", "settings"), ("server-side", "settings"), ("chart", "charted"))] == [
        "blue"
    ] * 3
    # Somebody edits and deletes by hand.
    kubectl(argocd.kubeconfig, "patch", "configmap", "settings", "-n", "plain", "-p", '{"data":{"colour":"odd"}}')
    kubectl(argocd.kubeconfig, "delete", "deployment", "web", "-n", "server-side")
    eventually(lambda: data(argocd, "plain", "settings"), "blue")
    ready = (
        "get",
        "deployment",
        "web",
        "-n",
        "server-side",
        "--ignore-not-found",
        "-o",
        "jsonpath={.status.readyReplicas}",
    )
    eventually(lambda: kubectl(argocd.kubeconfig, *ready), "2")
    # A commit takes an object away.
    repo.commit({"plain/extra.yaml": None})
    deadline = time.monotonic() + 120
    while data(argocd, "plain", "extra") and time.monotonic() < deadline:
        refresh(argocd)
        time.sleep(1)
    eventually(lambda: [data(argocd, name, "extra") for name in ("plain", "server-side")], ["", ""])
    eventually(lambda: statuses(argocd), {"plain": good, "server-side": good, "chart": good})
    # The ApplicationSet goes, its Applications with it, and what they had delivered.
    kubectl(argocd.kubeconfig, "delete", "applicationset", "made", *CONTROL)
    eventually(lambda: statuses(argocd), {})
    eventually(lambda: data(argocd, "plain", "settings"), "")
    for part in harness.PARTS:
        assert complaints(argocd.log(part)) == [], part


def complaints(log: str) -> list[dict[str, Any]]:
    """Return the errors of a log, but for the answers to the harness, which asks for health until a part has begun."""
    lines = [json.loads(line) for line in log.splitlines() if '"level":"error"' in line]
    early = "it either hasn't started or is restarting"
    return [line for line in lines if not (line.get("component") == "healthcheck" and early in line["error"])]
