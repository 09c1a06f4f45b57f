"""What rules find in a repository, before anything is merged."""

from pathlib import Path

import pytest

from syncline.apimachinery import yaml
from syncline.core.diagnose.engine import run
from syncline.core.diagnose.registry import checks
from syncline.core.diagnose.subjects import Repo, RepoApp
from syncline.core.settings.entries import places_in
from syncline.core.settings.parse import SettingsInput, parse
from syncline.model.desired import DesiredObject
from syncline.model.errors import Place
from syncline.model.finding import Finding, Severity
from tests.unit.diagnose.repos import app, repo

CONFIG = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
"""
ANNOTATED = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
  annotations:
    {annotation}
"""


def found(subject: Repo) -> tuple[Finding, ...]:
    return run(checks(Repo), subject)


def one_app(folder: Path, text: str = CONFIG, *, options: str = "CreateNamespace=true") -> Repo:
    return Repo(apps=(app(folder, "web", text, options=options),))


def test_a_repository_without_mistakes_has_no_findings(tmp_path: Path) -> None:
    assert found(one_app(tmp_path)) == ()


@pytest.mark.parametrize(
    ("option", "message", "fix"),
    [
        (
            "PruneLast=ture",
            "PruneLast is true or false, not ture: nothing reads it",
            "write PruneLast=true",
        ),
        ("prunelast=true", "prunelast=true is not an option; nothing reads it", "write PruneLast=true"),
        (
            "Serversideapply=true",
            "Serversideapply=true is not an option; nothing reads it",
            "write ServerSideApply=true",
        ),
        (
            "PrunePropagationPolicy=sync",
            "PrunePropagationPolicy is foreground, background or orphan, not sync: nothing reads it",
            "write the intended setting in the place where it is read, or remove it",
        ),
    ],
)
def test_a_misspelt_sync_option_names_file_line_and_what_was_meant(
    tmp_path: Path, option: str, message: str, fix: str
) -> None:
    (finding,) = found(one_app(tmp_path, options=f"CreateNamespace=true, {option}"))
    assert (finding.code, finding.severity, finding.subject) == ("SET-001", Severity.ERROR, "Application/web")
    assert finding.message == message
    assert finding.evidence[0].place == Place(str(tmp_path / "apps/web.yaml"), 15)
    assert finding.fix is not None
    assert finding.fix.text == fix


@pytest.mark.parametrize(
    ("annotation", "message"),
    [
        (
            "argocd.argoproj.io/sync-options: Prune=no",
            "Prune is true, false or confirm, not no: nothing reads it",
        ),
        (
            "argocd.argoproj.io/sync-options: Prune=false,CreateNamespace=true",
            "CreateNamespace is an option of Applications; nothing reads it in argocd.argoproj.io/sync-options",
        ),
        (
            "argocd.argoproj.io/compare-options: ServerSideApply=true",
            "ServerSideApply=true is not an option; nothing reads it",
        ),
    ],
)
def test_options_of_single_objects_are_checked_too(tmp_path: Path, annotation: str, message: str) -> None:
    (finding,) = found(one_app(tmp_path, ANNOTATED.format(annotation=annotation)))
    assert (finding.code, finding.subject, finding.message) == ("SET-001", "ConfigMap/settings", message)
    assert finding.evidence[0].place == Place(str(tmp_path / "web/all.yaml"), 6)


@pytest.mark.parametrize(
    "annotation",
    [
        "argocd.argoproj.io/sync-options: Prune=confirm, Force=true,Replace=true",
        "argocd.argoproj.io/compare-options: IgnoreExtraneous, ServerSideDiff=true,IncludeMutationWebhook=true",
        "argocd.argoproj.io/sync-options: ''",
    ],
)
def test_options_that_exist_are_fine(tmp_path: Path, annotation: str) -> None:
    assert found(one_app(tmp_path, ANNOTATED.format(annotation=annotation))) == ()


def test_an_option_of_objects_does_nothing_on_an_application(tmp_path: Path) -> None:
    (finding,) = found(one_app(tmp_path, options="Force=true"))
    assert finding.message == "Force is an option of single objects; nothing reads it in spec.syncPolicy.syncOptions"


def test_settings_that_nothing_reads_are_findings_with_file_and_line() -> None:
    text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: argocd-cm}\ndata:\n  resource.server-side-diff: 'true'\n"
    (document,) = yaml.load_documents(text.encode())
    report = parse([SettingsInput(document.value, places_in(document, "cm.yaml"))])
    (finding,) = found(Repo(settings=report))
    assert (finding.code, finding.subject) == ("SET-001", "argocd-cm resource.server-side-diff")
    assert finding.message == "resource.server-side-diff is not a setting; nothing reads it"
    assert finding.evidence[0].place == Place("cm.yaml", 5, 3)


def test_an_object_that_two_apps_render_names_both(tmp_path: Path) -> None:
    (finding,) = found(repo(tmp_path, {"web": CONFIG, "api": CONFIG}))
    assert (finding.code, finding.subject) == ("OWN-001", "ConfigMap/settings")
    assert [one.text for one in finding.evidence] == ["delivered by argocd/api", "delivered by argocd/web"]


def test_one_odd_object_is_reported_and_the_others_are_checked(tmp_path: Path) -> None:
    good = app(tmp_path, "web", CONFIG, options="PruneLast=ture")
    plain = app(tmp_path, "api", CONFIG).manifest.obj
    odd = RepoApp(manifest=DesiredObject({**plain, "spec": {"syncPolicy": ["not a mapping"]}}))
    assert [(one.code, one.subject) for one in found(Repo(apps=(odd, good)))] == [
        ("SET-001", "Application/web"),
        ("INT-001", "argocd/api"),
    ]


def test_objects_that_the_same_apps_deliver_are_one_finding(tmp_path: Path) -> None:
    text = "\n---\n".join(CONFIG.replace("settings", name) for name in ("a", "b", "c", "d"))
    (finding,) = found(repo(tmp_path, {"common": text, "web": text, "other": CONFIG}))
    assert finding.message == (
        "4 objects are delivered by argocd/common and by argocd/web: ConfigMap/a, ConfigMap/b, ConfigMap/c and 1 more"
    )
