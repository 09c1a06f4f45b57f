"""`syncline sandbox` is a Kubernetes to kubectl, and takes our CRDs."""

import pathlib
from collections.abc import Iterator

import pytest

from tests.e2e.program import Machine


@pytest.fixture(scope="module")
def kubeconfig(machine: Machine, tmp_path_factory: pytest.TempPathFactory) -> Iterator[pathlib.Path]:
    path = tmp_path_factory.mktemp("sandbox") / "kubeconfig"
    with machine.running("sandbox", "--write-kubeconfig", path) as running:
        running.says("Kubernetes API at http://127")
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
        f"customresourcedefinition.apiextensions.k8s.io/{name}.argoproj.io"
        for name in ("applications", "appprojects", "applicationsets")
    ]


def test_without_the_crds_the_way_to_them_is_said(machine: Machine, tmp_path: pathlib.Path) -> None:
    with machine.running("sandbox", "--write-kubeconfig", tmp_path / "kubeconfig") as running:
        running.says("Kubernetes API at http://127")
        answer = machine.syncline("app", "list", "--kubeconfig", tmp_path / "kubeconfig")
    assert (answer.code, answer.out, len(answer.err.splitlines())) == (2, "", 1)
    assert "syncline admin crds | kubectl apply" in answer.err


def test_nobody_gets_in_without_the_token(machine: Machine, kubeconfig: pathlib.Path, tmp_path: pathlib.Path) -> None:
    stranger = tmp_path / "kubeconfig"
    lines = [line for line in kubeconfig.read_text().splitlines() if "token" not in line]
    stranger.write_text("\n".join(line.partition("/access/")[0] for line in lines) + "\n")
    answer = machine.kubectl(stranger, "get", "namespaces")
    assert answer.code == 1
