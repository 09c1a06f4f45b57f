"""Policies as lines: `p, subject, resource, action, object, effect` and `g, subject, role`, each with where it stands.

Handed texts by `syncline.core.policy.rbac.rights`; the lines go to `syncline.core.policy.rbac.enforcer`. A line
is one record of CSV: blanks before a field are dropped, those behind it belong to it, and a quoted field may hold
commas. The odd fact: one line that cannot be read spoils all of them, so nobody gets a right that a lost deny takes.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

_LENGTHS = {"p": 6, "g": 3}
_FORMS = {"p": "p, SUBJECT, RESOURCE, ACTION, OBJECT, allow|deny", "g": "g, USER-OR-GROUP, ROLE"}
# Names of other parts of the model: Argo CD takes such lines, and they say nothing.
_SILENT = ("r", "e", "m")


class PolicyText(msgspec.Struct, frozen=True):
    """A text with policies, its name for people, and the line of its file that it begins on."""

    text: str
    name: str = "policy.csv"
    first_line: int = 1


class PolicyLine(msgspec.Struct, frozen=True):
    """One policy (`p`) or membership (`g`): its fields without that letter, and where it stands."""

    kind: str
    fields: tuple[str, ...]
    place: str = ""

    def __str__(self) -> str:
        return ", ".join((self.kind, *(f'"{field}"' if "," in field else field for field in self.fields)))


class PolicyProblem(msgspec.Struct, frozen=True):
    """Something wrong with a policy: where, what, and what to do. What is not `fatal` spoils only its own line."""

    place: str
    message: str
    fatal: bool = True
    hint: str = ""

    def __str__(self) -> str:
        return f"{self.place}: {self.message}" + (f" ({self.hint})" if self.hint else "")


class BadRecord(ValueError):
    """A line whose quotes do not close."""


def read(texts: Iterable[PolicyText]) -> tuple[list[PolicyLine], list[PolicyProblem]]:
    """Return the lines of texts in their order, and those that cannot be read."""
    lines: list[PolicyLine] = []
    problems: list[PolicyProblem] = []
    for source in texts:
        for number, raw in enumerate(source.text.split("\n"), start=source.first_line):
            text = raw.strip()
            if not text or text.startswith("#"):
                continue
            found = _line(text, f"{source.name}:{number}")
            if isinstance(found, PolicyLine):
                lines.append(found)
            elif found is not None:
                problems.append(found)
    return lines, problems


def _line(text: str, place: str) -> PolicyLine | PolicyProblem | None:
    try:
        kind, *fields = record(text)
    except BadRecord as error:
        return PolicyProblem(place, f"{error}: {text}", hint='write a field with quotes as "a ""b"" c"')
    if kind in _SILENT:
        return None
    if kind not in _LENGTHS:
        return PolicyProblem(place, f"a line begins with p or g, not with '{kind}': {text}", hint=_FORMS["p"])
    if len(fields) + 1 != _LENGTHS[kind]:
        count = f"{len(fields) + 1} fields instead of {_LENGTHS[kind]}"
        return PolicyProblem(place, f"{count}: {text}", hint=f"the form is {_FORMS[kind]}")
    return PolicyLine(kind, tuple(fields), place)


def record(text: str) -> list[str]:
    """Return the fields of one line of CSV; raises `BadRecord`."""
    fields, at = [], 0
    while True:
        while at < len(text) and text[at].isspace():
            at += 1
        field, at = _quoted(text, at + 1) if text.startswith('"', at) else _plain(text, at)
        fields.append(field)
        if at >= len(text):
            return fields
        at += 1


def _plain(text: str, at: int) -> tuple[str, int]:
    end = text.find(",", at)
    end = len(text) if end < 0 else end
    field = text[at:end]
    if '"' in field:
        raise BadRecord("a quote inside a field that does not begin with one")
    return field, end


def _quoted(text: str, at: int) -> tuple[str, int]:
    out: list[str] = []
    while True:
        end = text.find('"', at)
        if end < 0:
            raise BadRecord("a quote is not closed")
        out.append(text[at:end])
        if text.startswith('""', end):
            out.append('"')
            at = end + 2
        elif end + 1 == len(text) or text[end + 1] == ",":
            return "".join(out), end + 1
        else:
            raise BadRecord("something follows a closing quote")
