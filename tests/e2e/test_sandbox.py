"""`syncline sandbox` is a Kubernetes to kubectl, and takes our CRDs."""

import pathlib
from collections.abc import Iterator

import pytest

from tests.e2e.program import Machine, until


@pytest.fixture(scope="module")
def kubeconfig(machine: Machine, tmp_path_factory: pytest.TempPathFactory) -> Iterator[pathlib.Path]:
    path = tmp_path_factory.mktemp("sandbox") / "kubeconfig"
    with machine.running("sandbox", "--write-kubeconfig", path) as running:
        running.says("Kubernetes API at https://127")
        yield path
        assert running.err == ""


def test_kubectl_talks_to_it(machine: Machine, kubeconfig: pathlib.Path) -> None:
    assert machine.kubectl(kubeconfig, "create", "namespace", "shop").out == "namespace/shop created\n"
    created = machine.kubectl(kubeconfig, "create", "deployment", "web", "--image=shop/web:1", "-n", "shop")
    assert created.out == "deployment.apps/web created\n"
    assert machine.kubectl(kubeconfig, "rollout", "status", "deployment/web", "-n", "shop", "--timeout=30s").code == 0


@pytest.mark.parametrize("dry", [["--dry-run=server"], []])
def test_the_crds_go_through_kubectl_apply(machine: Machine, kubeconfig: pathlib.Path, dry: list[str]) -> None:
    crds = machine.syncline("admin", "crds")
    applied = machine.kubectl(kubeconfig, "apply", "--server-side", *dry, "-f", "-", text=crds.out)
    assert (applied.code, applied.err) == (0, "")
    assert [line.split()[0] for line in applied.out.splitlines()] == [
        f"customresourcedefinition.apiextensions.k8s.io/{name}"
        for name in (
            "applications.argoproj.io",
            "appprojects.argoproj.io",
            "applicationsets.argoproj.io",
            "diagnoses.syncline.io",
        )
    ]


def test_without_the_crds_the_way_to_them_is_said(machine: Machine, tmp_path: pathlib.Path) -> None:
    with machine.running("sandbox", "--write-kubeconfig", tmp_path / "kubeconfig") as running:
        running.says("Kubernetes API at https://127")
        answer = machine.syncline("app", "list", "--kubeconfig", tmp_path / "kubeconfig")
    assert (answer.code, answer.out, len(answer.err.splitlines())) == (2, "", 1)
    assert "syncline admin crds | kubectl apply" in answer.err


def test_nobody_gets_in_without_the_token(machine: Machine, kubeconfig: pathlib.Path, tmp_path: pathlib.Path) -> None:
    stranger = tmp_path / "kubeconfig"
    lines = [line for line in kubeconfig.read_text().splitlines() if "token" not in line]
    stranger.write_text("\n".join(line.partition("/access/")[0] for line in lines) + "\n")
    answer = machine.kubectl(stranger, "get", "namespaces")
    assert answer.code == 1


def test_controls_are_read_from_a_file(machine: Machine, tmp_path: pathlib.Path) -> None:
    controls = tmp_path / "controls.yaml"
    controls.write_text("denials: [{verbs: [create], resources: [secrets]}]\n")
    path = tmp_path / "kubeconfig"
    with machine.running("sandbox", "--write-kubeconfig", path, "--controls", controls) as running:
        running.says("Kubernetes API at https://127")
        assert machine.kubectl(path, "auth", "can-i", "create", "secrets").out == "no\n"
        refused = machine.kubectl(path, "create", "secret", "generic", "s")
    assert 'User "admin" cannot create resource "secrets" in API group ""' in refused.err


def test_controls_that_cannot_be_used_are_told_in_a_sentence(machine: Machine, tmp_path: pathlib.Path) -> None:
    controls = tmp_path / "controls.yaml"
    controls.write_text("faults: [{color: red}]\n")
    answer = machine.syncline("sandbox", "--write-kubeconfig", tmp_path / "kubeconfig", "--controls", controls)
    assert (answer.code, answer.out, len(answer.err.splitlines())) == (2, "", 1)
    assert "controls.yaml is invalid: Object contains unknown field `color`" in answer.err


def test_without_tls_kubectl_gets_in_by_the_path(machine: Machine, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "kubeconfig"
    with machine.running("sandbox", "--write-kubeconfig", path, "--plain") as running:
        running.says("Kubernetes API at http://127")
        assert "default" in machine.kubectl(path, "get", "namespaces").out


def test_a_server_without_its_namespace_says_how_to_make_it(machine: Machine, kubeconfig: pathlib.Path) -> None:
    server = ("server", "--kubeconfig", kubeconfig, "--port", "0")
    answer = machine.syncline(*server)
    assert (answer.code, answer.out) == (2, "")
    assert "this cluster has no namespace argocd" in answer.err
    fix = "kubectl create namespace argocd"
    assert fix in answer.err
    assert machine.kubectl(kubeconfig, *fix.split()[1:]).code == 0
    with machine.running(*server) as running:
        until(lambda: "serving http://127" in running.err, lambda: f"it never served: {running.err}")
