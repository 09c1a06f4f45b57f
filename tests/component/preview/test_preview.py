"""`syncline preview` on a checkout: roots, generated apps, a chart, and a branch that changes some of them."""

from __future__ import annotations

import contextlib
import io
import json
import subprocess
from pathlib import Path

import pytest

import syncline
from syncline.cli.main import main
from syncline.model.preview import AppAction, EffectKind, Preview

HERE = "https://git.example/team/platform.git"


def app(name: str, path: str, more: str = "") -> str:
    return f"""\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {{name: {name}, namespace: argocd}}
spec:
  project: default
  source: {{repoURL: {HERE}, path: {path}{more}}}
  destination: {{server: https://kubernetes.default.svc, namespace: web}}
  syncPolicy: {{automated: {{prune: true}}}}
"""


SET = f"""\
apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {{name: teams, namespace: argocd}}
spec:
  generators: [{{git: {{repoURL: {HERE}, revision: HEAD, directories: [{{path: teams/*}}]}}}}]
  template:
    metadata: {{name: "{{{{path.basename}}}}"}}
    spec:
      project: default
      source: {{repoURL: {HERE}, path: "{{{{path}}}}"}}
      destination: {{server: https://kubernetes.default.svc, namespace: teams}}
"""
WORKLOAD = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: api}
spec:
  replicas: 6
  selector: {matchLabels: {app: api}}
  template:
    metadata: {labels: {app: api}}
    spec: {containers: [{name: api, image: "registry.example/api:{{ .Values.tag }}"}]}
