"""The project does not permit what the Application asks for, or does not exist."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from syncline.apimachinery.nearest import nearest
from syncline.core.compare.prepare import Prepared
from syncline.core.diagnose.live.around import listed
from syncline.core.diagnose.messages.complaints import About, report
from syncline.core.diagnose.repository.pointing import at, dig
from syncline.core.diagnose.repository.rendered import prepared_apps, repo_apps
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import App, Repo, RepoApp
from syncline.core.policy import projects
from syncline.core.policy.denials import Denial
from syncline.model import names, project
from syncline.model.application import Application
from syncline.model.desired import DesiredObject
from syncline.model.errors import InvalidSpec
from syncline.model.finding import Evidence, EvidenceKind, Finding, Fix, Severity

RULE = Rule(
    code="APP-005",
    name="not-permitted",
    severity=Severity.ERROR,
    other_severities=frozenset({Severity.INFO}),
    summary="The AppProject does not permit the repository, destination or namespace, or does not exist.",
    fix="change the Application, or permit it in the AppProject field that the message names",
    looks_at=(LooksAt.FILES, LooksAt.RENDERED, LooksAt.LIVE),
    why="The app is not synced. The message quotes the project rule that decides and what would allow the app.",
    bad="""\
# AppProject
spec:
  sourceRepos: [https://git.example.com/platform.git]
""",
    good="""\
# AppProject
spec:
  sourceRepos: [https://git.example.com/platform.git, https://git.example.com/shop.git]
""",
)


@RULE.on(App)
def check(app: App) -> Iterator[Finding]:
    """Yield one finding per complaint."""
    return report(RULE, app, About.PERMISSION)


@RULE.on(Repo)
def check_repo(repo: Repo) -> Iterator[Finding]:
    """Yield one finding per rule of a project in the repository and app that it denies something."""
    known = _projects(repo)
    for name, (app, typed, prepared) in prepared_apps(repo):
        item = known.get(typed.spec.project or "default")
        if item is None or not _is_placed(typed):
            continue
        rules = project.parse(item.obj)
        found: dict[str, list[Denial]] = {}
        denials = [*projects.source_denials(typed, rules), *projects.destination_denials(typed, rules)]
        for denial in denials:
            found.setdefault(denial.field, []).append(denial)
        first: dict[str, Prepared] = {}
        for one in prepared.objects:
            if (refused := projects.object_denial(one.key, typed.spec.destination, rules)) is not None:
                first.setdefault(refused.field, one)
                found.setdefault(refused.field, []).append(refused)
        for field, together in found.items():
            more = f" ({len(together) - 1} more denied by {field})" if len(together) > 1 else ""
            place = item.origin.place(field)
            evidence = [
                Evidence(kind=EvidenceKind.FILE, text=field, path=field, place=place),
                Evidence(kind=EvidenceKind.FILE, text=name, place=app.manifest.origin.place()),
            ]
            instead = ""
            if together[0].field in first and together[0] not in denials:
                other = first[field]
                evidence.append(at(other))
                instead = f", or change {other.key.short} at {other.origin.place()}"
            fix = Fix(text=f"permit it at {place}: {together[0].why}{instead}")
            yield RULE.finding(name, f"{name}: {together[0].message}{more}", evidence=evidence, fix=fix)


def _projects(repo: Repo) -> Mapping[str, DesiredObject]:
    """Return the projects of a repository that can be read; one that is there in several versions is none of them."""
    found: dict[str, DesiredObject] = {}
    doubtful: set[str] = set()
    for item in repo.projects:
        name = item.key.name
        try:
            project.parse(item.obj)
        except InvalidSpec:
            doubtful.add(name)
        if name in found and found[name].obj.get("spec") != item.obj.get("spec"):
            doubtful.add(name)
        found.setdefault(name, item)
    return {name: item for name, item in found.items() if name not in doubtful}


def _is_placed(app: Application) -> bool:
    """Whether both names of the destination are known: a project may permit it by either."""
    return bool(app.spec.destination.server) or app.spec.destination.name == names.IN_CLUSTER_NAME


@RULE.on_each(Repo, repo_apps)
def check_project(repo: Repo, app: RepoApp) -> Iterator[Finding]:
    """Yield a finding about an app of a project that is not among those of the repository.

    Where none of them is near, somebody may have made the project by hand: only a cluster can tell.
    """
    name = str(dig(app.manifest.obj, "spec", "project") or "default")
    known = {item.key.name for item in repo.projects}
    if not known or name in known or name == "default" or "{{" in name:
        return
    near = nearest(name, sorted(known))
    if near:
        message = f"{app}: there is no project {name} in this repository; did you mean {near[0]}?"
        evidence = [at(app.manifest, "spec.project", f"project: {name}")]
        yield RULE.finding(str(app), message, evidence=evidence, fix=Fix(text=f"write project: {near[0]}"))
    else:
        message = f"{app}: cannot tell whether project {name} exists: this repository has {listed(sorted(known))}"
        evidence = [at(app.manifest, "spec.project", f"project: {name}")]
        fix = Fix(text=f"add AppProject {name} to this repository, or name one that exists")
        yield RULE.finding(str(app), message, evidence=evidence, fix=fix, severity=Severity.INFO)
