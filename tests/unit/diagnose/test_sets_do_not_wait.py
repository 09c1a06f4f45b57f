"""Waves of ApplicationSets: found where one app or folder has them, and nowhere else."""

from __future__ import annotations

from pathlib import Path

import pytest

from syncline.core.diagnose.rules.ordering import sets_do_not_wait
from syncline.core.diagnose.subjects import Repo, RepoApp, RepoSet
from syncline.model.finding import Finding
from tests.unit.diagnose import repos

SET = """\
apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata:
  name: {name}
  namespace: argocd
  annotations: {{{wave}}}
spec:
  generators: [{{list: {{elements: []}}}}]
  template: {{metadata: {{name: x}}, spec: {{}}}}
"""
APP = SET.replace("ApplicationSet", "Application")
WAVE = 'argocd.argoproj.io/sync-wave: "{}"'


def found_in(repo: Repo) -> list[Finding]:
    return [one for _, look in sets_do_not_wait.check.looks(repo) for one in look()]


def texts(*kinds: tuple[str, str, str]) -> str:
    """Return the manifests of these: template, name and wave."""
    found = [text.format(name=name, wave=WAVE.format(wave) if wave else "") for text, name, wave in kinds]
    return "---\n".join(found)


@pytest.mark.parametrize(
    ("kinds", "found"),
    [
        (((SET, "one", "4"), (SET, "two", "5")), "one"),
        (((SET, "one", "4"), (APP, "two", "5")), "one"),
        (((SET, "one", "-1"), (SET, "two", "")), "one"),
        (((SET, "one", "4"), (SET, "two", "4")), ""),
        (((APP, "one", "4"), (SET, "two", "5")), ""),
        (((SET, "one", ""), (SET, "two", "")), ""),
        (((SET, "one", ""), (SET, "two", "1")), ""),
        (((SET, "one", "7"),), ""),
    ],
)
def test_of_one_app(kinds: tuple[tuple[str, str, str], ...], found: str, tmp_path: Path) -> None:
    made = repos.repo(tmp_path, {"root": texts(*kinds)})
    messages = [one.message for one in found_in(made)]
    assert [f"ApplicationSet/{found}" in one for one in messages] == [True] * bool(found)


def test_of_a_folder_whose_app_is_not_in_git(tmp_path: Path) -> None:
    def a_set(file: str, name: str, wave: str) -> RepoSet:
        (manifest,) = repos.read(tmp_path, file, texts((SET, name, wave)))
        return RepoSet(manifest=manifest)

    first, second = a_set("apps/a.yaml", "a", "4"), a_set("apps/b.yaml", "b", "5")
    (finding,) = found_in(Repo(sets=(first, second)))
    assert "ApplicationSet/b in wave 5 does not wait for the apps of ApplicationSet/a in wave 4" in finding.message
    place = finding.evidence[0].place
    assert place is not None
    assert place.line == 6
    elsewhere = a_set("other/b.yaml", "b", "5")
    assert found_in(Repo(sets=(first, elsewhere))) == []
    (manifest,) = repos.read(tmp_path, "apps/c.yaml", texts((APP, "c", "")))
    assert found_in(Repo(sets=(first,), apps=(RepoApp(manifest=manifest),))) == []
