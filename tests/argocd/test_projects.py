"""The commands of `proj`, each told to Argo CD's own command line and server and to Syncline's: equal AppProjects."""

import contextlib
import io
import json
from collections.abc import Iterator
from typing import Any

import pytest

from syncline.cli.main import main
from tests.argocd import harness
from tests.argocd.build import Programs
from tests.argocd.harness import ArgoCD, kubectl
from tests.real import build as real
from tests.real import cluster

# Each line is one command after `proj`, for a project of its own; `_` in a word stands for a blank.
SEQUENCES = {
    "create": [
        (
            "create P -d https://kubernetes.default.svc,shop -s https://git.example/a --description of_the_team"
            " --orphaned-resources --orphaned-resources-warn --allow-cluster-resource Namespace"
        ),
    ],
    "create with all lists": [
        (
            "create P --allow-cluster-resource rbac.authorization.k8s.io/ClusterRole --allow-namespaced-resource apps/*"
            " --deny-cluster-resource /Namespace --deny-namespaced-resource batch/Job --source-namespaces team-a"
            " --signature-keys 4AEE18F83AFDEB23"
        ),
    ],
    "set": [
        "create P -d https://kubernetes.default.svc,shop -s https://git.example/a",
        "set P -d https://kubernetes.default.svc,x -s https://git.example/b --description changed",
    ],
    "sources": [
        "create P -s https://git.example/a",
        "add-source P https://git.example/b",
        "add-source P https://git.example/*",
        "remove-source P https://git.example/a",
        "add-source-namespace P team-a",
        "add-source-namespace P team-b",
        "remove-source-namespace P team-a",
    ],
    "destinations": [
        "create P",
        "add-destination P https://kubernetes.default.svc shop",
        "add-destination P https://kubernetes.default.svc !kube-*",
        "add-destination P far shop-* --name",
        "remove-destination P https://kubernetes.default.svc shop",
        "add-destination-service-account P https://kubernetes.default.svc shop deployer",
        "add-destination-service-account P https://far.example x deployer --service-account-namespace robots",
        "remove-destination-service-account P https://kubernetes.default.svc shop deployer",
    ],
    "kinds": [
        "create P",
        "allow-cluster-resource P rbac.authorization.k8s.io ClusterRole",
        "allow-cluster-resource P * Namespace",
        "deny-cluster-resource P * Namespace",
        "deny-cluster-resource P apps X -l deny",
        "deny-namespace-resource P apps Deployment",
        "deny-namespace-resource P apps StatefulSet",
        "allow-namespace-resource P apps Deployment",
        "allow-namespace-resource P * ConfigMap -l allow",
    ],
    "orphans": [
        "create P --orphaned-resources",
        "add-orphaned-ignore P apps Deployment --name kube-*",
        "add-orphaned-ignore P * Secret",
        "remove-orphaned-ignore P * Secret",
        "add-signature-key P 4AEE18F83AFDEB23",
    ],
    "roles": [
        "create P",
        "role create P ci --description robots",
        "role create P idle",
        "role add-policy P ci -a sync -o * -p allow",
        "role add-policy P ci -a delete -o shop -p deny",
        "role add-policy P ci -a get -o * -p allow -r logs",
        "role remove-policy P ci -a delete -o shop -p deny",
        "role add-group P ci builders",
        "role add-group P ci others",
        "role remove-group P ci others",
        "role delete P idle",
    ],
    "windows": [
        "create P",
        "windows add P -k deny --schedule 0_22_*_*_* --duration 8h --applications a,b --time-zone Europe/Berlin",
        "windows add P -k allow --schedule 0_0_1_1_* --duration 1m --namespaces x --clusters y --manual-sync",
        (
            "windows add P -k allow --schedule 5_5_*_*_* --duration 1h --applications * --use-and-operator"
            " --description at_night"
        ),
        "windows enable-manual-sync P 0",
        "windows disable-manual-sync P 1",
        "windows update P 1 --duration 2m --schedule 0_1_*_*_* --applications z",
        "windows delete P 2",
    ],
}
REFUSED = [
    "remove-destination twice https://kubernetes.default.svc nowhere",
    "role create twice x-",
    "windows add twice -k deny --schedule 0_0_*_*_7 --duration 1h --applications *",
    "windows add twice -k deny --schedule 0_0_*_*_* --duration x --applications *",
    "windows add twice -k deny --schedule 0_0_*_*_* --duration 1h",
    "windows delete twice 7",
    "get nobody",
    "delete default",
]


@pytest.fixture(scope="module")
def argocd(tmp_path_factory: pytest.TempPathFactory, programs: Programs) -> Iterator[ArgoCD]:
    folder = tmp_path_factory.mktemp("projects")
    with (
        cluster.serving(folder / "cluster", real.build(say=False)) as where,
        harness.running(folder / "argocd", where.kubeconfig_path, programs, parts=("repo-server", "server")) as running,
    ):
        yield running


@pytest.fixture(scope="module")
def token(argocd: ArgoCD) -> str:
    return argocd.token()


def ours(argocd: ArgoCD, words: list[str]) -> str:
    """Run a command of Syncline; return why it was refused."""
    errors = io.StringIO()
    with contextlib.redirect_stderr(errors), contextlib.redirect_stdout(io.StringIO()):
        try:
            main(["proj", *words, "--kubeconfig", argocd.kubeconfig])
        except SystemExit as end:
            return errors.getvalue() if end.code else ""
    raise AssertionError("the program did not leave with an exit code")


def theirs(argocd: ArgoCD, token: str, words: list[str]) -> str:
    """Run a command of Argo CD; return why it was refused."""
    try:
        argocd.cli(token, "proj", *words)
    except AssertionError as error:
        return str(error) or "refused"
    return ""


def split(command: str, project: str) -> list[str]:
    return [project if word == "P" else word.replace("_", " ") for word in command.split()]


def stored(argocd: ArgoCD, name: str) -> dict[str, Any]:
    text = kubectl(argocd.kubeconfig, "get", "appproject", name, "-n", harness.NAMESPACE, "-o", "json")
    spec: dict[str, Any] = json.loads(text.replace(name, "P"))["spec"]
    # An empty list means the same as none, except the one that then permits nothing.
    kept = "namespaceResourceWhitelist"
    return {field: value for field, value in spec.items() if field == kept or value not in ([], {}, None)}


@pytest.mark.parametrize("topic", SEQUENCES)
def test_the_same_commands_leave_the_same_project(argocd: ArgoCD, token: str, topic: str) -> None:
    name = topic.replace(" ", "-")
    for command in SEQUENCES[topic]:
        assert theirs(argocd, token, split(command, f"theirs-{name}")) == "", command
        assert ours(argocd, split(command, f"ours-{name}")) == "", command
    assert stored(argocd, f"ours-{name}") == stored(argocd, f"theirs-{name}")


def test_what_argo_cd_refuses_is_refused(argocd: ArgoCD, token: str) -> None:
    project = harness.project("twice", {"sourceRepos": ["https://git.example/a"], "roles": [{"name": "ci"}]})
    argocd.apply([project])
    accepted = [command for command in REFUSED if not theirs(argocd, token, split(command, ""))]
    assert accepted == []
    assert [command for command in REFUSED if not ours(argocd, split(command, ""))] == []
