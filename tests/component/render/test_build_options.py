"""Options of kustomize: of the repository at hand, of a flag; and what is said where they are missing."""

import pathlib
from collections.abc import Callable

import pytest

from syncline.cli.main import main
from tests.support.git_http import Repository

APP = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: shop}
spec:
  project: default
  destination: {server: https://kubernetes.default.svc, namespace: store}
  source: {repoURL: https://git.example/team/shop, path: over}
"""
FILES = {
    "over/kustomization.yaml": "namespace: x\nhelmCharts:\n- name: web\n  releaseName: r\n",
    "over/charts/web/Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.0.0\n",
    "over/charts/web/values.yaml": "{}\n",
    "over/charts/web/templates/a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: made-by-helm}\n",
    "app.yaml": APP,
}
SETTINGS = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: argocd-cm}
data:
  kustomize.buildOptions: --enable-helm --enable-alpha-plugins
"""
COMMANDS = [
    ("render", "over"),
    ("app", "manifests", "app.yaml"),
    ("blame", "ConfigMap/made-by-helm", "metadata.name", "--app", "app.yaml"),
]
Run = Callable[..., str]


@pytest.fixture
def checkout(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    monkeypatch.setenv("SYNCLINE_CACHE", str(tmp_path / "cache"))
    repository = Repository(tmp_path / "shop")
    repository.commit({**FILES})
    repository.git("remote", "add", "origin", "git@git.example:team/shop.git")
    monkeypatch.chdir(repository.folder)
    return repository


@pytest.fixture
def run(checkout: Repository, capsys: pytest.CaptureFixture[str]) -> Run:
    def run(*arguments: str, code: int = 0) -> str:
        with pytest.raises(SystemExit) as ended:
            main(list(arguments))
        printed = capsys.readouterr()
        assert ended.value.code == code, printed.err
        return printed.out + printed.err

    return run


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_without_the_option_the_answer_names_the_line_and_the_option(run: Run, command: tuple[str, ...]) -> None:
    said = run(*command, code=2)
    assert (
        "over/kustomization.yaml:2: `kustomize build` failed: charts in a kustomization are off: must specify" in said
    )
    assert "give --kustomize-build-options=--enable-helm" in said


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_the_flag_turns_charts_on(run: Run, command: tuple[str, ...]) -> None:
    assert "made-by-helm" in run(*command, "--kustomize-build-options=--enable-helm")
    assert "made-by-helm" in run(*command, "--kustomize-build-options", "--enable-helm")


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_the_settings_in_the_repository_turn_charts_on(
    run: Run, checkout: Repository, command: tuple[str, ...]
) -> None:
    (checkout.folder / "argocd").mkdir()
    (checkout.folder / "argocd" / "cm.yaml").write_text(SETTINGS)
    assert "made-by-helm" in run(*command)


def test_options_that_are_not_permitted_are_left_out_and_told(run: Run, checkout: Repository) -> None:
    (checkout.folder / "cm.yaml").write_text(SETTINGS)
    assert "kustomize.buildOptions: --enable-alpha-plugins is ignored" in run("render", "over")


def test_settings_that_do_not_agree_are_told(run: Run, checkout: Repository) -> None:
    (checkout.folder / "a.yaml").write_text(SETTINGS)
    (checkout.folder / "b.yaml").write_text(SETTINGS.replace("--enable-alpha-plugins", ""))
    said = run("render", "over")
    assert "warning: kustomize.buildOptions differ in a.yaml (--enable-helm --enable-alpha-plugins), b.yaml" in said


def test_a_chart_of_another_server_is_named_with_its_line(run: Run, checkout: Repository) -> None:
    remote = "helmCharts:\n- name: redis\n  repo: https://charts.example\n  version: 1.0.0\n  releaseName: r\n"
    (checkout.folder / "over" / "kustomization.yaml").write_text(remote)
    said = run("render", "over", "--kustomize-build-options=--enable-helm", code=2)
    assert "over/kustomization.yaml:2: " in said
    assert "chart redis of https://charts.example is not fetched: kustomize has no network here" in said
    assert "commit it to the folder charts" in said


BESIDE: dict[str, str | None] = {
    "over/kustomization.yaml": "resources: [../beside.yaml]\n",
    "beside.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: beside}\n",
    "argocd-cm.yaml": SETTINGS.replace("--enable-alpha-plugins", "--load-restrictor LoadRestrictionsNone"),
    "app.yaml": APP,
}


@pytest.mark.parametrize("command", COMMANDS[:2], ids=" ".join)
@pytest.mark.parametrize("walls", [True, False], ids=["with walls", "without walls"])
def test_files_beside_are_read_for_the_repositorys_own_settings_only_behind_walls(
    checkout: Repository, run: Run, command: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, *, walls: bool
) -> None:
    async def why() -> str:
        return "" if walls else "namespaces are forbidden"

    monkeypatch.setattr("syncline.wiring.not_shut_in", why)
    checkout.commit(BESIDE)
    said = run(*command, code=0 if walls else 2)
    assert ("name: beside" in said) is walls
    assert ("LoadRestrictionsNone of the repository's own settings is ignored" in said) is not walls
    given = "--kustomize-build-options=--load-restrictor=LoadRestrictionsNone"
    assert "name: beside" in run(*command, given)
