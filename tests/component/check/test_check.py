"""`syncline check` on a checkout with every way to an Application, broken in known places."""

from __future__ import annotations

import contextlib
import io
import json
import subprocess
from pathlib import Path
from typing import Any

import msgspec
import pytest

import syncline
from syncline.api import object_files
from syncline.api.repository.roots import together
from syncline.apimachinery import yaml
from syncline.cli.main import main
from syncline.core.diagnose.subjects import RepoApp
from syncline.model.desired import Desired, DesiredObject
from syncline.model.finding import Severity

HERE = "https://git.example/team/platform.git"
ELSEWHERE = "ssh://git@git.example:22/team/platform"


def app(name: str, path: str, repo: str = HERE, **more: Any) -> str:
    value = {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {"name": name, "namespace": "argocd"},
        "spec": {
            "project": "default",
            "source": {"repoURL": repo, "path": path, **more},
            "destination": {"server": "https://kubernetes.default.svc", "namespace": "web"},
        },
    }
    return json.dumps(value, indent=1)


def config(name: str) -> str:
    return f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\n"


SET = f"""\
apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {{name: teams, namespace: argocd}}
spec:
  generators:
    - git:
        repoURL: {HERE}
        revision: HEAD
        directories: [{{path: teams/*}}]
  template:
    metadata: {{name: "{{{{path.basename}}}}"}}
    spec:
      project: default
      source: {{repoURL: {HERE}, path: "{{{{path}}}}"}}
      destination: {{server: https://kubernetes.default.svc, namespace: web}}
"""
FILES = {
    # A root whose folder holds an Application, an ApplicationSet and one that is of another repository.
    "root.json": app("root", "apps", ELSEWHERE),
    "apps/shop.json": app("shop", "shop"),
    "apps/teams.yaml": SET,
    "apps/far.json": app("far", "x", "https://git.example/team/other"),
    "apps/gone.json": app("gone", "shpo"),
    "shop/settings.yaml": config("settings"),
    "teams/a/settings.yaml": config("settings"),
    "teams/a/other.yaml": config("other"),
    "teams/b/b.yaml": config("b"),
    # A kustomization that nobody lists, of an Application that is not complete as it stands.
    "bundle/base/app.json": app("patched", "nowhere"),
    "bundle/base/kustomization.yaml": "resources: [app.json]\n",
    "bundle/prod/kustomization.yaml": "resources: [../base]\npatches: [{path: patch.yaml}]\n",
    "bundle/prod/patch.yaml": (
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: patched, namespace: argocd}\n"
        "spec: {source: {path: shop}}\n"
    ),
    "settings.yaml": (
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: argocd-cm}\ndata:\n  resource.server-side-diff: 'true'\n"
    ),
}


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("platform")
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    for arguments in (["init", "-q"], ["remote", "add", "origin", HERE]):
        subprocess.run(["git", *arguments], cwd=folder, check=True)
    return folder


@pytest.fixture(scope="module")
def checked(checkout: Path) -> syncline.Checked:
    return syncline.check(checkout)


def run(*arguments: str) -> tuple[int, str]:
    output = io.StringIO()
    with contextlib.redirect_stdout(output), pytest.raises(SystemExit) as end:
        main(["check", *arguments])
    return int(end.value.code or 0), output.getvalue()


def test_every_application_is_found_once_and_rendered_from_the_checkout(checked: syncline.Checked) -> None:
    # root, shop, far, gone, a and b of the set, and the patched one.
    assert (checked.apps, checked.sets, checked.rendered) == (7, 1, 5)
    assert checked.roots == 2


def test_what_is_not_at_hand_is_named_with_what_helps(checked: syncline.Checked) -> None:
    (left,) = checked.left_out
    assert left.what == "repository https://git.example/team/other"
    assert left.remedy == "--repo https://git.example/team/other=PATH, or --fetch"


def test_findings_are_those_that_were_planted(checked: syncline.Checked) -> None:
    found = {(one.code, str(one.evidence[0].place)) for one in checked.of(Severity.ERROR)}
    assert found == {
        ("APP-003", "apps/gone.json:12"),
        ("OWN-001", "teams/a/settings.yaml:1"),
        ("SET-001", "settings.yaml:5:3"),
    }


def test_apps_of_different_roots_may_be_meant_for_different_clusters(checked: syncline.Checked) -> None:
    (shared,) = (one for one in checked.findings if one.code == "OWN-001")
    assert "patched" not in shared.message


def test_the_screen_counts_first_and_shows_the_line(checkout: Path) -> None:
    code, text = run(str(checkout))
    lines = text.splitlines()
    assert code == 1
    assert lines[0].startswith("7 apps (1 ApplicationSet, 2 roots) · ")
    assert lines[1].partition(" · ")[0] == "3 errors"
    frame = lines.index("    5 │   resource.server-side-diff: 'true'")
    assert lines[frame + 1] == f"      │   {'^' * 33}"
    assert "not checked: 1" in lines


