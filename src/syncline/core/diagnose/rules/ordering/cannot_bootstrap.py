"""Apps that wait for one another in a ring."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.core.diagnose.repository.bootstrap import proof
from syncline.core.diagnose.repository.pointing import at
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo
from syncline.model.finding import Finding, Severity

RULE = Rule(
    code="ORD-102",
    name="cannot-bootstrap",
    severity=Severity.ERROR,
    summary="Apps wait for each other in a cycle: this repository cannot bring up an empty cluster.",
    fix="break the cycle: move what is needed into an app of an earlier wave",
    looks_at=(LooksAt.RENDERED,),
    why="Each of them waits for the next, because of a wave or a CRD. On a running cluster this goes unnoticed, "
    "because everything already exists.",
)
_TOLD_ELSEWHERE = 2


@RULE.on(Repo)
def check(repo: Repo) -> Iterator[Finding]:
    """Yield the shortest ring of three apps or more; one of two is told by the rule on definitions."""
    ring = proof(repo).ring
    if len(ring) > _TOLD_ELSEWHERE:
        evidence = [at(step.item, "", f"{step.app} waits for {step.before}: {step.because}") for step in ring]
        message = proof(repo).sentence
        yield RULE.finding(ring[0].app, message, evidence=evidence, fix=RULE.usual_fix)
