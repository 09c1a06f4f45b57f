"""Semantic versions and constraints on them, by the rules of Masterminds/semver.

Part of the table in `syncline.core.appset.functions`.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from typing import Any, ClassVar

from syncline.core.appset.gotemplate.errors import CallError
from syncline.core.appset.gotemplate.functions import Function
from syncline.core.appset.gotemplate.numbers import UINT64_MAX
from syncline.core.appset.gotemplate.quoting import quote
from syncline.core.appset.gotemplate.values import Object, Uint64

_REST = r"(-([0-9A-Za-z\-]+(\.[0-9A-Za-z\-]+)*))?(\+([0-9A-Za-z\-]+(\.[0-9A-Za-z\-]+)*))?"
_VERSION = re.compile(rf"v?([0-9]+)(\.[0-9]+)?(\.[0-9]+)?{_REST}", re.ASCII)
_WILD = rf"v?([0-9|x|X|\*]+)(\.[0-9|x|X|\*]+)?(\.[0-9|x|X|\*]+)?{_REST}"
_OPERATORS = r"!=|>=|=>|<=|=<|~>|=|>|<|~|\^|"
_CONSTRAINT = re.compile(rf"\s*({_OPERATORS})\s*({_WILD})\s*", re.ASCII)
_RANGE = re.compile(rf"\s*({_WILD})\s+-\s+({_WILD})\s*", re.ASCII)
_EACH = re.compile(rf"(?:{_OPERATORS})\s*(?:{_WILD})", re.ASCII)
_VALID = re.compile(rf"(\s*({_OPERATORS})\s*({_WILD})\s*)((?:\s+|,\s*)({_OPERATORS})\s*({_WILD})\s*)*", re.ASCII)
_LONGEST = 1024


@dataclasses.dataclass(frozen=True, slots=True)
class Version(Object):
    """A semantic version."""

    major: int
    minor: int
    patch: int
    pre: str = ""
    metadata: str = ""
    original: str = ""

    type_name: ClassVar[str] = "*semver.Version"
    kind: ClassVar[str] = "ptr"

    def text(self) -> str:
        """Return the version without a leading v."""
        pre = f"-{self.pre}" if self.pre else ""
        return f"{self.major}.{self.minor}.{self.patch}{pre}" + (f"+{self.metadata}" if self.metadata else "")

    def json(self) -> str:
        """Return the version as JSON has it."""
        return self.text()

    def method(self, name: str) -> tuple[str, Callable[..., Any]] | None:
        """Return a method of the Go type."""
        methods: dict[str, tuple[str, Callable[..., Any]]] = {
            "Compare": ("version", lambda other: compare(self, other)),
            "Equal": ("version", lambda other: compare(self, other) == 0),
            "GreaterThan": ("version", lambda other: compare(self, other) > 0),
            "GreaterThanEqual": ("version", lambda other: compare(self, other) >= 0),
            "IncMajor": ("", lambda: self._next(major=self.major + 1, minor=0, patch=0)),
            "IncMinor": ("", lambda: self._next(minor=self.minor + 1, patch=0)),
            "IncPatch": ("", lambda: self._next(patch=self.patch if self.pre else self.patch + 1)),
            "LessThan": ("version", lambda other: compare(self, other) < 0),
            "LessThanEqual": ("version", lambda other: compare(self, other) <= 0),
            "Major": ("", lambda: Uint64(self.major)),
            "Metadata": ("", lambda: self.metadata),
            "Minor": ("", lambda: Uint64(self.minor)),
            "Original": ("", lambda: self.original),
            "Patch": ("", lambda: Uint64(self.patch)),
            "Prerelease": ("", lambda: self.pre),
            "String": ("", self.text),
        }
        return methods.get(name)

    def _next(self, **changes: int) -> Version:
        made = dataclasses.replace(self, pre="", metadata="", **changes)  # type: ignore[arg-type]
        lead = "v" if self.original.startswith("v") else ""
        return dataclasses.replace(made, original=lead + made.text())


def parse(text: str) -> Version:
    """Read a version; missing parts are zero."""
    found = _VERSION.fullmatch(text) if len(text) <= _LONGEST else None
    if found is None or text.endswith("\n"):
        raise CallError("invalid semantic version")
    numbers = [_segment((found[group] or "0").removeprefix(".")) for group in (1, 2, 3)]
    version = Version(numbers[0], numbers[1], numbers[2], found[5] or "", found[8] or "", text)
    for part in version.pre.split("."):
        if len(part) > 1 and part.isdecimal() and part[0] == "0":
            raise CallError("version segment starts with 0")
    return version


def _segment(digits: str) -> int:
    number = int(digits) if len(digits) < 40 else UINT64_MAX + 1
    if number > UINT64_MAX:
        raise CallError(
            f"error parsing version segment: strconv.ParseUint: parsing {quote(digits)}: value out of range"
        )
    return number


def compare(first: Version, second: Version) -> int:
    """Return -1, 0 or 1; metadata does not count."""
    one, other = (first.major, first.minor, first.patch), (second.major, second.minor, second.patch)
    if one != other:
        return 1 if one > other else -1
    if first.pre == second.pre:
        return 0
    if not first.pre or not second.pre:
        return -1 if first.pre else 1
    return _compare_pre(first.pre, second.pre)


def _compare_pre(first: str, second: str) -> int:
    ones, others = first.split("."), second.split(".")
    for at in range(max(len(ones), len(others))):
        one = ones[at] if at < len(ones) else ""
        other = others[at] if at < len(others) else ""
        order = _compare_part(one, other)
        if order:
            return order
    return 0


def _compare_part(one: str, other: str) -> int:
    if one == other:
        return 0
    if not one or not other:
        return 1 if one else -1
    numbers = [part.isdecimal() and len(part) < 20 and int(part) <= UINT64_MAX for part in (one, other)]
    if all(numbers):
        return 1 if int(one) > int(other) else -1
    if any(numbers):
        return -1 if numbers[0] else 1
    return 1 if one > other else -1


@dataclasses.dataclass(frozen=True, slots=True)
class _Constraint:
    """One condition on a version; wild parts make it dirty."""

    operator: str
    version: Version
    dirty: bool = False
    minor_wild: bool = False
    patch_wild: bool = False


def _constraint(text: str) -> _Constraint:
    found = _CONSTRAINT.fullmatch(text)
    if found is None:
        raise CallError(f"improper constraint: {text}")
    operator, written = found[1], found[2]
    major, minor, patch, pre = found[3], found[4] or "", found[5] or "", found[6] or ""
    wild = ("x", "X", "*", "")
    if major in wild:
        return _Constraint(operator, _version(f"0.0.0{pre}"), dirty=True)
    if minor.removeprefix(".") in wild:
        return _Constraint(operator, _version(f"{major}.0.0{pre}"), dirty=True, minor_wild=True)
    if patch.removeprefix(".") in wild:
        return _Constraint(operator, _version(f"{major}{minor}.0{pre}"), dirty=True, patch_wild=True)
    return _Constraint(operator, _version(written))


def _version(text: str) -> Version:
    try:
        return parse(text)
    except CallError:
        raise CallError("constraint parser error") from None


def _rewritten(text: str) -> str:
    made = text
    for found in _RANGE.finditer(text):
        made = made.replace(found[0], f">= {found[1]}, <= {found[11]} ", 1)
    return made


def satisfies(constraint: str, version: str) -> bool:
    """Tell whether a version meets a constraint such as `>=1.2 <2 || 3.x`."""
    alternatives = []
    for part in _rewritten(constraint[: _LONGEST * 4]).split("||"):
        if not _VALID.fullmatch(part):
            raise CallError(f"improper constraint: {part}")
        alternatives.append([_constraint(found[0]) for found in _EACH.finditer(part)])
    candidate = parse(version)
    return any(_meets_all(candidate, conditions) for conditions in alternatives)


def _meets_all(version: Version, conditions: list[_Constraint]) -> bool:
    with_pre = any(condition.version.pre for condition in conditions)
    return all((not version.pre or with_pre) and _meets(version, condition) for condition in conditions)


def _meets(version: Version, condition: _Constraint) -> bool:
    order = compare(version, condition.version)
    match condition.operator:
        case "" | "=":
            return _tilde(version, condition) if condition.dirty else order == 0
        case "!=":
            return _not_equal(version, condition)
        case ">":
            return _greater(version, condition)
        case "<":
            return order < 0
        case ">=" | "=>":
            return order >= 0
        case "<=" | "=<":
            return _less_or_equal(version, condition)
        case "~" | "~>":
            return _tilde(version, condition)
    return _caret(version, condition)


def _not_equal(version: Version, condition: _Constraint) -> bool:
    wanted = condition.version
    if condition.dirty:
        if wanted.major != version.major:
            return True
        if wanted.minor != version.minor and not condition.minor_wild:
            return True
        if condition.minor_wild:
            return False
        if wanted.patch != version.patch and not condition.patch_wild:
            return True
        if condition.patch_wild:
            return bool(version.pre or wanted.pre) and _compare_pre(version.pre, wanted.pre) != 0
    return compare(version, wanted) != 0


def _greater(version: Version, condition: _Constraint) -> bool:
    wanted = condition.version
    if condition.dirty:
        if version.major != wanted.major:
            return version.major > wanted.major
        if condition.minor_wild:
            return False
        if condition.patch_wild:
            return version.minor > wanted.minor
    return compare(version, wanted) == 1


def _less_or_equal(version: Version, condition: _Constraint) -> bool:
    wanted = condition.version
    if not condition.dirty:
        return compare(version, wanted) <= 0
    if version.major > wanted.major:
        return False
    return not (version.major == wanted.major and version.minor > wanted.minor and not condition.minor_wild)


def _tilde(version: Version, condition: _Constraint) -> bool:
    wanted = condition.version
    if compare(version, wanted) < 0:
        return False
    wild = condition.minor_wild or condition.patch_wild
    if (wanted.major, wanted.minor, wanted.patch) == (0, 0, 0) and not wild:
        return True
    return version.major == wanted.major and (version.minor == wanted.minor or condition.minor_wild)


def _caret(version: Version, condition: _Constraint) -> bool:
    wanted = condition.version
    if compare(version, wanted) < 0:
        return False
    if wanted.major > 0 or condition.minor_wild:
        return version.major == wanted.major
    if version.major > 0:
        return False
    if wanted.minor > 0 or condition.patch_wild:
        return version.minor == wanted.minor
    return version.minor == 0 and version.patch == wanted.patch


VERSIONS: dict[str, Function] = {
    "semver": Function(parse, "string"),
    "semverCompare": Function(satisfies, "string string"),
}
