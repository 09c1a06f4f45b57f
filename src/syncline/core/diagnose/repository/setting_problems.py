"""What the rules on settings share: the mistakes that reading the settings of an installation has found."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.core.diagnose.rule import Rule
from syncline.core.diagnose.subjects import Repo
from syncline.core.settings.report import ProblemCode
from syncline.model.finding import Evidence, EvidenceKind, Finding, Fix


def report(rule: Rule, repo: Repo, kind: ProblemCode) -> Iterator[Finding]:
    """Yield a finding of a rule for each mistake of its kind."""
    for one in repo.settings.problems:
        if one.kind is kind:
            place = [Evidence(kind=EvidenceKind.FILE, text=one.key, place=one.place)] if one.place else []
            fix = Fix(text=one.fix) if one.fix else rule.usual_fix
            yield rule.finding(f"{one.home} {one.key}", one.message, evidence=place, fix=fix, severity=one.severity)
