"""Applications that follow a branch which the default branch has left behind."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.core.diagnose.around import plural
from syncline.core.diagnose.pointing import at
from syncline.core.diagnose.rendered import repo_apps, sources_with_paths
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo, RepoApp
from syncline.model.finding import Finding, Severity
from syncline.model.sources import repository_urls

RULE = Rule(
    code="APP-002",
    name="stale-branch",
    severity=Severity.WARNING,
    summary="An Application follows a branch that is far behind the default branch, or one for work in progress.",
    fix="follow the default branch or a tag, or merge the default branch into this one",
    looks_at=(
        LooksAt.FILES,
        LooksAt.HISTORY,
    ),
    why="What is merged to the default branch is never delivered, and everything looks green.",
)
_FAR = 100
_WORK = ("feature/", "feat/", "fix/", "bugfix/", "wip/", "tmp/")


@RULE.on_each(Repo, repo_apps)
def check(repo: Repo, app: RepoApp) -> Iterator[Finding]:
    """Yield a finding about a source that follows such a branch of this repository."""
    for path, source in sources_with_paths(app.manifest.obj):
        revision = str(source.get("targetRevision") or "")
        own = repository_urls.spelling(str(source.get("repoURL") or "")) in repo.own_addresses
        behind = (repo.branches or {}).get(revision, 0)
        if own and behind and (behind >= _FAR or revision.startswith(_WORK)):
            message = f"{app} follows {revision}, which is {plural(behind, 'commit')} behind the default branch"
            evidence = [at(app.manifest, f"{path}.targetRevision", f"targetRevision: {revision}")]
            yield RULE.finding(str(app), message, evidence=evidence, fix=RULE.usual_fix)
