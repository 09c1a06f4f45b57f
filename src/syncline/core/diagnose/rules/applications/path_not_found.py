"""The folder, chart or values file an Application names is not in the repository at that revision."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.apimachinery.nearest import nearest
from syncline.core.diagnose.messages.complaints import About, report
from syncline.core.diagnose.repository.pointing import words
from syncline.core.diagnose.repository.rendered import repo_apps, sources_with_paths
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import App, Repo, RepoApp
from syncline.model.finding import Evidence, EvidenceKind, Finding, Fix, Severity
from syncline.model.sources import repository_urls

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
def check_repo(repo: Repo, app: RepoApp) -> Iterator[Finding]:
    """Yield a finding about an app that names something that is not in the repository."""
    if app.missing:
        place = app.place or app.manifest.origin.place(_field(app))
        evidence = [Evidence(kind=EvidenceKind.FILE, text=app.missing, place=place)]
        meant = _meant(repo, app)
        message = f"{app}: {app.problem}" + (f"; {meant} must be meant" if meant else "")
        fix = Fix(text=f"write {meant}, or follow the revision that has {app.missing}") if meant else RULE.usual_fix
        yield RULE.finding(str(app), message, evidence=evidence, fix=fix)


def _field(app: RepoApp) -> str:
    """Return the field of the Application that names what is missing."""
    for path, source in sources_with_paths(app.manifest.obj):
        for index, name in enumerate(words(source, "helm", "valueFiles")):
            if name in (app.missing, app.problem.partition("named as '")[2].partition("'")[0]):
                return f"{path}.helm.valueFiles[{index}]"
    found = (path for path, source in sources_with_paths(app.manifest.obj) if source.get("path") == app.missing)
    return f"{next(found, 'spec.source')}.path"


def _meant(repo: Repo, app: RepoApp) -> str:
    """Return the folder of this repository that is nearest to a missing path; empty where a file is missing."""
    urls = {repository_urls.spelling(str(source.get("repoURL"))) for _, source in sources_with_paths(app.manifest.obj)}
    if not urls <= repo.own_addresses or not app.problem.startswith(f"{app.missing}: app path does not exist"):
        return ""
    folders = {folder for file in repo.tree for folder in _folders(file)}
    missing = app.missing.strip("/")
    near = nearest(missing, sorted(folders - set(_folders(missing))))
    return next((one for one in near if _alike(missing, one)), "")


def _alike(one: str, other: str) -> bool:
    """Whether one path can be meant by another: each step is nearly the same, or the last one stands elsewhere."""
    steps, others = one.split("/"), other.split("/")
    if len(steps) != len(others):
        return steps[-1] == others[-1]
    return all(mine == its or nearest(mine, [its]) for mine, its in zip(steps, others, strict=True))


def _folders(file: str) -> Iterator[str]:
    while "/" in file:
        file = file.rpartition("/")[0]
        yield file
