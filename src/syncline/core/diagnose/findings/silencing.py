"""Comments that silence findings: `# syncline: ignore[CODE] reason`, on the line of a finding or the one above it.

Read by `syncline.api.check` from the files that findings point into. A comment without a reason silences nothing, and
neither does one that names no rule: both are told, and so is one that has nothing to silence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from syncline.model.errors import Place
from syncline.model.finding import Finding

_COMMENT = re.compile(r"#\s*syncline:\s*ignore(?:\[(?P<codes>[^\]]*)\])?[ \t]*(?P<reason>.*)$", re.MULTILINE)
_MARK = b"syncline:"


class Silencer(msgspec.Struct, frozen=True):
    """One comment: where it stands, for which rules, and why."""

    place: Place
    codes: tuple[str, ...]
    reason: str

    def problem(self) -> str:
        """Return why it silences nothing; empty where it may."""
        if not self.codes:
            return f"{self.place}: name the rules to be silent about: # syncline: ignore[CODE] reason"
        if not self.reason:
            codes = ", ".join(self.codes)
            return f"{self.place}: say why {codes} is ignored: # syncline: ignore[{codes}] reason"
        return ""

    def covers(self, one: Finding) -> bool:
        """Whether it is about a finding."""
        wanted = {one.code.lower(), one.name.lower()}
        return any(code.lower() in wanted for code in self.codes) and any(
            evidence.place is not None
            and evidence.place.file == self.place.file
            and evidence.place.line in (self.place.line, self.place.line + 1)
            for evidence in one.evidence
        )


class Silenced(msgspec.Struct, frozen=True):
    """What is left to say, what is silenced, and what is wrong with the comments."""

    kept: tuple[Finding, ...]
    silenced: tuple[Finding, ...]
    problems: tuple[str, ...]


def silenced(found: Sequence[Finding], files: Mapping[str, bytes]) -> Silenced:
    """Return findings without those that a comment with a reason is about."""
    comments = [one for name, text in sorted(files.items()) for one in _comments(name, text)]
    usable = [one for one in comments if not one.problem()]
    quiet = tuple(one for one in found if any(comment.covers(one) for comment in usable))
    problems = [text for one in comments if (text := one.problem())]
    problems += [
        f"{one.place}: nothing to be silent about: {', '.join(one.codes)} is not found here"
        for one in usable
        if not any(one.covers(finding) for finding in found)
    ]
    return Silenced(tuple(one for one in found if one not in quiet), quiet, tuple(problems))


def _comments(name: str, text: bytes) -> Iterator[Silencer]:
    if _MARK not in text:
        return
    for number, line in enumerate(text.decode(errors="replace").splitlines(), start=1):
        if match := _COMMENT.search(line):
            codes = tuple(word.strip() for word in (match["codes"] or "").split(",") if word.strip())
            yield Silencer(Place(name, number), codes, match["reason"].strip())
