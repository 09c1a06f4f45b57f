"""Runs rules on a subject: the one driver behind `why`, `diagnose`, `check` and `preview`.

Called with the checks of `syncline.core.diagnose.registry` for that kind of subject. The same subject gives the same
findings in the same order, whatever order its parts have. A check that fails loses its own part alone, and says so in a
finding: nothing is green because a rule broke.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from types import TracebackType
from typing import Any, TypeVar

import msgspec

from syncline.core.diagnose.findings.memory import FindingMemory, Now
from syncline.core.diagnose.rule import Check, Findings, Rule
from syncline.core.diagnose.rules.internal import rule_failed
from syncline.model.finding import Finding, Severity

S = TypeVar("S")
_RANK = {severity: rank for rank, severity in enumerate(Severity)}


def run(checks: Sequence[Check[S]], subject: S, memory: FindingMemory | None = None) -> tuple[Finding, ...]:
    """Return what the checks find: worst first, of one severity in the order of the checks; equal ones once.

    `memory` has what was found at an earlier look on parts that are still the same.
    """
    known = _of_parts(checks, subject, memory)
    counts = Counter(
        finding
        for number, check in enumerate(checks)
        for finding in (known[number] if number in known else _findings(check, subject))
    )
    order = {check.rule.code: position for position, check in reversed(list(enumerate(checks)))}
    last_resorts = {check.rule.code for check in checks if check.rule.last_resort}
    explained = {finding.subject for finding in counts if finding.code not in last_resorts}
    kept = (one for one in counts if one.code not in last_resorts or one.subject not in explained)
    ranked = sorted(kept, key=lambda one: _position(one, order.get(one.code, len(checks))))
    return tuple(msgspec.structs.replace(one, count=counts[one]) for one in ranked)


def _position(finding: Finding, order: int) -> tuple[int, int, str, str, bytes]:
    # The last part decides between findings that say the same of two places.
    rest = msgspec.json.encode(finding, order="deterministic")
    return _RANK[finding.severity], order, finding.subject, finding.message, rest


def _of_parts(checks: Sequence[Check[S]], subject: S, memory: FindingMemory | None) -> dict[int, list[Finding]]:
    """Return what those checks find that look at each part alone, by their numbers; parts are gone through once."""
    if memory is not None:
        memory.begin(tuple((check.rule.code, check.look) for check in checks))
    groups: dict[Callable[[S], Iterable[tuple[str, Any]]], list[int]] = {}
    for number, check in enumerate(checks):
        if check.parts is not None:
            groups.setdefault(check.parts, []).append(number)
    found: dict[int, list[Finding]] = {number: [] for numbers in groups.values() for number in numbers}
    now = Now(subject)
    for parts, numbers in groups.items():
        looks = tuple((number, checks[number].rule, look) for number in numbers if (look := checks[number].look))
        try:
            for name, part in parts(subject):
                looking = partial(_looked, looks, part, name or str(subject))
                told = memory.found(parts, name, part, now, looking) if memory is not None else looking(subject)
                for number, finding in told:
                    found[number].append(finding)
        except Exception as error:  # noqa: BLE001 - see below
            for number in numbers:
                found[number].append(failed(checks[number].rule, str(subject), error))
    return found


def _looked(
    looks: Sequence[tuple[int, Rule, Callable[[S, Any], Findings]]], part: object, shown: str, subject: S
) -> list[tuple[int, Finding]]:
    """Return what several checks find on one part, each as far as it gets."""
    found: list[tuple[int, Finding]] = []
    for number, rule, look in looks:
        try:
            for finding in look(subject, part):
                found.append((number, _own(rule, finding)))  # noqa: PERF401 - what came before a failure counts
        except Exception as error:  # noqa: BLE001 - see below
            found.append((number, failed(rule, shown, error)))
    return found


def _findings(check: Check[S], subject: S) -> list[Finding]:
    found: list[Finding] = []
    rule = check.rule
    try:
        for part, look in check.looks(subject):
            try:
                for finding in look():
                    found.append(_own(rule, finding))  # noqa: PERF401 - see above
            except Exception as error:  # noqa: BLE001 - see below
                found.append(failed(rule, part or str(subject), error))
    except Exception as error:  # noqa: BLE001 - one broken rule must not take the others' findings along
        found.append(failed(rule, str(subject), error))
    return found


def _own(rule: Rule, finding: Finding) -> Finding:
    if finding.code != rule.code:
        raise ValueError(f"{rule.code} may not report {finding.code}")
    return finding


def failed(rule: Rule, part: str, error: Exception) -> Finding:
    """Return the failure of a check: what and where in the program, but not the text, which may quote a secret."""
    where = _raised_at(error.__traceback__)
    message = f"{rule.code} {rule.name} could not be checked on {part}: {type(error).__name__} at {where}"
    return rule_failed.RULE.finding(part, message, fix=rule_failed.RULE.usual_fix)


def _raised_at(trace: TracebackType | None) -> str:
    """Return module and line of the innermost frame of Syncline itself, else of the innermost frame."""
    frames = [(str(one.tb_frame.f_globals.get("__name__", "")), one.tb_lineno) for one in _frames(trace)]
    ours = [(module, line) for module, line in frames if module.startswith("syncline.") and module != __name__]
    module, line = (ours or frames)[-1]
    return f"{module}:{line}"


def _frames(trace: TracebackType | None) -> Iterator[TracebackType]:
    while trace is not None:
        yield trace
        trace = trace.tb_next
