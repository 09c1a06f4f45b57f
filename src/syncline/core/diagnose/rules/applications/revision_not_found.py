"""The branch, tag or commit an Application names does not exist."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.core.diagnose.complaints import About, report
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import App
from syncline.model.finding import Finding, Severity

RULE = Rule(
    code="APP-001",
    name="revision-not-found",
    severity=Severity.ERROR,
    summary="The branch, tag or commit in targetRevision does not exist in the repository.",
    fix="correct targetRevision, or push the branch or tag",
    looks_at=(LooksAt.FILES, LooksAt.HISTORY),
    why="The app is Unknown: nothing is synced or pruned, and what runs keeps running. Often the branch was merged and "
    "deleted while an Application still follows it.",
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
