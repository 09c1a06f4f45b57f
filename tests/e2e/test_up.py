"""`syncline up` delivers a folder of Applications to an embedded Kubernetes."""

import pathlib
from collections.abc import Iterator

import pytest

from tests.e2e.program import Machine

APPLICATION = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata:
  name: {name}
spec:
  project: default
  source: {{repoURL: {repository}, path: {path}, targetRevision: {revision}}}
  destination: {{server: "https://kubernetes.default.svc", namespace: {name}}}
  syncPolicy:
    automated: {{prune: true, selfHeal: true}}
    syncOptions: [CreateNamespace=true]
"""
CONFIG_MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {colour: blue}\n"


@pytest.fixture
def repository(machine: Machine, tmp_path: pathlib.Path) -> pathlib.Path:
    folder = tmp_path / "repos/shop"
    (folder / "deploy").mkdir(parents=True)
    (folder / "deploy/settings.yaml").write_text(CONFIG_MAP)
    identity = ("-c", "user.name=Ada", "-c", "user.email=ada@example.invalid")
    for arguments in (["init", "-q", "-b", "main"], ["add", "."], [*identity, "commit", "-q", "-m", "shop"]):
        assert machine.run("git", "-C", folder, *arguments).code == 0
    return folder


def write(folder: pathlib.Path, name: str, **settings: object) -> pathlib.Path:
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.yaml").write_text(APPLICATION.format(name=name, **settings))
    return folder


def test_up_once_delivers_every_application_and_ends(
    machine: Machine, tmp_path: pathlib.Path, repository: pathlib.Path
) -> None:
    for name in ("shop", "stall"):
        write(tmp_path / "apps", name, repository=repository, path="deploy", revision="main")
    answer = machine.syncline(
        *("up", "--apps", tmp_path / "apps", "--local-repos", tmp_path / "repos"),
        *("--data", tmp_path / "data", "--once"),
    )
    assert (answer.code, answer.err) == (0, "")
    assert [name in answer.out for name in ("shop ", "stall ")] == [True, True]
    assert answer.out.count("✔ Synced, Healthy") == 2


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"path": "deploy", "revision": "nope"}, "nope"),
        ({"path": "elsewhere", "revision": "main"}, "elsewhere"),
    ],
)
def test_a_wrong_source_is_told_in_one_line_and_nothing_is_delivered(
    machine: Machine, tmp_path: pathlib.Path, repository: pathlib.Path, settings: dict[str, str], words: str
) -> None:
    apps = write(tmp_path / "apps", "shop", repository=repository, **settings)
    with machine.running(
        "up", "--apps", apps, "--local-repos", tmp_path / "repos", "--data", tmp_path / "data"
    ) as running:
        running.says(rf"shop +✖ .*{words}.*\n")
        assert machine.kubectl(tmp_path / "data/kubeconfig", "get", "configmap", "settings", "-n", "shop").code == 1
        assert (running.interrupt(), running.err) == (130, "")


def test_a_repository_on_this_machine_needs_permission(
    machine: Machine, tmp_path: pathlib.Path, repository: pathlib.Path
) -> None:
    apps = write(tmp_path / "apps", "shop", repository=repository, path="deploy", revision="main")
    with machine.running("up", "--apps", apps, "--data", tmp_path / "data") as running:
        running.says(rf"shop +✖ .*{repository}.*\n")
        assert (running.interrupt(), running.err) == (130, "")


@pytest.fixture
def cluster(machine: Machine, tmp_path: pathlib.Path) -> Iterator[pathlib.Path]:
    """The kubeconfig of a cluster that is not `up`'s own."""
    path = tmp_path / "kubeconfig"
    with machine.running("sandbox", "--write-kubeconfig", path) as running:
        running.says("Kubernetes API at https://127")
        yield path


@pytest.mark.parametrize("said", ["n\n", ""])
def test_a_cluster_of_somebody_else_is_not_changed_without_a_yes(
    machine: Machine, cluster: pathlib.Path, said: str
) -> None:
    answer = machine.syncline("up", "--kubeconfig", cluster, "--once", text=said)
    assert answer.code == 2
    assert "CustomResourceDefinition/applications.argoproj.io, " in answer.err
    assert answer.err.endswith(
        "syncline: nothing was created, so nothing can be delivered (answer yes, or pass --yes)\n"
    )
    assert machine.kubectl(cluster, "get", "crds,namespaces", "-o", "name").out.count("argo") == 0


@pytest.mark.parametrize(("said", "option"), [("y\n", []), ("", ["--yes"])])
def test_with_a_yes_it_is_prepared_and_delivered_to(
    machine: Machine,
    tmp_path: pathlib.Path,
    repository: pathlib.Path,
    cluster: pathlib.Path,
    said: str,
    option: list[str],
) -> None:
    apps = write(tmp_path / "apps", "shop", repository=repository, path="deploy", revision="main")
    given = ("--apps", apps, "--local-repos", tmp_path / "repos", "--kubeconfig", cluster, "--once")
    answer = machine.syncline("up", *given, *option, text=said)
    assert answer.code == 0, answer.err
    colour = machine.kubectl(cluster, "get", "configmap", "settings", "-n", "shop", "-o", "jsonpath={.data.colour}")
    assert colour.out == "blue"
