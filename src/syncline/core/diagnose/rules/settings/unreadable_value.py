"""Settings whose value cannot be read."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.core.diagnose.repository import setting_problems
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo
from syncline.core.settings.report import ProblemCode
from syncline.model.finding import Finding, Severity

RULE = Rule(
    code="SET-011",
    name="unreadable-value",
    severity=Severity.ERROR,
    other_severities=frozenset({Severity.WARNING}),
    summary="The value of a setting is invalid, so its default applies.",
    fix="correct the value as the message says",
    looks_at=(LooksAt.FILES, LooksAt.SETTINGS),
    why="The setting does not take effect, and Argo CD either reports nothing or does not start.",
)


@RULE.on(Repo)
def check(repo: Repo) -> Iterator[Finding]:
    """Yield one finding per such setting."""
    return setting_problems.report(RULE, repo, ProblemCode.UNREADABLE)
