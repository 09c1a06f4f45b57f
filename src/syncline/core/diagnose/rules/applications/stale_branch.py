"""Applications that follow a branch which the default branch has left behind."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.core.diagnose.live.around import plural
from syncline.core.diagnose.repository.pointing import at
from syncline.core.diagnose.repository.rendered import repo_apps, sources_with_paths
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo, RepoApp
from syncline.model.finding import Finding, Severity
from syncline.model.sources import repository_urls

RULE = Rule(
    code="APP-002",
    name="stale-branch",
    severity=Severity.WARNING,
    summary="An Application follows a branch that is far behind the default branch, or a work-in-progress branch.",
    fix="follow the default branch or a tag, or merge the default branch into this one",
    looks_at=(
        LooksAt.FILES,
        LooksAt.HISTORY,
    ),
    why="Changes merged to the default branch are never delivered, and everything looks green.",
)
_FAR = 100
_WORK = ("feature", "feat", "fix", "bugfix", "wip", "tmp")
_ENVIRONMENTS = frozenset(
    [
        "prod",
        "production",
        "prd",
        "live",
        "stage",
        "staging",
        "stg",
        "preprod",
        "dev",
        "development",
        "test",
        "testing",
        "qa",
        "uat",
        "int",
        "integration",
        "sandbox",
        "env",
        "release",
        "releases",
        "stable",
    ]
)


@RULE.on_each(Repo, repo_apps)
def check(repo: Repo, app: RepoApp) -> Iterator[Finding]:
    """Yield a finding about a source that follows such a branch of this repository."""
    for path, source in sources_with_paths(app.manifest.obj):
        revision = str(source.get("targetRevision") or "")
        own = repository_urls.spelling(str(source.get("repoURL") or "")) in repo.own_addresses
        behind, ahead = (repo.branches or {}).get(revision, (0, 0))
        if own and behind and (behind >= _FAR or _is_left(revision, ahead)):
            message = f"{app} follows {revision}, which is {plural(behind, 'commit')} behind the default branch"
            evidence = [at(app.manifest, f"{path}.targetRevision", f"targetRevision: {revision}")]
            yield RULE.finding(str(app), message, evidence=evidence, fix=RULE.usual_fix)


def _is_left(revision: str, ahead: int) -> bool:
    """Whether a branch is one for work, or was merged and left behind; environments are promoted from time to time."""
    parts = revision.lower().replace("_", "-").replace("/", "-").split("-")
    return not _ENVIRONMENTS & set(parts) and (parts[0] in _WORK or not ahead)
