"""The harness itself: every part of the real Argo CD does its work on a real API server."""

import json
import pathlib
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.argocd import harness
from tests.argocd.build import Programs
from tests.argocd.harness import ArgoCD, kubectl
from tests.real import build as real
from tests.real import cluster

PATIENCE = 240.0
DESTINATION = {"server": "https://kubernetes.default.svc", "namespace": "web"}
IDENTITY = ("-c", "user.name=Tester", "-c", "user.email=tester@syncline.invalid")


@pytest.fixture(scope="module")
def argocd(tmp_path_factory: pytest.TempPathFactory, programs: Programs) -> Iterator[ArgoCD]:
    folder = tmp_path_factory.mktemp("argocd")
    with (
        cluster.serving(folder / "cluster", real.build(say=False)) as where,
        harness.running(folder / "argocd", where.kubeconfig_path, programs) as running,
    ):
        url = _repository(folder / "repo")
        namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "web"}}
        running.apply([namespace, harness.repository("first", url), _generator(url)])
        yield running
        assert running.ended() == []


def _repository(folder: pathlib.Path) -> str:
    (folder / "web").mkdir(parents=True)
    manifest = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings"}, "data": {"colour": "blue"}}
    (folder / "web/settings.json").write_text(json.dumps(manifest))
    for arguments in (["init", "-q", "-b", "main"], ["add", "."], [*IDENTITY, "commit", "-q", "-m", "first"]):
        subprocess.run(["git", *arguments], cwd=folder, check=True)
    return f"file://{folder}"


def _generator(url: str) -> dict[str, Any]:
    spec = {
        "project": "default",
        "source": {"repoURL": url, "path": "web", "targetRevision": "main"},
        "destination": DESTINATION,
        "syncPolicy": {"automated": {}},
    }
    template = {"metadata": {"name": "{{name}}"}, "spec": spec}
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "ApplicationSet",
        "metadata": {"name": "made", "namespace": "argocd"},
        "spec": {"generators": [{"list": {"elements": [{"name": "first"}]}}], "template": template},
    }


def eventually(ask: Callable[[], Any], wanted: object) -> None:
    deadline = time.monotonic() + PATIENCE
    while (found := ask()) != wanted:
        assert time.monotonic() < deadline, f"still {found!r}, not {wanted!r}"
        time.sleep(0.2)


def test_an_application_of_an_applicationset_is_delivered(argocd: ArgoCD) -> None:
    status = "{.items[*].status.sync.status} {.items[*].status.health.status}"
    asked = ("get", "applications", "-n", "argocd", "-o", f"jsonpath={status}")
    eventually(lambda: kubectl(argocd.kubeconfig, *asked), "Synced Healthy")
    data = kubectl(argocd.kubeconfig, "get", "configmap", "settings", "-n", "web", "-o", "jsonpath={.data}")
    assert json.loads(data) == {"colour": "blue"}


def test_beside_it_syncline_records_the_same_verdict(argocd: ArgoCD, tmp_path: pathlib.Path) -> None:
    status = "jsonpath={.status.sync.status} {.status.health.status} {.status.operationState.phase}"
    asked = ("get", "application", "first", "-n", "argocd", "-o", status)
    eventually(lambda: kubectl(argocd.kubeconfig, *asked), "Synced Healthy Succeeded")
    source = ("get", "application", "first", "-n", "argocd", "-o", "jsonpath={.spec.source.repoURL}")
    repos = kubectl(argocd.kubeconfig, *source).removeprefix("file://")
    file = tmp_path / "shadow.jsonl"
    where = ("--kubeconfig", argocd.kubeconfig, "--local-repos", repos)
    done = _syncline("shadow", "record", "--once", "--file", str(file), *where)
    assert done.returncode == 0, done.stderr
    [seen] = [line for line in map(json.loads, file.read_text().splitlines()) if line["type"] == "seen"]
    assert seen["ours"] == seen["theirs"], "sync status, health and revision"
    assert (seen["ours"]["sync"], seen["ours"]["health"]) == ("Synced", "Healthy")
    assert (seen["operation"]["phase"], seen["operation"]["automated"]) == ("Succeeded", True)
    assert seen["decision"]["kind"] == "rest"
    told = _syncline("shadow", "report", str(file), "--settle", "0s", "-o", "json")
    assert (told.returncode, json.loads(told.stdout)["disagreements"]) == (0, [])


def _syncline(*words: str) -> subprocess.CompletedProcess[str]:
    program = str(pathlib.Path(sys.executable).with_name("syncline"))
    return subprocess.run([program, *words], capture_output=True, text=True, timeout=PATIENCE, check=False)


def test_the_server_answers_whoever_has_logged_in(argocd: ArgoCD) -> None:
    token = argocd.token()
    eventually(lambda: argocd.cli(token, "app", "list", "-o", "name"), "argocd/first\n")


def test_each_part_runs_and_counts_its_processor_time(argocd: ArgoCD) -> None:
    assert set(argocd.processor_seconds()) == {"redis", *harness.PARTS}
