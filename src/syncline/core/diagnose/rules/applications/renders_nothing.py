"""Applications without a single object."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.core.diagnose.pointing import at
from syncline.core.diagnose.rendered import repo_apps, sources_with_paths
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo, RepoApp
from syncline.model.finding import Finding, Severity

RULE = Rule(
    code="APP-102",
    name="renders-nothing",
    severity=Severity.WARNING,
    summary="An Application is rendered without an error and has no objects.",
    fix="correct the path, the include or exclude globs or the values, or delete the Application",
    looks_at=(LooksAt.RENDERED,),
    why="It is Synced and Healthy, and delivers nothing. With automatic prune an app that becomes empty "
    "deletes everything, or is held.",
)


@RULE.on_each(Repo, repo_apps)
def check(_repo: Repo, app: RepoApp) -> Iterator[Finding]:
    """Yield a finding about an app that was rendered completely and is empty."""
    if app.desired is None or app.incomplete or app.desired.objects or app.desired.warnings:
        return
    paths = [
        path for path, source in sources_with_paths(app.manifest.obj) if not source.get("ref") or source.get("path")
    ]
    if paths:
        message = f"{app} has no objects: nothing is delivered"
        evidence = [at(app.manifest, f"{paths[0]}.path", str(app))]
        yield RULE.finding(str(app), message, evidence=evidence, fix=RULE.usual_fix)
