"""A cluster that the real Argo CD drives is read with its own API, and directly, with nothing installed."""

import json
import os
import pathlib
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from syncline import wiring
from syncline.apimachinery.keys import ObjectKey, key_of
from syncline.model.fleet import ClusterSnapshot, FleetSnapshot
from tests.argocd import harness
from tests.argocd.build import Programs
from tests.argocd.harness import ArgoCD, kubectl
from tests.argocd.test_harness import eventually
from tests.argocd.test_on_sandbox import Repo
from tests.real.cluster import spawn, stop_all

SYNCLINE = str(pathlib.Path(sys.executable).with_name("syncline"))
# In a repository, where nobody should read it from.
PLANTED = "pl4nted-Canary-9f"


def workload(pod: str) -> str:
    return (
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\n"
        "spec:\n  selector: {matchLabels: {app: web}}\n"
        f"  template: {{metadata: {{labels: {{app: web}}}}, spec: {{{pod}}}}}\n"
    )


APPS = {
    "fine": workload("containers: [{name: main, image: 'nginx:1.27'}]"),
    "crashing": workload(
        "containers: [{name: main, image: 'nginx:1.27', "
        f"command: [sh, -c, 'echo password={PLANTED}; echo no route; exit 3']}}]"
    ),
    "secretless": workload("containers: [{name: main, image: 'nginx:1.27', envFrom: [{secretRef: {name: db}}]}]"),
}
EXPECTED = {"fine": "Healthy", "crashing": "Degraded", "secretless": "Degraded", "lost": "Unknown"}


def an_app(name: str, url: str) -> dict[str, Any]:
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {"name": name, "namespace": "argocd"},
        "spec": {
            "project": "default",
            "source": {"repoURL": url, "path": name, "targetRevision": "main"},
            "destination": {"server": "https://kubernetes.default.svc", "namespace": name},
            "syncPolicy": {"automated": {}, "syncOptions": ["CreateNamespace=true"]},
        },
    }


@pytest.fixture(scope="module")
def argocd(tmp_path_factory: pytest.TempPathFactory, programs: Programs) -> Iterator[ArgoCD]:
    folder = tmp_path_factory.mktemp("diagnosed")
    repo = Repo(folder / "git" / "repo")
    repo.commit({f"{name}/web.yaml": text for name, text in APPS.items()})
    kubeconfig = folder / "kubeconfig"
    sandbox = spawn([SYNCLINE, "sandbox", "--write-kubeconfig", str(kubeconfig)], folder / "sandbox.log")
    try:
        eventually(kubeconfig.exists, True)
        with harness.running(folder / "argocd", str(kubeconfig), programs) as running:
            running.apply([harness.repository("first", repo.url), *(an_app(name, repo.url) for name in EXPECTED)])
            eventually(lambda: settled(running), True)
            yield running
    finally:
        stop_all([sandbox])


def settled(argocd: ArgoCD) -> bool:
    """Whether pods of the bad apps fail by now, and the app without a folder has its condition."""
    apps = json.loads(kubectl(argocd.kubeconfig, "get", "applications", "-n", "argocd", "-o", "json"))["items"]
    states = {app["metadata"]["name"]: app.get("status") or {} for app in apps}
    pods = kubectl(argocd.kubeconfig, "get", "pods", "-A")
    healthy = (states.get("fine", {}).get("health") or {}).get("status") == "Healthy"
    failing = "CrashLoopBackOff" in pods and "CreateContainerConfigError" in pods
    seen = all((states.get(name, {}).get("health") or {}).get("status") not in (None, "Missing") for name in APPS)
    return healthy and failing and seen and bool(states.get("lost", {}).get("conditions"))


def syncline(argocd: ArgoCD, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "KUBECONFIG": argocd.kubeconfig, "ARGOCD_AUTH_TOKEN": argocd.token(), "NO_COLOR": "1"}
    return subprocess.run([SYNCLINE, *arguments], env=environment, capture_output=True, text=True, check=False)


