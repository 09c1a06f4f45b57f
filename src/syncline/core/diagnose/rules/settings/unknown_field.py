"""Fields that a settings object does not have."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.core.diagnose import setting_problems
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo
from syncline.core.settings.report import ProblemCode
from syncline.model.finding import Finding, Severity

RULE = Rule(
    code="SET-009",
    name="unknown-field",
    severity=Severity.ERROR,
    summary="A field of an Argo CD resource or settings block does not exist, and is dropped.",
    fix="write the field that was meant, or remove it",
    looks_at=(LooksAt.FILES, LooksAt.SETTINGS),
    why="The API server and Argo CD drop unknown fields without a message, so what was meant to be set is not set.",
)


@RULE.on(Repo)
def check(repo: Repo) -> Iterator[Finding]:
    """Yield one finding per such setting."""
    return setting_problems.report(RULE, repo, ProblemCode.UNKNOWN_FIELD)
