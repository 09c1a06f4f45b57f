"""The examples of rules on repositories: the bad one is found at its line, the good one is not."""

from pathlib import Path

import pytest

from syncline import wiring
from syncline.api.repository.settings import CONFIG_MAPS
from syncline.apimachinery.keys import Object
from syncline.core.diagnose import registry
from syncline.core.diagnose.engine import run
from syncline.core.diagnose.registry import checks
from syncline.core.diagnose.rule import Rule
from syncline.core.diagnose.rules.differences import (
    immutable_field_ignored,
    whole_object_ignored,
)
from syncline.core.diagnose.rules.ordering import wave_without_effect
from syncline.core.diagnose.rules.sources import too_large
from syncline.core.diagnose.subjects import Repo, RepoApp, RepoSet
from syncline.core.settings.parse import SettingsInput, parse
from syncline.core.settings.report import SettingsReport
from syncline.model.desired import Desired, DesiredObject
from syncline.model.finding import Finding, Severity
from syncline.model.settings.settings import Settings
from tests.unit.diagnose.repos import APP, SERVER, read

LINES = {
    "values-in-two-fields": 10,
    "colliding-names": 1,
    "repeated-list-key": 8,
    "immutable-field-ignored": 11,
    "whole-object-ignored": 11,
    "replicas-with-autoscaler": 5,
    "unknown-hook": 5,
    "wave-without-effect": 5,
    "glob-with-comma": 9,
    "repeated-object": 1,
    "namespace-not-created": 13,
    "automated-without-retry": 9,
    "empty-render-prunes": 9,
    "name-too-long": 3,
    "deleted-with-its-file": 13,
    "zero-values": 17,
    "floating-chart": 9,
    "same-source-twice": 3,
    "missing-key-unnoticed": 5,
    "deletes-all-it-made": 4,
    "step-without-apps": 17,
    "quantity-spelling": 10,
    "injected-field-written": 12,
    "ignored-but-applied": 11,
    "list-ignored-and-respected": 13,
    "platform-fills-field": 5,
    "webhook-with-side-effects": 6,
    "definition-made-by-operator": 6,
    "consumer-before-producer": 12,
    "hook-before-its-needs": 15,
    "hook-vanishes": 8,
    "hook-without-end": 13,
    "command-not-permitted": 15,
    "readiness-needs-post-hook": 12,
    "wave-gates-nothing": 3,
    "webhook-guards-itself": 7,
    "definition-recreated": 5,
    "data-recreated": 5,
    "secret-in-git": 5,
    "store-account-namespace": 12,
    "apply-and-diff-differ": 9,
    "waves-without-health": 19,
    "stale-health-check": 5,
    "health-hides-failures": 5,
    "out-of-sync-only": 9,
    "excluded-kind": 9,
    "label-tracking": 5,
    "required-field-empty": 11,
    "two-hook-styles": 5,
    "namespace-missing": 11,
    "unused-ignore-rule": 9,
    "claim-before-consumer": 5,
    "store-missing": 5,
    "reference-missing": 14,
    "unknown-field": 8,
    "undeclared-field": 5,
    "quantity-invalid": 8,
    "version-not-served": 1,
    "pull-secret-missing": 9,
    "service-without-pods": 17,
    "named-object-missing": 18,
    "quota-exceeded": 6,
    "defaults-in-lists": 16,
    "wave-never-healthy": 5,
    "image-before-build": 17,
    "copied-login": 12,
    "selector-of-others": 7,
    "ingress-port": 15,
    "probe-failing": 12,
    "name-refused": 4,
    "value-refused": 9,
    "schedule-refused": 5,
    "pod-security-refused": 10,
    "window-invalid": 9,
    "unknown-annotation": 5,
    "unknown-finalizer": 6,
    "two-destinations": 9,
    "duration-invalid": 12,
    "pointer-invalid": 11,
    "generated-name": 4,
    "job-expires": 5,
    "image-invalid": 11,
    "budget-without-pods": 19,
    "host-twice": 15,
    "placeholder-left": 11,
    "policy-invalid": 10,
    "admin-equivalent-project": 6,
    "unknown-delete-policy": 7,
    "drain-blocked": 16,
    "policy-port": 18,
}
"""The line that the bad example of each rule is found at."""
RULES = tuple(sorted((rule for rule in registry.rules() if rule.name in LINES), key=lambda rule: rule.code))
SETS = ("ApplicationSet",)
TRUSTED = [check for check in checks(Repo) if not check.rule.preview]


def repo_of(folder: Path, text: str) -> Repo:
    """Return a repository with the Applications of a text, each with the objects that follow it.

    Objects before the first Application are those of an app by the name of web. Settings are those of the installation.
    """
    items = read(folder, "all.yaml", text)
    settings = [one for one in items if one.key.kind == "ConfigMap" and one.key.name in CONFIG_MAPS]
    apps: list[tuple[DesiredObject, list[DesiredObject]]] = []
    for item in items:
        if item.key.kind == "Application":
            apps.append((item, []))
            if len(apps) > 1 and "path: apps" in str(apps[0][0].obj).replace("'", ""):
                apps[0][1].append(item)
        elif item not in settings and item.key.kind not in ("ApplicationSet", "AppProject"):
            if not apps:
                apps.append((read(folder, "app.yaml", APP.format(name="web", options="", server=SERVER))[0], []))
            apps[-1][1].append(item)
    report = parse([SettingsInput(one.obj) for one in settings])
    generated = tuple(item.key.name for item, _ in apps)
    return Repo(
        apps=tuple(RepoApp(manifest=item, desired=Desired(tuple(below)) if below else None) for item, below in apps),
        sets=tuple(
            RepoSet(manifest=one, apps=generated or ("web",)) for one in items if one.key.kind == "ApplicationSet"
        ),
        projects=tuple(item for item in items if item.key.kind == "AppProject"),
        settings=SettingsReport(settings=report.settings) if settings else SettingsReport(settings=Settings()),
        one_installation=bool(settings),
        files={str(folder / "all.yaml"): text.encode()},
        judge=wiring.judge(),
    )


def found(rule: Rule, repo: Repo) -> list[Finding]:
    return list(run([check for check in checks(Repo) if check.rule is rule], repo))


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_the_bad_example_is_found_at_its_line_and_the_good_one_is_not(rule: Rule, tmp_path: Path) -> None:
    (finding,) = found(rule, repo_of(tmp_path, rule.bad))
    place = finding.evidence[0].place
    assert place is not None
    assert place.line == LINES[rule.name]
    assert finding.fix is not None
    assert found(rule, repo_of(tmp_path, rule.good)) == []


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_no_other_rule_says_anything_about_the_good_example(rule: Rule, tmp_path: Path) -> None:
    said = run(TRUSTED, repo_of(tmp_path, rule.good))
    # That something only a cluster can tell is not there is a remark.
    assert [one for one in said if one.severity is not Severity.INFO or "cannot tell" not in one.message] == []


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


BLACKLIST = "spec.namespaceResourceBlacklist"
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
        (
            9,
            f"argocd/web: resource :Secret is not permitted in project default (1 more denied by {BLACKLIST}[0])",
        ),
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
