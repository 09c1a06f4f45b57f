"""`syncline up` delivers a folder of Applications to an embedded Kubernetes."""

import pathlib
import re
from collections.abc import Iterator

import pytest

from tests.e2e.program import Machine, beside, until
from tests.e2e.terminal import CONTROL_C, on_terminal
from tests.support import git_http
from tests.support.screen import Screen

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


def test_a_server_on_this_machine_needs_permission(
    machine: Machine, tmp_path: pathlib.Path, repository: pathlib.Path
) -> None:
    with git_http.serve(tmp_path / "repos") as server:
        apps = write(tmp_path / "apps", "shop", repository=server.url("shop"), path="deploy", revision="main")
        with machine.running("up", "--apps", apps, "--data", tmp_path / "data") as running:
            running.says(r"shop +✖ .*127\.0\.0\.1 is this machine.*\n")
            assert (running.interrupt(), running.err) == (130, "")
        assert server.requests == []
        permission = ("--allow-local", f"127.0.0.1:{server.port}")
        answer = machine.syncline("up", "--apps", apps, "--data", tmp_path / "other", "--once", *permission)
    assert (answer.code, answer.err) == (0, "")
    assert answer.out.count("✔ Synced, Healthy") == 1


def test_of_a_folder_only_applications_are_taken_and_the_rest_is_counted(
    machine: Machine, tmp_path: pathlib.Path, repository: pathlib.Path
) -> None:
    apps = write(tmp_path / "apps", "shop", repository=repository, path="deploy", revision="main")
    (apps / "values.yaml").write_text("replicas: 2\n")
    (apps / "service.yaml").write_text("apiVersion: v1\nkind: Service\nmetadata: {name: never}\n---\n- a list\n")
    (apps / "templates").mkdir()
    (apps / "templates/deployment.yaml").write_text("kind: Deployment\n{{- if .Values.on }}\nspec: {}\n{{- end }}\n")
    for name in ("east", "west"):
        kind = "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\n"
        template = "{metadata: {name: x}, spec: {project: default, destination: {}}}"
        (apps / f"{name}.yml").write_text(
            f"{kind}metadata: {{name: {name}}}\nspec:\n  generators: [{{list: {{}}}}]\n  template: {template}\n"
        )
    given = ("--apps", apps, "--local-repos", tmp_path / "repos", "--data", tmp_path / "data")
    answer = machine.syncline("up", *given, "--once")
    assert (answer.code, answer.err) == (0, "")
    assert "--apps: 1 Application, 2 ApplicationSets; skipped 4 other documents\n" in answer.out


def test_what_the_cluster_refuses_is_named_with_its_file(machine: Machine, tmp_path: pathlib.Path) -> None:
    apps = tmp_path / "apps"
    apps.mkdir()
    bad = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: shop}\nspec: {project: 7}\n"
    (apps / "shop.yaml").write_text(f"# the shop\n---\n{bad}")
    answer = machine.syncline("up", "--apps", apps, "--data", tmp_path / "data", "--once")
    assert answer.code == 2
    assert answer.err.startswith(f"syncline: {apps / 'shop.yaml'}:3: the cluster refuses Application/shop: ")
    assert len(answer.err.splitlines()) == 1


def test_a_broken_application_in_a_folder_is_not_passed_over(machine: Machine, tmp_path: pathlib.Path) -> None:
    apps = tmp_path / "apps"
    apps.mkdir()
    (apps / "shop.yaml").write_text("kind: Application\nspec: [\n")
    answer = machine.syncline("up", "--apps", apps, "--data", tmp_path / "data", "--once")
    assert (answer.code, answer.out, len(answer.err.splitlines())) == (2, "", 1)
    assert answer.err.startswith(f"syncline: {apps / 'shop.yaml'}:3:1: ")


def test_applications_that_kubectl_applied_before_are_taken_over(
    machine: Machine, tmp_path: pathlib.Path, repository: pathlib.Path, cluster: pathlib.Path
) -> None:
    apps = write(tmp_path / "apps", "shop", repository=repository, path="elsewhere", revision="main")
    assert machine.kubectl(cluster, "apply", "-f", "-", text=machine.syncline("admin", "crds").out).code == 0
    assert machine.kubectl(cluster, "create", "namespace", "argocd").code == 0
    assert machine.kubectl(cluster, "apply", "-n", "argocd", "--server-side", "-f", apps).code == 0
    write(tmp_path / "apps", "shop", repository=repository, path="deploy", revision="main")
    answer = machine.syncline(
        *("up", "--apps", apps, "--local-repos", tmp_path / "repos", "--kubeconfig", cluster, "--once", "--yes")
    )
    assert answer.code == 0, answer.err
    path = machine.kubectl(cluster, "get", "application", "shop", "-n", "argocd", "-o", "jsonpath={.spec.source.path}")
    assert path.out == "deploy"


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


def many(machine: Machine, tmp_path: pathlib.Path, repository: pathlib.Path) -> tuple[str | pathlib.Path, ...]:
    """Return the arguments of `up` for 30 Applications, of which one has a path that is not there."""
    for number in range(29):
        write(tmp_path / "apps", f"app-{number:02}", repository=repository, path="deploy", revision="main")
    write(tmp_path / "apps", "lost", repository=repository, path="elsewhere", revision="main")
    return ("up", "--apps", tmp_path / "apps", "--local-repos", tmp_path / "repos", "--data", tmp_path / "data")


def test_many_applications_on_a_terminal_are_one_overview_with_failures_above(
    machine: Machine, tmp_path: pathlib.Path, repository: pathlib.Path
) -> None:
    command = (beside("syncline"), *many(machine, tmp_path, repository))
    with on_terminal(*command, environment=machine.environment, folder=tmp_path) as terminal:
        terminal.says("29 of 30 Synced and Healthy, 0 waiting, 1 failing")
        terminal.press(CONTROL_C)
        assert terminal.ended() == 130
    screen = Screen(80, 24)
    screen.write(terminal.written)
    lines = screen.text.splitlines()
    assert len(lines) < 20, "what happened to 29 Applications that are well is not kept"
    assert re.search(r"\n[0-9:]{8}  lost +✖ [^✖]*elsewhere", screen.text)
    assert lines.count("29 of 30 Synced and Healthy, 0 waiting, 1 failing") == 1
    assert re.match(
        r"lost +Unknown +\w+ +.*", lines[lines.index("29 of 30 Synced and Healthy, 0 waiting, 1 failing") + 1]
    )


def test_many_applications_in_a_pipe_are_plain_lines(
    machine: Machine, tmp_path: pathlib.Path, repository: pathlib.Path
) -> None:
    with machine.running(*many(machine, tmp_path, repository)) as running:
        until(lambda: running.out.count("✔ Synced, Healthy") == 29 or None, lambda: running.out)
        assert (running.interrupt(), running.err, "\x1b" in running.out) == (130, "", False)
