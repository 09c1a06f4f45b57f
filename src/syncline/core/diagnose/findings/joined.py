"""Joins findings that one line causes in several apps, for people: one mistake is told once, with all that it concerns.

Used by what prints a check or a preview. Programs, baselines and fixes get the findings one by one: what a line causes
may be repaired in one app and not in another.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from syncline.model.errors import Place
from syncline.model.finding import Finding, Severity

_HASH = re.compile(r"-[a-z0-9]{10}\b")
"""What kustomize puts behind the names of generated objects."""
_OF = re.compile(r" of (?P<app>[^\s:;,]+)")
_SHOWN = 3
_Cause = tuple[str, Severity, Place, str]


def joined(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Return the findings in their order, those of one line that say the same of different apps as one."""
    groups: dict[_Cause | int, list[Finding]] = {}
    for number, one in enumerate(findings):
        groups.setdefault(_cause(one) or number, []).append(one)
    return tuple(group[0] if len(group) == 1 else _joined(group) for group in groups.values())


def _cause(one: Finding) -> _Cause | None:
    """Return the line and what is said of it, whoever it concerns; None where no line is known."""
    place = next((evidence.place for evidence in one.evidence if evidence.place is not None), None)
    if place is None or not place.line:
        return None
    said = one.message.replace(one.subject, "")
    said = _OF.sub("", said) if said != one.message else said
    return one.code, one.severity, place, _HASH.sub("", said)


def _joined(group: Sequence[Finding]) -> Finding:
    first = group[0]
    names = list(dict.fromkeys(_concerned(one) for one in group))
    others = names[1:]
    more = f" and {len(others) - _SHOWN} more" if len(others) > _SHOWN else ""
    also = f" (the same in {', '.join(others[:_SHOWN])}{more})" if others else ""
    evidence = tuple(dict.fromkeys(evidence for one in group for evidence in one.evidence))
    count = sum(one.count for one in group)
    return msgspec.structs.replace(first, message=f"{first.message}{also}", evidence=evidence, count=count)


def _concerned(one: Finding) -> str:
    """Return the app that a finding names, else what it is about."""
    found = _OF.match(one.message[len(one.subject) :]) if one.message.startswith(one.subject) else None
    return found["app"] if found is not None else one.subject
