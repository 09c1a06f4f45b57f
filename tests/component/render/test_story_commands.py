"""Each of five teams finds the cause of its trouble with one command, standing in its own checkout."""

import pathlib

import pytest

from syncline.cli.main import main
from tests.support.git_http import Repository

SEEDS = pathlib.Path(__file__).parents[2] / "fixtures" / "seeds"


def checkout(folder: pathlib.Path, scenario: str, state: str = "broken") -> Repository:
    """Return a team's repository, with its other branches."""
    repository = Repository(folder)
    repository.commit({**texts(SEEDS / scenario / state)})
    repository.git("remote", "add", "origin", f"git@git.example:{scenario}.git")
    for branch in sorted((SEEDS / scenario / "branches").glob("**/gitops")):
        name = branch.parent.relative_to(SEEDS / scenario / "branches").as_posix()
        repository.git("checkout", "-q", "-b", name)
        gone: dict[str, str | None] = dict.fromkeys(repository.git("ls-files").split())
        repository.commit({**gone, **texts(branch.parent)})
        repository.git("checkout", "-q", "main")
    return repository


def texts(folder: pathlib.Path) -> dict[str, str]:
    return {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    ("scenario", "arguments", "code", "words"),
    [
        pytest.param(
            "private-ai",
            "app manifests gitops/argocd/applications/stage01/app-stage01-model-serving.yaml",
            2,
            [
                "failed to generate manifest for source 1 of 1: gitops/stage01/serving/kustomization.yaml:2: ",
                "gitops/stage01/serving/vllm/pvc-mistral-24b.yaml: no such file or directory",
                "https://git.example/private-ai.git at stage1-complete (",
                "has it: is targetRevision stage1-complete out of date?",
            ],
            id="a branch that was left behind",
        ),
        pytest.param(
            "kubeflow",
            "app manifests bootstrap/apps/kubeflow",
            0,
            [
                "kubeflow-common-services: Namespace for default-install-config-",
                " /v1, Kind=ConfigMap is missing. (applications/pipelines/kustomization.yaml:5: ",
                (
                    "ServiceAccount/spark-operator-controller is part of applications kubeflow-common-services"
                    " (applications/spark/spark.yaml:2) and kubeflow-spark (applications/spark/spark.yaml:2)"
                ),
            ],
            id="one kustomization too large",
        ),
        pytest.param(
            "kubeflow",
            "blame ConfigMap/default-install-config metadata.namespace"
            " --app bootstrap/apps/kubeflow/common-services.yaml",
            0,
            ["metadata.namespace: not there\n  file  applications/pipelines/kustomization.yaml:5  does not set it"],
            id="a namespace that nobody names",
        ),
        pytest.param(
            "ameide",
            "blame Deployment/agents spec.template.spec.tolerations --app argocd/applications/dev.yaml",
            0,
            [
                (
                    "`tolerations: []` in sources/values/_shared/apps/agents.yaml:6 hides"
                    " sources/values/env/dev/globals.yaml:7, sources/charts/apps/service/values.yaml:8"
                )
            ],
            id="an empty override",
        ),
        pytest.param(
            "self-healing",
            "blame BuildConfig/notebook-validator spec.source.git.uri --app argocd/self-healing-platform.yaml",
            0,
            [
                'imageBuilds.gitRepository: `gitRepository: ""` in charts/hub/values.yaml:2\n',
                "  missing   values-hub.yaml  named in valueFiles but missing",
                "  template  charts/hub/templates/buildconfig.yaml:11",
            ],
            id="a value that nobody gives",
        ),
        pytest.param(
            "homelab",
            "appset generate infrastructure/controllers/argocd/apps/my-apps-appset.yaml",
            0,
            ["name: llama\n", "name: player\n", "path: my-apps/"],
            id="what a set creates",
        ),
        pytest.param(
            "homelab",
            "app manifests infrastructure/controllers/argocd/apps/my-apps-appset.yaml",
            0,
            ["kind: "],
            id="what the Applications of a set render",
        ),
    ],
)
def test_the_cause_is_found_with_one_command(
    tmp_path: pathlib.Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    scenario: str,
    arguments: str,
    code: int,
    words: list[str],
) -> None:
    monkeypatch.setenv("SYNCLINE_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(checkout(tmp_path / "repository", scenario).folder)
    with pytest.raises(SystemExit) as ended:
        main(arguments.split())
    printed = capsys.readouterr()
    assert ended.value.code == code, printed.err
    assert [one for one in words if one not in printed.out + printed.err] == [], printed.out + printed.err
