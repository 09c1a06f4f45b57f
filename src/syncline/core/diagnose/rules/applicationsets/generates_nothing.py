"""ApplicationSets that fail or generate nothing."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.core.diagnose.repository.pointing import at
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo
from syncline.model.finding import Finding, Severity

RULE = Rule(
    code="APS-001",
    name="generates-nothing",
    severity=Severity.ERROR,
    other_severities=frozenset({Severity.WARNING}),
    summary="An ApplicationSet generates no Application, or fails.",
    fix="correct the generator: its path, selector or elements",
    looks_at=(LooksAt.FILES, LooksAt.LIVE),
    why="It creates no Application, and existing ones are deleted unless the set's policy forbids it.",
)


@RULE.on(Repo)
def check(repo: Repo) -> Iterator[Finding]:
    """Yield a finding per set; an empty one is a warning, since it may be meant."""
    for one in repo.sets:
        if one.unknown or one.apps:
            continue
        evidence = [at(one.manifest, "spec.generators", str(one))]
        if one.problem:
            message = f"{one}: {one.problem}"
            yield RULE.finding(str(one), message, evidence=evidence, fix=RULE.usual_fix)
        else:
            message = f"{one} generates no Application"
            yield RULE.finding(str(one), message, evidence=evidence, fix=RULE.usual_fix, severity=Severity.WARNING)
