"""The examples of rules on repositories: the bad one is found at its line, the good one is not."""

from pathlib import Path

import pytest

from syncline.apimachinery.keys import Object
from syncline.core.diagnose.engine import run
from syncline.core.diagnose.registry import checks
from syncline.core.diagnose.rule import Rule
from syncline.core.diagnose.rules.applications import two_values
from syncline.core.diagnose.rules.applicationsets import colliding_names
from syncline.core.diagnose.rules.differences import (
    immutable_field_ignored,
    repeated_list_key,
    replicas_with_autoscaler,
    whole_object_ignored,
)
from syncline.core.diagnose.rules.ordering import unknown_hook, wave_without_effect
from syncline.core.diagnose.rules.sources import glob_with_comma, repeated_object, too_large
from syncline.core.diagnose.subjects import Repo, RepoApp
from syncline.model.desired import Desired, DesiredObject
from syncline.model.finding import Finding
from tests.unit.diagnose.repos import APP, SERVER, read

RULES = (
    (two_values.RULE, 10),
    (colliding_names.RULE, 1),
    (repeated_list_key.RULE, 8),
    (immutable_field_ignored.RULE, 11),
    (whole_object_ignored.RULE, 11),
    (replicas_with_autoscaler.RULE, 5),
    (unknown_hook.RULE, 5),
    (wave_without_effect.RULE, 5),
    (glob_with_comma.RULE, 9),
    (repeated_object.RULE, 1),
)


def repo_of(folder: Path, text: str) -> Repo:
    """Return a repository with the Applications of a text, or else with one that delivers its objects."""
    items = read(folder, "all.yaml", text)
    apps = tuple(RepoApp(manifest=item) for item in items if item.key.kind == "Application")
    objects = tuple(item for item in items if item.key.group != "argoproj.io")
    if not apps:
        (manifest,) = read(folder, "app.yaml", APP.format(name="web", options="", server=SERVER))
        apps = (RepoApp(manifest=manifest, desired=Desired(objects)),)
    return Repo(apps=apps, projects=tuple(item for item in items if item.key.kind == "AppProject"))


def found(rule: Rule, repo: Repo) -> list[Finding]:
    return list(run([check for check in checks(Repo) if check.rule is rule], repo))


@pytest.mark.parametrize(("rule", "line"), RULES, ids=[rule.code for rule, _ in RULES])
def test_the_bad_example_is_found_at_its_line_and_the_good_one_is_not(rule: Rule, line: int, tmp_path: Path) -> None:
    (finding,) = found(rule, repo_of(tmp_path, rule.bad))
    place = finding.evidence[0].place
    assert place is not None
    assert place.line == line
    assert finding.fix is not None
    assert found(rule, repo_of(tmp_path, rule.good)) == []


@pytest.mark.parametrize(("rule", "_line"), RULES, ids=[rule.code for rule, _ in RULES])
def test_no_other_rule_says_anything_about_the_good_example(rule: Rule, _line: int, tmp_path: Path) -> None:
    assert run(checks(Repo), repo_of(tmp_path, rule.good)) == ()


WAVE_ON_TEMPLATE = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  template:
    metadata:
      annotations: {argocd.argoproj.io/sync-wave: "2"}
"""


def test_a_wave_on_a_pod_template_is_read_by_nobody(tmp_path: Path) -> None:
    (finding,) = found(wave_without_effect.RULE, repo_of(tmp_path, WAVE_ON_TEMPLATE))
    assert finding.message == "Deployment/web has a wave on its pod template, where nothing reads it"


def large(options: str = "") -> Object:
    annotations = {"argocd.argoproj.io/sync-options": options} if options else {}
    metadata = {"name": "dashboards", "annotations": annotations}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"a": "x" * 262_144}}


@pytest.mark.parametrize(
    ("obj", "options", "refused"),
    [
        (large(), "", True),
        (large("ServerSideApply=true"), "", False),
        (large("Replace=true"), "", False),
        (large(), "ServerSideApply=true", False),
        (large("ServerSideApply=false"), "ServerSideApply=true", True),
        ({**large(), "data": {"a": "x" * 200_000}}, "", False),
    ],
)
def test_what_is_too_large_for_the_annotation_is_found_unless_it_is_applied_another_way(
    obj: Object, options: str, refused: bool, tmp_path: Path
) -> None:
    (manifest,) = read(tmp_path, "app.yaml", APP.format(name="web", options=options, server=SERVER))
    repo = Repo(apps=(RepoApp(manifest=manifest, desired=Desired((DesiredObject(obj),))),))
    assert bool(found(too_large.RULE, repo)) is refused


DENYING = """\
apiVersion: argoproj.io/v1alpha1
kind: AppProject
metadata: {name: default, namespace: argocd}
spec:
  sourceRepos: ["*"]
  destinations:
    - {server: "*", namespace: shop}
  namespaceResourceBlacklist:
    - {group: "", kind: Secret}
"""
OBJECTS = """\
apiVersion: v1
kind: Secret
metadata: {name: a}
---
apiVersion: v1
kind: Secret
metadata: {name: b}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: far, namespace: elsewhere}
"""


def test_what_a_project_of_the_repository_denies_is_found_at_the_line_that_decides(tmp_path: Path) -> None:
    repo = repo_of(tmp_path, OBJECTS)
    projects = tuple(read(tmp_path, "project.yaml", DENYING))
    denied = [one for one in run(checks(Repo), Repo(apps=repo.apps, projects=projects)) if one.name == "not-permitted"]
    assert [(one.evidence[0].place and one.evidence[0].place.line, one.message) for one in denied] == [
        (6, "argocd/web: namespace elsewhere is not permitted in project 'default'"),
        (9, "argocd/web: resource :Secret is not permitted in project default and 1 more"),
    ]


def test_a_project_in_several_versions_is_not_judged_by(tmp_path: Path) -> None:
    repo = repo_of(tmp_path, OBJECTS)
    other = DENYING.replace("kind: Secret", "kind: ConfigMap")
    projects = (*read(tmp_path, "a.yaml", DENYING), *read(tmp_path, "b.yaml", other))
    assert run(checks(Repo), Repo(apps=repo.apps, projects=projects)) == ()


def test_an_ignore_rule_whose_group_is_an_api_version_never_matches(tmp_path: Path) -> None:
    text = APP.format(name="web", options="", server=SERVER)
    rules = "  ignoreDifferences:\n    - group: {}\n      kind: Deployment\n      jsonPointers: [/spec/replicas]\n"
    (finding,) = run(checks(Repo), repo_of(tmp_path, text + rules.format("apps/v1")))
    assert (finding.name, finding.evidence[0].place and finding.evidence[0].place.line) == ("unused-ignore-rule", 17)
    assert run(checks(Repo), repo_of(tmp_path, text + rules.format("apps"))) == ()


@pytest.mark.parametrize(
    ("rule", "bad"),
    [
        (immutable_field_ignored.RULE, immutable_field_ignored.RULE.bad),
        (whole_object_ignored.RULE, whole_object_ignored.RULE.bad),
    ],
)
def test_an_ignore_rule_for_one_object_by_name_is_an_exception_that_somebody_meant(
    rule: Rule, bad: str, tmp_path: Path
) -> None:
    assert found(rule, repo_of(tmp_path, f"{bad}      name: web\n")) == []


def test_what_is_not_sent_either_may_be_ignored(tmp_path: Path) -> None:
    respecting = immutable_field_ignored.RULE.bad + "  syncPolicy: {syncOptions: [RespectIgnoreDifferences=true]}\n"
    assert found(immutable_field_ignored.RULE, repo_of(tmp_path, respecting)) == []
