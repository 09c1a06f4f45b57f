"""Decides one request by lines of policy: a deny that matches wins, else an allow that matches, else it is denied.

Made by `syncline.core.policy.rbac.rights` for one set of lines and asked many times. A subject has its own lines
and those of its roles, up to ten memberships away. Patterns are globs in which `*` crosses slashes, or with `regex`
expressions that need to match a part only; both run in RE2, so no pattern makes anybody wait. The odd facts: a glob
that cannot be read matches nothing, an expression that cannot be read denies every request that gets to it, and what
is remembered by subject, resource and action is forgotten when it becomes much.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import msgspec

from syncline.apimachinery import globs
from syncline.core.policy.rbac.lines import PolicyLine
from syncline.model.settings.parts import MatchMode

_FARTHEST = 10
_REMEMBERED = 4096
_IN_ONE_SET = 50
_NOTHING = r"[^\s\S]"


class RbacRequest(msgspec.Struct, frozen=True):
    """What somebody wants to do: `sync` of `applications` on `team/shop`."""

    subject: str
    resource: str
    action: str
    object: str = ""


class RbacVerdict(msgspec.Struct, frozen=True):
    """Yes or no, the line that decides (None where none matches), and the roles from the subject to that line."""

    allowed: bool
    line: PolicyLine | None = None
    roles: tuple[str, ...] = ()
    reason: str = ""


UNMATCHED: Final = RbacVerdict(allowed=False)


class _BadPattern(ValueError):
    """An expression that cannot be read."""


class _Left:
    """What is left of the lines for one subject, resource and action: the answers, by patterns of objects."""

    __slots__ = ("_answers", "_sets")

    def __init__(self, answers: Sequence[RbacVerdict], mode: MatchMode) -> None:
        # Denials first, so that the first that matches is the one that decides.
        self._answers = sorted(answers, key=lambda answer: answer.allowed)
        patterns = [answer.line.fields[3] for answer in self._answers if answer.line is not None]
        self._sets: list[tuple[int, Any]] = [
            (start, _compiled(patterns[start : start + _IN_ONE_SET], mode))
            for start in range(0, len(patterns), _IN_ONE_SET)
        ]

    def answer(self, name: str) -> RbacVerdict:
        """Return the answer for an object."""
        for start, patterns in self._sets:
            found: list[int] | None = patterns.Match(name)
            if found:
                return self._answers[start + min(found)]
        return UNMATCHED


class Enforcer:
    """Lines of policy, ready to be asked."""

    def __init__(self, lines: Iterable[PolicyLine], mode: MatchMode = MatchMode.GLOB) -> None:
        self._mode = mode
        self._policies: dict[str, list[tuple[int, PolicyLine]]] = {}
        self._roles: dict[str, list[str]] = {}
        self._patterns: dict[str, Any] = {}
        self._left: dict[tuple[str, str, str], _Left | RbacVerdict] = {}
        for number, line in enumerate(lines):
            if line.kind == "g":
                self._roles.setdefault(line.fields[0], []).append(line.fields[1])
            else:
                self._policies.setdefault(line.fields[0], []).append((number, line))

    def decide(self, request: RbacRequest) -> RbacVerdict:
        """Return the answer with the line that decides."""
        key = (request.subject, request.resource, request.action)
        left = self._left.get(key)
        if left is None:
            if len(self._left) >= _REMEMBERED:
                self._left.clear()
            left = self._left[key] = self._narrow(*key)
        return left if isinstance(left, RbacVerdict) else left.answer(request.object)

    def is_member(self, subject: str) -> bool:
        """Whether any line says that a user or group belongs to a role."""
        return subject in self._roles

    def reached(self, subject: str) -> Mapping[str, tuple[str, ...]]:
        """Return the roles of a subject, itself among them, each with the shortest way there."""
        found: dict[str, tuple[str, ...]] = {subject: ()}
        edge = [subject]
        for _ in range(_FARTHEST):
            following: list[str] = []
            for name in edge:
                for role in self._roles.get(name, ()):
                    if role not in found:
                        found[role] = (*found[name], role)
                        following.append(role)
            edge = following
        return found

    def _narrow(self, subject: str, resource: str, action: str) -> _Left | RbacVerdict:
        """Return what matches all but the object; one answer for all objects where a pattern cannot be read."""
        roles = self.reached(subject)
        lines = sorted((item for role in roles for item in self._policies.get(role, ())), key=lambda item: item[0])
        left: list[RbacVerdict] = []
        for _, line in lines:
            way, effect = roles[line.fields[0]], line.fields[4]
            try:
                matched = self._matches(resource, line.fields[1]) and self._matches(action, line.fields[2])
                if matched and self._pattern(line.fields[3]) is not None and effect in ("allow", "deny"):
                    left.append(RbacVerdict(effect == "allow", line, way))
            except _BadPattern as error:
                return RbacVerdict(allowed=False, line=line, roles=way, reason=f"'{error}' is not a valid expression")
        return _Left(left, self._mode)

    def _matches(self, value: str, pattern: str) -> bool:
        return bool(self._pattern(pattern).Match(value))

    def _pattern(self, pattern: str) -> Any:
        """Return a pattern of the lines, ready to be matched."""
        found = self._patterns.get(pattern)
        if found is None:
            found = self._patterns[pattern] = _compiled([pattern], self._mode)
        return found


def pattern_error(pattern: str, mode: MatchMode) -> str:
    """Return why a pattern cannot be read; empty where it can."""
    if mode is MatchMode.GLOB:
        return "" if globs.expression(pattern) is not None else "a bracket, brace or backslash is not finished"
    try:
        _compiled([pattern], mode)
    except _BadPattern:
        return "it is not an expression that RE2 takes"
    return ""


def _compiled(patterns: Sequence[str], mode: MatchMode) -> Any:
    """Return patterns as one set, whose `Match` returns the numbers of those that match."""
    import re2

    options = re2.Options()
    options.log_errors = False
    found = re2.Set.SearchSet(options)
    for pattern in patterns:
        try:
            found.Add(_expression(pattern, mode))
        except re2.error:
            raise _BadPattern(pattern) from None
    found.Compile()
    return found


def _expression(pattern: str, mode: MatchMode) -> str:
    if mode is MatchMode.REGEX:
        return pattern
    text = globs.expression(pattern)
    return _NOTHING if text is None else rf"(?s)\A(?:{text})\z"
