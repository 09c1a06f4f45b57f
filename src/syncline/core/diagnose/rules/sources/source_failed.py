"""The source cannot be fetched or rendered, where no closer rule says why."""

from __future__ import annotations

import re
from collections.abc import Iterator

from syncline.core.diagnose.messages.complaints import About, report
from syncline.core.diagnose.repository.pointing import words
from syncline.core.diagnose.repository.rendered import repo_apps, sources_with_paths
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
_AT = re.compile(r"cannot be read: (?:a value of )?(\S+) must be ")
_OF_SOURCE = re.compile(r"are required for source \S+ \((spec\.sources\[\d+\])\)")
_QUOTED = re.compile(r"(?:invalid app path|value file) '(?P<text>[^']+)'")
_TOOLS = Fix(text="install helm and kubectl where the check runs: pip install 'syncline[tools]'")


@RULE.on(App)
def check(app: App) -> Iterator[Finding]:
    """Yield one finding per complaint."""
    return report(RULE, app, About.SOURCE)


@RULE.on_each(Repo, repo_apps)
def check_repo(_repo: Repo, app: RepoApp) -> Iterator[Finding]:
    """Yield a finding about an app whose files are at hand and make no objects."""
    if app.problem and not app.missing:
        place = app.place or app.manifest.origin.place(_field(app))
        evidence = [Evidence(kind=EvidenceKind.FILE, text=f"rendered for {app}", place=place)]
        fix = _TOOLS if _NOT_INSTALLED in app.problem else RULE.usual_fix
        yield RULE.finding(str(app), f"{app}: {app.problem}", evidence=evidence, fix=fix)


def _field(app: RepoApp) -> str:
    """Return the field of the Application that a problem is about, where it tells; else nothing, which is its top."""
    if found := _AT.search(app.problem) or _OF_SOURCE.search(app.problem):
        return found[1]
    quoted = _QUOTED.match(app.problem)
    for path, source in sources_with_paths(app.manifest.obj) if quoted else ():
        if quoted and source.get("path") == quoted["text"]:
            return f"{path}.path"
        for number, name in enumerate(words(source, "helm", "valueFiles")):
            if quoted and name == quoted["text"]:
                return f"{path}.helm.valueFiles[{number}]"
    return ""