"""
CLAIM = """\
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 20Gi}}}
"""
FILES = {
    "root.yaml": app("root", "apps"),
    "apps/api.yaml": app("api", "chart", ", helm: {valueFiles: [../values/prod.yaml]}"),
    "apps/search.yaml": app("search", "search"),
    "apps/quiet.yaml": app("quiet", "quiet"),
    "apps/teams.yaml": SET,
    "chart/Chart.yaml": "{apiVersion: v2, name: api, version: 1.0.0}\n",
    "chart/values.yaml": "tag: latest\n",
    "chart/templates/api.yaml": WORKLOAD,
    "values/prod.yaml": "# production\ntag: 1.8.2\n",
    "search/claim.yaml": CLAIM,
    "search/config.yaml": "{apiVersion: v1, kind: ConfigMap, metadata: {name: search}}\n",
    "quiet/config.yaml": "{apiVersion: v1, kind: ConfigMap, metadata: {name: quiet}}\n",
    "teams/a/a.yaml": "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n",
}
CHANGED = {
    "values/prod.yaml": "# production\ntag: 1.9.0\n",
    "search/claim.yaml": None,
    "teams/b/b.yaml": "{apiVersion: v1, kind: ConfigMap, metadata: {name: b}}\n",
    # Not part of any commit, on neither side.
    ".gitignore": "*.local.yaml\n",
    "quiet/mine.local.yaml": "{apiVersion: v1, kind: ConfigMap, metadata: {name: mine}}\n",
}


def git(folder: Path, *arguments: str) -> str:
    settings = ("-c", "user.name=a", "-c", "user.email=a@b.example")
    return subprocess.run(["git", *settings, *arguments], cwd=folder, check=True, capture_output=True, text=True).stdout


def write(folder: Path, files: dict[str, str | None]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        if text is None:
            (folder / name).unlink()
        else:
            (folder / name).write_text(text)


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("platform")
    git(folder, "init", "-q", "-b", "main")
    git(folder, "remote", "add", "origin", HERE)
    write(folder, dict(FILES))
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "first")
    git(folder, "checkout", "-qb", "change")
    write(folder, CHANGED)
    return folder


@pytest.fixture(scope="module")
def found(checkout: Path) -> Preview:
    return syncline.preview(path=checkout)


def run(checkout: Path, *arguments: str) -> tuple[int, str]:
    output = io.StringIO()
    with contextlib.redirect_stdout(output), pytest.raises(SystemExit) as end:
        main(["preview", str(checkout), *arguments])
    return int(end.value.code or 0), output.getvalue()


def test_the_files_as_they_are_are_compared_with_where_the_branch_began(checkout: Path, found: Preview) -> None:
    assert found.base == git(checkout, "rev-parse", "main")[:10]
    assert found.head == "worktree"
    actions = {one.name: one.action for one in found.apps}
    # The root and the set are as they were, and so is the app beside which an ignored file lies.
    assert actions == {
        "argocd/api": AppAction.CHANGED,
        "argocd/search": AppAction.CHANGED,
        "argocd/b": AppAction.CREATED,
    }
    assert (found.total, found.equal, found.unknown) == (6, 3, ())


def test_a_value_of_a_chart_is_found_in_the_file_that_changes_it(found: Preview) -> None:
    (api,) = (one for one in found.apps if one.name == "argocd/api")
    (field,) = api.objects[0].fields
    assert (field.before, field.after) == ("registry.example/api:1.8.2", "registry.example/api:1.9.0")
    assert str(field.place) == "values/prod.yaml:2"


def test_what_happens_on_the_cluster_is_told(found: Preview) -> None:
    assert [one.short for one in found.of(EffectKind.DANGER)] == ["prune PVC/data (20Gi)"]
    assert [one.short for one in found.of(EffectKind.RESTART)] == ["api (6 pods)"]


def test_the_screen_counts_first_and_leaves_with_1_for_new_errors(checkout: Path) -> None:
    code, shown = run(checkout)
    lines = shown.splitlines()
    assert lines[0].startswith("6 apps: 2 change, 1 new, 0 deleted, 3 proven equal · ")
    assert "DANGER   1  prune PVC/data (20Gi)" in lines
    assert "containers[api].image  1.8.2 → 1.9.0  values/prod.yaml:2" in shown
    assert code == 1  # OWN-002: the claim is deleted.
    assert run(checkout, "--fail-on", "never")[0] == 0


def test_two_revisions_are_compared_by_name(checkout: Path) -> None:
    code, shown = run(checkout, "--base", "main", "--head", "main", "-o", "json")
    assert (code, json.loads(shown)["equal"], json.loads(shown)["apps"]) == (0, 5, [])


def test_json_has_a_version_and_every_field(checkout: Path) -> None:
    value = json.loads(run(checkout, "-o", "json")[1])
    assert value["schemaVersion"] == 1
    (danger,) = (one for one in value["effects"] if one["kind"] == "danger")
    assert danger["apps"] == ["argocd/search"]


def test_a_revision_that_is_not_there_is_one_sentence(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["preview", str(checkout), "--base", "nowhere"])
    assert end.value.code == 2
    assert "'nowhere' is not a revision of" in capsys.readouterr().err


def test_the_checkout_itself_is_only_read(checkout: Path, found: Preview) -> None:
    assert found.total
    status = git(checkout, "status", "--short", "--ignored").split("\n")
    assert sorted(filter(None, status)) == [
        " D search/claim.yaml",
        " M values/prod.yaml",
        "!! quiet/mine.local.yaml",
        "?? .gitignore",
        "?? teams/b/",
    ]


def test_the_page_and_the_comment_take_nothing_of_a_repository_as_markup(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "main")
    git(tmp_path, "remote", "add", "origin", HERE)
    config = "{{apiVersion: v1, kind: ConfigMap, metadata: {{name: a}}, data: {{x: {}}}}}\n"
    write(tmp_path, {"a.yaml": app("a", "a"), "a/a.yaml": config.format("plain")})
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "first")
    hostile = '"<img src=x onerror=alert(1)> @everyone [x](http://evil.example) `|"'
    write(tmp_path, {"a/a.yaml": config.format(hostile)})
    page, comment = run(tmp_path, "-o", "html")[1], run(tmp_path, "-o", "markdown")[1]
    assert "<img" not in page
    assert "&lt;img src=x onerror=alert(1)&gt;" in page
    row = next(line for line in comment.splitlines() if "everyone" in line)
    # Inside a span of code, which the text cannot end, and in its own cell.
    assert row.count("`") % 2 == 0
    assert row.count("|") == 6


@pytest.fixture
def unnamed(tmp_path: Path) -> Path:
    """A checkout without a remote: nothing says that the address its Applications name is this one."""
    folder = tmp_path / "work"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    write(folder, dict(FILES))
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "first")
    return folder


def test_a_folder_given_for_an_address_that_is_the_checkout_itself_is_read_at_both_revisions(unnamed: Path) -> None:
    write(unnamed, {"values/prod.yaml": "# production\ntag: 1.9.0\n"})
    found = syncline.preview("main", path=unnamed, repos={HERE: unnamed})
    assert {one.name: one.action for one in found.apps} == {"argocd/api": AppAction.CHANGED}
    assert (found.equal, found.unknown) == (4, ())


def test_without_a_remote_nothing_is_proven_about_apps_that_were_not_rendered(unnamed: Path) -> None:
    write(unnamed, {"values/prod.yaml": "# production\ntag: 1.9.0\n"})
    found = syncline.preview("main", path=unnamed)
    assert found.equal == 0
    assert set(found.unknown) == {f"argocd/{name}" for name in ("root", "api", "search", "quiet")}


def deleted(found: Preview) -> list[str]:
    return [one.name for one in found.apps if one.action is AppAction.DELETED]


def test_what_a_set_that_fails_would_make_is_not_deleted(unnamed: Path) -> None:
    write(unnamed, {"apps/teams.yaml": SET.replace("spec:\n  gen", "spec:\n  goTemplate: true\n  gen", 1)})
    found = syncline.preview("main", path=unnamed, repos={HERE: unnamed})
    assert (deleted(found), "argocd/a" in found.unknown) == ([], True)


@pytest.mark.parametrize("root", [app("root", "made"), None], ids=["by an app", "by hand"])
def test_what_a_kustomization_that_fails_would_make_is_not_deleted(tmp_path: Path, root: str | None) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    files = {"made/kustomization.yaml": "resources: [quiet.yaml]\n", "made/quiet.yaml": app("quiet", "quiet")}
    write(folder, {"quiet/a.yaml": FILES["quiet/config.yaml"], **files, **({"root.yaml": root} if root else {})})
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "first")
    write(folder, {"made/kustomization.yaml": "resources: [quiet.yaml, nowhere.yaml]\n"})
    found = syncline.preview("main", path=folder, repos={HERE: folder})
    assert (deleted(found), set(found.unknown)) == ([], {"argocd/quiet"})


def test_an_app_that_leaves_a_parent_that_renders_is_deleted(unnamed: Path) -> None:
    write(unnamed, {"apps/quiet.yaml": None})
    found = syncline.preview("main", path=unnamed, repos={HERE: unnamed})
    assert deleted(found) == ["argocd/quiet"]
