"""Settings that are read and change nothing."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.core.diagnose.repository import setting_problems
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo
from syncline.core.settings.report import ProblemCode
from syncline.model.finding import Finding, Severity

RULE = Rule(
    code="SET-012",
    name="setting-without-effect",
    severity=Severity.WARNING,
    summary="A setting has no effect.",
    fix="remove the setting, or set what makes it effective",
    looks_at=(LooksAt.FILES, LooksAt.SETTINGS),
    why="You may rely on a setting that does nothing.",
)


@RULE.on(Repo)
def check(repo: Repo) -> Iterator[Finding]:
    """Yield one finding per such setting."""
    return setting_problems.report(RULE, repo, ProblemCode.NO_EFFECT)
