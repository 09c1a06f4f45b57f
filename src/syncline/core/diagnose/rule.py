"""What a rule is: data that says what it is about, and checks that look for it.

Written by the files in `syncline.core.diagnose.rules`, listed by `syncline.core.diagnose.registry`, run by
`syncline.core.diagnose.engine`, printed by `syncline rule` and the rule reference. Code, name and severity of a finding
come from its rule and stand nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import Any, Generic, TypeVar

import msgspec

from syncline.model.finding import Confidence, Evidence, Finding, Fix, Severity

S = TypeVar("S")
P = TypeVar("P")
Findings = Iterable[Finding]


class LooksAt(StrEnum):
    """Where a rule gets its evidence from."""

    FILES = "repository files"
    RENDERED = "rendered objects"
    LIVE = "live objects"
    EVENTS = "events"
    SETTINGS = "settings"
    HISTORY = "Git history"


class Tells(StrEnum):
    """What the findings of a rule tell beside others about the same app; causes come before all else."""

    CAUSE = "cause"
    REFUSAL = "why a sync fails"
    REWRITTEN = "why a sync never lasts"
    DRIFT = "what differs"
    FAILED_BEFORE = "that a sync failed"
    WAIT = "what is waited for"
    IDLE = "why nothing is done"
    STATE = "what an object says of itself"


class Rule(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One cause, described for people: what it is, why it matters, what to do.

    `code` is stable and `name` is its readable twin. `summary` is one sentence, `fix` says what to do in general; a
    finding may say it more closely. `why` is as long as it needs to be. `bad` and `good` are examples, in YAML.
    """

    code: str
    name: str
    severity: Severity
    summary: str
    fix: str
    looks_at: tuple[LooksAt, ...]
    why: str = ""
    bad: str = ""
    good: str = ""
    other_severities: frozenset[Severity] = frozenset()
    """The only severities, besides its own, that a finding of this rule may have."""
    tells: Tells = Tells.CAUSE
    last_resort: bool = False
    """Whether a finding is left out where another rule says something about the same subject."""
    preview: bool = False
    """Whether the rule still has to earn trust: `check` runs it only with `--preview-rules`, or by its name."""

    def finding(
        self,
        subject: str,
        message: str,
        *,
        evidence: Iterable[Evidence] = (),
        confidence: Confidence = Confidence.DECLARED,
        fix: Fix | None = None,
        options: Iterable[Fix] = (),
        since: str = "",
        effect_of: str = "",
        severity: Severity | None = None,
    ) -> Finding:
        """Return a finding of this rule; a severity that the rule does not declare is a mistake in the check."""
        if severity is not None and severity not in {self.severity, *self.other_severities}:
            raise ValueError(f"{self.code} does not declare the severity {severity.value}")
        return Finding(
            code=self.code,
            name=self.name,
            severity=severity or self.severity,
            subject=subject,
            message=message,
            evidence=tuple(evidence),
            confidence=confidence,
            fix=fix,
            options=tuple(options),
            since=since,
            effect_of=effect_of,
        )

    @property
    def usual_fix(self) -> Fix:
        """The fix of the rule, for findings that have nothing closer to say."""
        return Fix(text=self.fix)

    def on(self, subject: type[S]) -> Callable[[Callable[[S], Findings]], Check[S]]:
        """Make a function the check of this rule on one kind of subject."""

        def check(look: Callable[[S], Findings]) -> Check[S]:
            return Check(self, subject, lambda value: [("", partial(look, value))])

        return check

    def on_each(
        self, subject: type[S], parts: Callable[[S], Iterable[tuple[str, P]]]
    ) -> Callable[[Callable[[S, P], Findings]], Check[S]]:
        """Make a function the check of this rule on each part of a subject, such as every object of a repository.

        `parts` names each part; one on which the function fails is reported by that name, and the others are checked.
        """

        def check(look: Callable[[S, P], Findings]) -> Check[S]:
            return Check(
                self,
                subject,
                lambda value: ((name, partial(look, value, part)) for name, part in parts(value)),
                parts,
                look,
            )

        return check


@dataclass(frozen=True, slots=True)
class Check(Generic[S]):
    """A rule on one kind of subject: `looks` returns, for every part of a subject, its name and what looks at it.

    `parts` and `look` are the same in two, where a rule looks at each part alone.
    """

    rule: Rule
    subject: type[S]
    looks: Callable[[S], Iterable[tuple[str, Callable[[], Findings]]]]
    parts: Callable[[S], Iterable[tuple[str, Any]]] | None = None
    look: Callable[[S, Any], Findings] | None = None
