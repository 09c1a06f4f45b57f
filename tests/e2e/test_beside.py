"""`syncline up` and `syncline controller` where Argo CD's controller is alive, and `up --data`, `--repo`."""

import json
import pathlib
from collections.abc import Iterator

import pytest

from tests.e2e.program import Machine
from tests.e2e.test_up import repository, write

__all__ = ["repository"]

RIVAL = """\
apiVersion: apps/v1
kind: StatefulSet
metadata:
  name: argocd-application-controller
  namespace: argocd
  labels: {app.kubernetes.io/name: argocd-application-controller}
spec:
  replicas: 1
  serviceName: argocd
  selector: {matchLabels: {app: c}}
  template:
    metadata: {labels: {app: c}}
    spec: {containers: [{name: c, image: "c:1"}]}
"""
NAMESPACES = """\
apiVersion: v1
kind: Namespace
metadata: {name: argocd}
---
apiVersion: v1
kind: Namespace
metadata: {name: shop}
"""


@pytest.fixture
def kubeconfig(machine: Machine, tmp_path: pathlib.Path, repository: pathlib.Path) -> Iterator[pathlib.Path]:
    """A cluster on which Argo CD runs and has one Application."""
    config = tmp_path / "kubeconfig"
    with machine.running("sandbox", "--write-kubeconfig", config) as running:
        running.says(r"http")
        apply(machine, config, NAMESPACES)
        crds = machine.syncline("admin", "crds")
        assert crds.code == 0
        apply(machine, config, crds.out, "--server-side")
        project = "apiVersion: argoproj.io/v1alpha1\nkind: AppProject\nmetadata: {name: default, namespace: argocd}\n"
        rules = "{sourceRepos: ['*'], destinations: [{server: '*', namespace: '*'}]}"
        apply(machine, config, f"{project}spec: {rules}\n")
        folder = write(tmp_path / "apps", "shop", repository=repository, path="deploy", revision="main")
        apply(machine, config, (folder / "shop.yaml").read_text(), "-n", "argocd")
        apply(machine, config, RIVAL)
        yield config
        running.interrupt()


def apply(machine: Machine, config: pathlib.Path, text: str, *arguments: str) -> None:
    answer = machine.kubectl(config, "apply", "-f", "-", *arguments, text=text)
    assert answer.code == 0, answer.err


def test_observe_take_over_deliver_and_hand_back(
    machine: Machine, tmp_path: pathlib.Path, kubeconfig: pathlib.Path
) -> None:
    common = ("up", "--kubeconfig", kubeconfig, "--local-repos", tmp_path / "repos")
    seen = machine.syncline(*common, "--once", "-o", "json")
    report = json.loads(seen.out)
    assert seen.code == 1
    assert (report["apps"], report["equal"], report["differing"][0]["why"]) == (
        1,
        0,
        ["Argo CD has not compared it yet"],
    )
    assert "nothing is written: Argo CD's application controller runs here" in seen.err
    refused = machine.syncline(*common, "--take-over", "shop", "--once")
    assert refused.code == 2
    assert "nothing was taken over" in refused.err
    with machine.running(*common, "--take-over", "shop", "--yes", "--refresh", "1") as running:
        running.says(r"shop +✔ Synced, Healthy")
        running.interrupt()
    assert machine.kubectl(kubeconfig, "get", "configmap", "settings", "-n", "shop").code == 0
    back = machine.syncline("up", "--kubeconfig", kubeconfig, "--hand-back")
    assert (back.code, back.out.splitlines()[1:]) == (0, ["gave 1 Application back to Argo CD", "  argocd/shop"])
    left = machine.kubectl(kubeconfig, "get", "app", "shop", "-n", "argocd", "-o", "jsonpath={.metadata.annotations}")
    assert "skip-reconcile" not in left.out


def test_the_controller_alone_holds_a_lease_and_lets_it_go(
    machine: Machine, tmp_path: pathlib.Path, kubeconfig: pathlib.Path
) -> None:
    assert machine.kubectl(kubeconfig, "delete", "statefulset", "-n", "argocd", "--all").code == 0
    with machine.running("controller", "--kubeconfig", kubeconfig, "--identity", "me", "--log-format", "json") as one:
        one.says(r'"type":"Trouble".*not permitted')
        holder = ("get", "lease", "syncline-controller-shard-0", "-n", "argocd", "-o", "jsonpath={.spec}")
        assert json.loads(machine.kubectl(kubeconfig, *holder).out)["holderIdentity"] == "me"
        one.interrupt()
    assert json.loads(machine.kubectl(kubeconfig, *holder).out)["holderIdentity"] == ""


def test_a_sandbox_with_a_data_folder_is_there_again_and_a_copy_serves_for_a_repository(
    machine: Machine, tmp_path: pathlib.Path, repository: pathlib.Path
) -> None:
    url = "https://git.example.invalid/shop.git"
    apps = write(tmp_path / "apps", "shop", repository=url, path="deploy", revision="main")
    common = ("up", "--data", tmp_path / "data", "--once", "--repo", f"{url}={repository}")
    first = machine.syncline(*common, "--apps", apps)
    assert (first.code, first.err) == (0, "")
    assert "✔ Synced, Healthy" in first.out
    again = machine.syncline(*common)
    assert (again.code, again.err) == (0, "")
    assert "configmap" not in again.out, "what is delivered is still there"
