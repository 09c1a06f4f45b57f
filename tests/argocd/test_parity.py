"""`syncline parity` beside the real Argo CD: by its API, and by what it applied on a real API server."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from tests.argocd import harness
from tests.argocd.build import Programs
from tests.argocd.harness import ArgoCD, kubectl
from tests.argocd.test_harness import DESTINATION, IDENTITY, eventually
from tests.real import build as real
from tests.real import cluster

DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {tier: front}}
spec:
  replicas: 0
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
        - name: web
          image: example/web:{{TAG}}
          ports: [{containerPort: 8080}]
          resources: {requests: {cpu: 1000m, memory: 1024Mi}, limits: {memory: 1Gi}}
          env: [{name: EMPTY, value: ""}, {name: MODE, value: fast}]
"""
SERVICE = """\
apiVersion: v1
kind: Service
metadata: {name: web, annotations: null}
spec: {selector: {app: web}, ports: [{port: 80}]}
"""
ROLE = """\
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: parity-reader, annotations: null}
rules: [{apiGroups: [""], resources: [pods], verbs: [get]}]
"""
SECRET = "apiVersion: v1\nkind: Secret\nmetadata: {name: login}\nstringData: {word: open-sesame}\n"
FILES = {
    "plain/web.yaml": DEPLOYMENT.replace("{{TAG}}", "1"),
    "plain/service.yaml": SERVICE,
    "plain/login.yaml": SECRET,
    "base/kustomization.yaml": "resources: [web.yaml]\n",
    "base/web.yaml": DEPLOYMENT.replace("{{TAG}}", "1"),
    "overlay/kustomization.yaml": (
        "namePrefix: dev-\nresources: [../base]\nimages: [{name: example/web, newTag: '2'}]\n"
        "configMapGenerator: [{name: settings, literals: [colour=blue]}]\n"
    ),
    "chart/Chart.yaml": "{apiVersion: v2, name: chart, version: 1.0.0}\n",
    "chart/templates/role.yaml": ROLE,
    "chart/values.yaml": "tag: '3'\n",
    "chart/templates/web.yaml": DEPLOYMENT.replace("{{TAG}}", "{{ .Values.tag }}").replace(
        "name: web, labels", "name: {{ .Release.Name }}, labels"
    ),
}
APPS = {
    "plain": ("plain", []),
    "plain-by-server": ("plain", ["ServerSideApply=true"]),
    "kustomized": ("overlay", ["ServerSideApply=true"]),
    "charted": ("chart", []),
}


class Beside(NamedTuple):
    """A running Argo CD that has delivered everything, and the repository it did that from."""

    argocd: ArgoCD
    url: str
    folder: pathlib.Path

    def parity(self, *arguments: str) -> tuple[int, str]:
        program = str(pathlib.Path(sys.executable).with_name("syncline"))
        environment = {**os.environ, "SYNCLINE_CACHE": str(self.folder / "cache")}
        done = subprocess.run(
            [program, "parity", *arguments], env=environment, capture_output=True, text=True, check=False, timeout=300
        )
        assert "Traceback" not in done.stderr
        return done.returncode, done.stdout + done.stderr


def git(folder: pathlib.Path, *arguments: str) -> None:
    subprocess.run(["git", *IDENTITY, *arguments], cwd=folder, check=True, capture_output=True)


def application(name: str, url: str) -> dict[str, Any]:
    path, options = APPS[name]
    # Two apps of one folder: each in a namespace of its own.
    destination = {**DESTINATION, "namespace": f"of-{name}"}
    policy = {"automated": {}, "syncOptions": ["CreateNamespace=true", *options]}
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {"name": name, "namespace": "argocd"},
        "spec": {
            "project": "default",
            "source": {"repoURL": url, "path": path, "targetRevision": "main"},
            "destination": destination,
            "syncPolicy": policy,
        },
    }


@pytest.fixture(scope="module")
def beside(tmp_path_factory: pytest.TempPathFactory, programs: Programs) -> Iterator[Beside]:
    folder = tmp_path_factory.mktemp("parity")
    repo = folder / "repo"
    for name, text in FILES.items():
        (repo / name).parent.mkdir(parents=True, exist_ok=True)
        (repo / name).write_text(text)
    for arguments in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-q", "-m", "first"]):
        git(repo, *arguments)
    url = f"file://{repo}"
    with (
        cluster.serving(folder / "cluster", real.build(say=False)) as where,
        harness.running(folder / "argocd", where.kubeconfig_path, programs) as running,
    ):
        running.apply([harness.repository("parity", url), *(application(name, url) for name in APPS)])
        phases = ("get", "applications", "-n", "argocd", "-o", "jsonpath={.items[*].status.operationState.phase}")
        eventually(lambda: kubectl(running.kubeconfig, *phases), " ".join(["Succeeded"] * len(APPS)))
        yield Beside(running, url, folder)


def test_every_render_is_the_one_of_the_real_server(beside: Beside) -> None:
    code, said = beside.parity("--argocd", beside.argocd.server, "--auth-token", beside.argocd.token())
    assert (code, said) == (0, "4 apps: 4 equal, 0 different, 0 not rendered\n")


def test_a_render_is_the_one_that_was_applied(beside: Beside) -> None:
    code, said = beside.parity("--kubeconfig", beside.argocd.kubeconfig)
    # Of the Secret of two apps nothing is read.
    assert said == ("4 apps: 4 equal, 0 different, 0 not rendered; 2 objects do not record what was rendered\n")
    assert code == 0


def test_an_object_that_somebody_else_changed_is_still_what_argo_cd_applied(beside: Beside) -> None:
    for name in ("plain", "plain-by-server"):
        kubectl(beside.argocd.kubeconfig, "label", "deployment", "web", "-n", f"of-{name}", "by-hand=yes")
    code, said = beside.parity("plain", "plain-by-server", "--kubeconfig", beside.argocd.kubeconfig)
    assert (code, said.partition(";")[0]) == (0, "2 apps: 2 equal, 0 different, 0 not rendered")


def test_what_argo_cd_applied_otherwise_is_different_at_its_field(beside: Beside) -> None:
    slow = FILES["plain/web.yaml"].replace("value: fast", "value: slow")
    by_server = ("--server-side", "--field-manager=argocd-controller", "--force-conflicts")
    for name, words in (("plain", ()), ("plain-by-server", by_server)):
        kubectl(beside.argocd.kubeconfig, "apply", *words, "-n", f"of-{name}", "-f", "-", stdin=slow)
    code, said = beside.parity(
        "plain", "plain-by-server", "charted", "--kubeconfig", beside.argocd.kubeconfig, "-o", "json"
    )
    assert code == 1, said
    apps = {one["app"]: one for one in json.loads(said)["apps"]}
    assert {name: one["state"] for name, one in apps.items()} == {
        "plain": "different",
        "plain-by-server": "different",
        "charted": "equal",
    }
    for name in ("plain", "plain-by-server"):
        (unequal,) = apps[name]["unequal"]
        assert unequal["path"].endswith("env[name=MODE].value")
        assert (unequal["ours"], unequal["theirs"]) == ("fast", "slow")
    assert "open-sesame" not in said


def test_a_server_that_does_not_answer_is_one_sentence(beside: Beside) -> None:
    code, said = beside.parity("--argocd", "http://127.0.0.1:1", "--auth-token", "nothing")
    assert code not in (0, 1), said
    assert len(said.strip().splitlines()) == 1