def read(argocd: ArgoCD, folder: pathlib.Path, *arguments: str) -> FleetSnapshot:
    file = folder / "fleet.gz"
    done = syncline(argocd, "snapshot", str(file), *arguments)
    assert done.returncode in (0, 1), done.stderr
    return wiring.read_from(file).snapshot


def bad_pods(cluster: ClusterSnapshot) -> dict[str, str]:
    """Return why the containers of pods wait, by namespace."""
    found = {}
    for obj in cluster.objects:
        for status in (obj.get("status") or {}).get("containerStatuses") or () if obj["kind"] == "Pod" else ():
            if waiting := (status.get("state") or {}).get("waiting"):
                found[key_of(obj).namespace] = str(waiting["reason"])
    return found


@pytest.mark.parametrize("way", ["its API", "the cluster"])
def test_both_ways_see_the_apps_their_failing_pods_and_logs(argocd: ArgoCD, tmp_path: pathlib.Path, way: str) -> None:
    through = ("--argocd", argocd.server) if way == "its API" else ()
    snapshot = read(argocd, tmp_path, *through)
    home = snapshot.clusters[0]
    keys = {key_of(obj) for obj in home.objects}
    assert {ObjectKey("argoproj.io", "Application", "argocd", name) for name in EXPECTED} <= keys
    assert {ObjectKey("apps", "Deployment", name, "web") for name in ("crashing", "secretless")} <= keys
    assert bad_pods(home) == {"crashing": "CrashLoopBackOff", "secretless": "CreateContainerConfigError"}
    assert [log.lines for log in home.logs if log.pod.namespace == "crashing"] == [("password=•••", "no route")]
    assert any("BackOff" in str(event.get("reason")) for event in home.events)
    assert not [obj for obj in home.objects if obj["kind"] == "Secret"]
    assert home.partial == (way == "its API")


def test_what_is_read_through_the_api_is_what_the_cluster_has(argocd: ArgoCD, tmp_path: pathlib.Path) -> None:
    """The same objects as kubectl shows, but for what a diagnosis does not need."""
    home = read(argocd, tmp_path, "--argocd", argocd.server).clusters[0]
    (live,) = [obj for obj in home.objects if key_of(obj) == ObjectKey("apps", "Deployment", "crashing", "web")]
    shown = json.loads(kubectl(argocd.kubeconfig, "get", "deployment", "web", "-n", "crashing", "-o", "json"))
    assert live["metadata"]["uid"] == shown["metadata"]["uid"]
    assert live["spec"]["selector"] == shown["spec"]["selector"]


def test_a_token_that_may_see_nothing_is_told_in_a_sentence(argocd: ArgoCD, tmp_path: pathlib.Path) -> None:
    environment = {**os.environ, "ARGOCD_AUTH_TOKEN": "none", "NO_COLOR": "1"}
    command = [SYNCLINE, "snapshot", str(tmp_path / "x"), "--argocd", argocd.server]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "/api/v1/applications" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("way", ["its API", "the cluster"])
def test_both_ways_name_the_causes_and_no_other_app(argocd: ArgoCD, way: str) -> None:
    through = ("--argocd", argocd.server) if way == "its API" else ()
    done = syncline(argocd, "diagnose", "-o", "json", *through)
    assert done.returncode == 1, done.stderr
    told = json.loads(done.stdout)
    assert (told["total"], told["good"]) == (4, 1)
    by_app = {name: cause for cause in told["causes"] for name in cause["affected"]}
    assert sorted(by_app) == ["argocd/crashing", "argocd/lost", "argocd/secretless"]
    assert "exit code 3" in by_app["argocd/crashing"]["finding"]["message"]
    assert by_app["argocd/secretless"]["object"] == "/Secret:secretless/db"
    assert "lost: app path does not exist" in by_app["argocd/lost"]["finding"]["message"]
    assert PLANTED not in done.stdout


def test_one_screen_is_for_people(argocd: ArgoCD) -> None:
    shown = syncline(argocd, "diagnose").stdout
    assert "3 of 4 apps not OK" in shown
    assert "exit code 3" in shown
    assert PLANTED not in shown
