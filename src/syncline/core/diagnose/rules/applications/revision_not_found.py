"""The branch, tag or commit an Application names does not exist."""

from __future__ import annotations

import re
from collections.abc import Iterator

from syncline.apimachinery.nearest import nearest
from syncline.core.diagnose.messages.complaints import About, report
from syncline.core.diagnose.repository.pointing import at
from syncline.core.diagnose.repository.rendered import repo_apps, sources_with_paths
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import App, Repo, RepoApp
from syncline.model.finding import Finding, Severity
from syncline.model.sources import repository_urls

RULE = Rule(
    code="APP-001",
    name="revision-not-found",
    severity=Severity.ERROR,
    summary="The branch, tag or commit in targetRevision does not exist in the repository.",
    fix="correct targetRevision, or push the branch or tag",
    looks_at=(LooksAt.FILES, LooksAt.HISTORY),
    why="The app is Unknown: nothing is synced or pruned, and running workloads are not touched. Often the branch was "
    "merged and deleted while an Application still follows it.",
    bad="""\
spec:
  source:
    targetRevision: stage1-complete  # deleted after the merge
""",
    good="""\
spec:
  source:
    targetRevision: main
""",
)


@RULE.on(App)
def check(app: App) -> Iterator[Finding]:
    """Yield one finding per complaint."""
    return report(RULE, app, About.REVISION)


_CONSTRAINT = re.compile(r"[*^~><=, |]|\bx\b")
_COMMIT = re.compile(r"[0-9a-f]{7,64}")


@RULE.on_each(Repo, repo_apps)
def check_repo(repo: Repo, app: RepoApp) -> Iterator[Finding]:
    """Yield a finding per source of this repository whose branch or tag the checkout does not have."""
    for path, source in sources_with_paths(app.manifest.obj):
        revision = str(source.get("targetRevision") or "HEAD")
        own = repository_urls.spelling(str(source.get("repoURL") or "")) in repo.own_addresses
        if (
            not own
            or repo.branches is None
            or source.get("chart")
            or revision.removeprefix("refs/heads/") in repo.branches
        ):
            continue
        if revision == "HEAD" or _CONSTRAINT.search(revision) or _COMMIT.fullmatch(revision) or "{{" in revision:
            continue
        near = nearest(revision, list(repo.branches))
        meant = f"; {near[0]} is there" if near else ""
        message = f"{app}: {revision} is neither a branch nor a tag of this repository{meant}"
        evidence = [at(app.manifest, f"{path}.targetRevision", revision)]
        yield RULE.finding(str(app), message, evidence=evidence, fix=RULE.usual_fix)
