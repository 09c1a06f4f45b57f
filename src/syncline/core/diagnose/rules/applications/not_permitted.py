"""The project does not permit what the Application asks for, or does not exist."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.core.diagnose.complaints import About, report
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import App
from syncline.model.finding import Finding, Severity

RULE = Rule(
    code="APP-005",
    name="not-permitted",
    severity=Severity.ERROR,
    summary="The AppProject does not permit the repository, destination or namespace, or does not exist.",
    fix="change the Application, or permit it in the AppProject field that the message names",
    looks_at=(LooksAt.FILES, LooksAt.RENDERED, LooksAt.LIVE),
    why="The app is not synced. The message quotes the deciding rule of the project and what would allow the app.",
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
