"""The folder, chart or values file an Application names is not in the repository at that revision."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.core.diagnose.complaints import About, report
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import App
from syncline.model.finding import Finding, Severity

RULE = Rule(
    code="APP-003",
    name="path-not-found",
    severity=Severity.ERROR,
    summary="The path or a values file that the Application names is missing at its revision.",
    fix="correct the path, or follow the revision that has it",
    looks_at=(LooksAt.FILES, LooksAt.HISTORY),
    why="The app is Unknown: nothing is synced or pruned, and what runs keeps running. The message names the nearest "
    "path that exists, and says so where HEAD has what is missing.",
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