def test_rules_are_chosen_and_exit_codes_tell(checkout: Path, tmp_path: Path) -> None:
    code, text = run(str(checkout), "--select", "WKL", "-o", "json")
    assert (code, json.loads(text)["findings"]) == (0, [])
    assert run(str(checkout), "--select", "WKL", "--strict")[0] == 1
    assert run(str(tmp_path / "nowhere"))[0] == 2


@pytest.mark.parametrize(
    ("option", "word", "near"),
    [
        ("--select", "NOPE", "syncline rule lists all"),
        ("--ignore", "setting-nobody-read", "did you mean setting-nobody-reads"),
        ("--select", "SRC,SET-999", "syncline rule lists all"),
    ],
)
def test_a_rule_that_does_not_exist_is_not_a_clean_repository(
    option: str, word: str, near: str, checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        main(["check", str(checkout), option, word])
    told = capsys.readouterr().err
    assert (end.value.code, near in told, word.rpartition(",")[2] in told) == (2, True, True)


def test_applications_side_by_side_belong_together_unless_they_are_alternatives(tmp_path: Path) -> None:
    def stored(name: str, file: str, *objects: str) -> RepoApp:
        (manifest,) = located(tmp_path, file, app(name, "x"))
        items = tuple(DesiredObject(yaml.load(config(one).encode())) for one in objects)
        return RepoApp(manifest=manifest, desired=Desired(items), roots=(str(manifest.origin.place()),))

    parts = together([stored("web", "apps/web.json", "a", "b"), stored("api", "apps/api.json", "b", "c")])
    assert {one.roots for one in parts} == {("apps/",)}
    twins = together([stored("dev", "clusters/dev.json", "a", "b"), stored("prod", "clusters/prod.json", "a", "b")])
    assert [one.roots for one in twins] == [("clusters/dev.json:1",), ("clusters/prod.json:1",)]
    named = together([stored("web", "all/a.json", "a"), stored("web", "all/b.json", "b")])
    assert len({one.roots for one in named}) == 2
    # Alternatives take nothing from the apps beside them, and one object in common is not yet an alternative.
    others = [stored("web", "apps/web.json", "c"), stored("api", "apps/api.json", "c")]
    dev, prod, web, api = together(
        [stored("dev", "apps/dev.json", "a", "b"), stored("prod", "apps/prod.json", "a", "b"), *others]
    )
    assert [dev.roots, prod.roots] == [("apps/dev.json:1",), ("apps/prod.json:1",)]
    assert web.roots == api.roots == ("apps/",)


def located(folder: Path, file: str, text: str) -> list[DesiredObject]:
    path = folder / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    found = object_files.located(path)
    return [DesiredObject(one.obj, msgspec.structs.replace(one.origin, file=file)) for one in found]


def test_a_baseline_leaves_out_what_it_has_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "apps").mkdir()
    (tmp_path / "apps/gone.json").write_text(app("gone", "nowhere"))
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    subprocess.run(["git", "remote", "add", "origin", HERE], cwd=tmp_path, check=True)
    assert run(str(tmp_path))[0] == 1
    code, text = run(str(tmp_path), "--write-baseline")
    assert (code, "written to" in text) == (0, True)
    code, text = run(str(tmp_path))
    assert (code, "in the baseline" in text) == (0, True)
    known = syncline.check(tmp_path)
    assert (known.findings, known.known) == ((), 1)
    # A line more above it does not make it new; another mistake is.
    (tmp_path / "apps/gone.json").write_text("\n\n" + app("gone", "nowhere"))
    assert run(str(tmp_path))[0] == 0
    (tmp_path / "apps/far.json").write_text(app("far", "elsewhere"))
    assert run(str(tmp_path))[0] == 1


def test_a_wrong_word_is_corrected_in_its_file(tmp_path: Path) -> None:
    text = app("a", "a").replace('"project"', '"syncPolicy": {"syncOptions": ["PruneLast=ture"]},\n  "project"')
    (tmp_path / "a").mkdir()
    (tmp_path / "a/a.yaml").write_text(config("a"))
    (tmp_path / "app.json").write_text(text)
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    subprocess.run(["git", "remote", "add", "origin", HERE], cwd=tmp_path, check=True)
    assert "SET-001" in run(str(tmp_path))[1]
    run(str(tmp_path), "--fix")
    assert (tmp_path / "app.json").read_text() == text.replace("ture", "true")
    assert "SET-001" not in run(str(tmp_path))[1]


def test_every_form_of_output_goes_to_a_file(checkout: Path, tmp_path: Path) -> None:
    for form, begins in (("json", "{"), ("sarif", "{"), ("github", "::error"), ("markdown", "###"), ("html", "<!doc")):
        file = tmp_path / form
        assert run(str(checkout), "-o", form, "--output-file", str(file)) == (1, "")
        assert file.read_text().startswith(begins)


def test_a_file_that_is_not_a_baseline_is_one_sentence(
    checkout: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "b.json").write_text("[]")
    with pytest.raises(SystemExit) as end:
        main(["check", str(checkout), "--baseline", str(tmp_path / "b.json")])
    assert (end.value.code, "is not a baseline" in capsys.readouterr().err) == (2, True)
