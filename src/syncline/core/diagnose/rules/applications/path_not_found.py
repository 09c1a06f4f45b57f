"""The folder, chart or values file an Application names is not in the repository at that revision."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.core.diagnose.messages.complaints import About, report
from syncline.core.diagnose.repository.rendered import repo_apps
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import App, Repo, RepoApp
from syncline.model.finding import Evidence, EvidenceKind, Finding, Severity

RULE = Rule(
    code="APP-003",
    name="path-not-found",
    severity=Severity.ERROR,
    summary="The Application's path or one of its values files is missing at its revision.",
    fix="correct the path, or follow the revision that has it",
    looks_at=(LooksAt.FILES, LooksAt.HISTORY),
    why="The app is Unknown: nothing is synced or pruned, and running workloads are not touched. The message names the "
    "nearest path that exists, and says so if HEAD has the missing file.",
    bad="""\
spec:
  source:
    path: apps/web  # renamed to apps/shop-web
""",
    good="""\
spec:
  source:
    path: apps/shop-web
""",
)


@RULE.on(App)
def check(app: App) -> Iterator[Finding]:
    """Yield one finding per complaint."""
    return report(RULE, app, About.PATH)


@RULE.on_each(Repo, repo_apps)
def check_repo(_repo: Repo, app: RepoApp) -> Iterator[Finding]:
    """Yield a finding about an app that names something that is not in the repository."""
    if app.missing:
        field = "spec.sources" if (app.manifest.obj.get("spec") or {}).get("sources") else "spec.source"
        place = app.place or app.manifest.origin.place(f"{field}.path")
        evidence = [Evidence(kind=EvidenceKind.FILE, text=app.missing, place=place)]
        yield RULE.finding(str(app), f"{app}: {app.problem}", evidence=evidence, fix=RULE.usual_fix)
