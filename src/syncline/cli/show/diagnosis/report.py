"""A diagnosis with what its first line says: where it was read, how long that took, what was left out.

Made by `syncline.cli.diagnose.command`, handed to every format. Words that formats share are here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime

import msgspec

from syncline.apimachinery import times
from syncline.cli.show.tables import age
from syncline.core.diagnose.findings.redaction import without_secrets
from syncline.core.diagnose.findings.wording import counted
from syncline.model.diagnosis import Diagnosis, Link, RootCause, Thing
from syncline.model.finding import Confidence, Evidence, EvidenceKind, Fix

SURE = {
    Confidence.DECLARED: "certain (declared references)",
    Confidence.OWNED: "certain (owners)",
    Confidence.TEXT: "likely (a message names it)",
    Confidence.TIME: "maybe (at the same time)",
}
"""What a finding rests on, in words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """One diagnosis, ready to be shown. `states` says how each app stands, `counted` what is counted.

    `home` is the cluster that needs no name beside an object.
    """

    diagnosis: Diagnosis
    words: str
    read_seconds: float
    seconds: float
    now: datetime
    counted: str = "app"
    states: Mapping[str, str] = field(default_factory=dict)
    home: str = ""
    secrets_read: bool = False
    with_logs: bool = True

    @property
    def not_good(self) -> int:
        """How many are not in order."""
        return self.diagnosis.total - self.diagnosis.good

    @property
    def first_line(self) -> str:
        """Where this comes from and what was not read."""
        found = self.diagnosis
        read = f"{plural(found.objects, 'object')} read in {_took(self.read_seconds)}"
        if self.counted != "object":
            read = f"{plural(found.total, self.counted)}, {read}"
        parts = [self.words, f"{read}, reasoned in {_took(self.seconds)}"]
        parts.append("names and keys of Secrets read" if self.secrets_read else "Secrets not read")
        if found.unread:
            parts.append(f"not read: {', '.join(found.unread)}")
        return " · ".join(parts)

    @property
    def second_line(self) -> str:
        """Counts before content."""
        found = self.diagnosis
        if not self.not_good and not found.causes:
            total = plural(found.total, self.counted)
            return f"{total}: nothing to repair" if found.total else f"no {self.counted}s were found"
        states = ", ".join(f"{count:,} {state}" for state, count in _by_count(found.counts))
        parts = [
            f"{self.not_good:,} of {plural(found.total, self.counted)} not OK",
            plural(len(found.causes), "cause"),
            states,
        ]
        if found.starting:
            parts.append(f"{len(found.starting):,} only starting")
        if found.unexplained:
            parts.append(f"{len(found.unexplained):,} unexplained")
        return " · ".join(part for part in parts if part)

    def age(self, time: str) -> str:
        """Return how long ago a time was; empty where it is not known."""
        try:
            return age(time, self.now) if time else ""
        except times.InvalidTime:
            return ""

    def state(self, name: str) -> str:
        """Return how an app stands, such as `OutOfSync, Degraded`."""
        return self.states.get(name, "")

    def named(self, thing: Thing) -> str:
        """Return the words for a thing, with its cluster where that is not the home."""
        return f"{thing} on {thing.cluster}" if thing.cluster not in ("", self.home) else str(thing)

    def rank(self, cause_id: str) -> str:
        """Return the number under which a cause is listed."""
        return next((str(one.rank) for one in self.diagnosis.causes if one.id == cause_id), cause_id)

    def order(self) -> str:
        """Return the order of repair and what it brings; empty where there is nothing to order."""
        steps = self.diagnosis.repairs
        if not steps:
            return ""
        ranks = " → ".join(self.rank(step.cause) for step in steps)
        good = ", ".join(f"{step.good_after:,}" for step in steps)
        gone = steps[-1].gone_after
        left = f" of {self.diagnosis.total - gone:,}, {plural(gone, self.counted)} deleted" if gone else ""
        return f"Repair order {ranks} · OK after each, at most: {good}{left}   (now {self.diagnosis.good:,})"


def _took(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds >= 0.1 else f"{seconds * 1000:.0f} ms"


def _by_count(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda one: (-one[1], one[0]))


def plural(count: int, noun: str) -> str:
    """Return `1 app`, `2,000 apps`."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def title(cause: RootCause) -> str:
    """Return the cause in one sentence."""
    return without_secrets(cause.finding.message)


def code(cause: RootCause) -> str:
    """Return code and name of the rule."""
    return f"{cause.finding.code} {cause.finding.name}"


def chain(cause: RootCause) -> list[str]:
    """Return the steps from the cause to the symptoms, as `63 ExternalSecrets SecretSyncedError`."""
    return [_step(link) for link in cause.chain]


def _step(link: Link) -> str:
    return f"{counted(link.count, link.kind)} {link.state}".rstrip()


def proof(cause: RootCause, *, with_logs: bool) -> Iterator[Evidence]:
    """Yield what a cause rests on, what was said first; lines of logs only where they may be shown."""
    for evidence in cause.finding.evidence:
        is_log = evidence.kind is EvidenceKind.LOG
        shown = evidence.place is None and evidence.kind is not EvidenceKind.COMMAND
        if shown and evidence.text and (with_logs or not is_log) and evidence.text not in cause.finding.message:
            yield evidence


def is_quoted(cause: RootCause) -> bool:
    """Whether the sentence about a cause has the words that it rests on."""
    return any(one.text and one.text in cause.finding.message for one in cause.finding.evidence if one.place is None)


def places(cause: RootCause) -> list[Evidence]:
    """Return the lines of files that the cause stems from."""
    found = {(one.place, one.text): one for one in reversed(cause.finding.evidence) if one.place is not None}
    return list(reversed(found.values()))


def fixes(cause: RootCause) -> list[tuple[str, Fix]]:
    """Return the fix and other ways out, each with its label, which is not said twice."""
    others = [msgspec.structs.replace(one, text=one.text.removeprefix("or ")) for one in cause.finding.options]
    first = [("fix", cause.finding.fix)] if cause.finding.fix is not None else []
    return [*first, *(("or", one) for one in others)]


def effort(cause: RootCause) -> str:
    """Return how much there is to do, for the table: `11 lines`, `command` or `decide`."""
    fix = cause.finding.fix
    if fix is None:
        return ""
    if fix.edits:
        files = {edit.place.file for edit in fix.edits}
        return plural(len(fix.edits), "line") if len(files) < 2 else f"{len(fix.edits)} lines, {len(files)} files"
    return "command" if fix.command else "decide"
