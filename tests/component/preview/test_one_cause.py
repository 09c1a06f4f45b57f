"""A preview of one mistake in several apps: told once, at the line that makes it, unless a comment says why."""

from __future__ import annotations

from pathlib import Path

import pytest

import syncline
from syncline.cli.show.previewing.markdown import comment
from syncline.cli.show.previewing.text import screen
from syncline.model.preview import EffectKind, Preview
from tests.component.preview.test_preview import HERE, app, git, write

TEMPLATE = (
    '{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {x: {{ required "no x" .Values.x | quote }}}}\n'
)
VALUES = "../values.yaml"
SOURCES = f"""\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {{name: c, namespace: argocd}}
spec:
  project: default
  sources:
    - {{repoURL: {HERE}, path: chart, helm: {{valueFiles: [$own/values.yaml]}}}}
    - {{repoURL: {HERE}, ref: own}}
  destination: {{server: https://kubernetes.default.svc, namespace: c}}
"""
JOB = """\
apiVersion: batch/v1
kind: Job
metadata: {{name: job}}
spec:
  {comment}
  ttlSecondsAfterFinished: 60
  template: {{spec: {{restartPolicy: Never, containers: [{{name: a, image: "example/a:1"}}]}}}}
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q", "-b", "main")
    git(tmp_path, "remote", "add", "origin", HERE)
    files = {f"apps/{name}.yaml": app(name, "chart", f", helm: {{valueFiles: [{VALUES}]}}") for name in "ab"}
    chart = {"chart/Chart.yaml": "{apiVersion: v2, name: c, version: 1.0.0}\n", "chart/templates/c.yaml": TEMPLATE}
    more = {
        "apps/c.yaml": SOURCES,
        "values.yaml": "x: one\n",
        "apps/jobs.yaml": app("jobs", "jobs"),
        "jobs/c.yaml": "{apiVersion: v1, kind: ConfigMap, metadata: {name: c}}\n",
    }
    write(tmp_path, {**files, **chart, **more})
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "first")
    return tmp_path


def previewed(checkout: Path, files: dict[str, str | None]) -> Preview:
    write(checkout, files)
    return syncline.preview(base="HEAD", path=checkout)


def test_a_value_of_another_source_is_found_at_its_line(checkout: Path) -> None:
    found = previewed(checkout, {"values.yaml": "x: two\n"})
    places = {one.name: str(one.objects[0].fields[0].place) for one in found.apps}
    assert places == dict.fromkeys(("argocd/a", "argocd/b", "argocd/c"), "values.yaml:1")


def test_what_keeps_several_apps_from_being_rendered_is_told_once(checkout: Path) -> None:
    found = previewed(checkout, {"values.yaml": "y: two\n"})
    assert [one.apps for one in found.of(EffectKind.DANGER)] == [("argocd/a", "argocd/b", "argocd/c")]
    # For programs each app has its finding.
    assert len([one for one in found.new if one.code == "SRC-001"]) == 3
    for text in (screen(found, 1.0), comment(found)):
        assert text.count("SRC-001") == 1
    assert "argocd/a: `helm template` failed: no x (the same in argocd/b, argocd/c)" in screen(found, 1.0)


@pytest.mark.parametrize(
    ("words", "new"),
    [("# syncline: ignore[DIF-103] it is run by hand", []), ("# it is run by hand", ["DIF-103"])],
)
def test_what_a_comment_silences_is_not_new(checkout: Path, words: str, new: list[str]) -> None:
    found = previewed(checkout, {"jobs/job.yaml": JOB.format(comment=words)})
    assert [one.code for one in found.new] == new
