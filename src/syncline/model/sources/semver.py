"""Picks the newest version that a constraint such as `1.x`, `^1.2` or `>=1.0 <2.0` allows.

Used for tags of Git repositories and versions of charts. The rules are those of the Go library Argo CD and Helm use
(Masterminds/semver): a version may have fewer than three numbers and a leading `v`; a pre-release fits only where one
of the constraints that must hold together names a pre-release itself (`>=1.0.0-0`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import total_ordering

_PRE = r"(?:-(?P<pre>[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?"
_BUILD = r"(?:\+(?P<build>[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?"
_VERSION = re.compile(rf"v?(?P<major>\d+)(?:\.(?P<minor>\d+))?(?:\.(?P<patch>\d+))?{_PRE}{_BUILD}")
_MAX_VERSION = 256
_MAX_CONSTRAINT = 2048
_WILD = r"\d+|[xX*]"
_PART = (
    r"(?P<op>!=|=>|=<|>=|<=|~>|[=><~^])?\s*"
    rf"(?:v?(?P<major>{_WILD})(?:\.(?P<minor>{_WILD}))?(?:\.(?P<patch>{_WILD}))?{_PRE}{_BUILD})"
)
_CONSTRAINT = re.compile(rf"[\s,]*{_PART}(?=[\s,]|$)")
_RANGE = re.compile(
    rf"\s*(?P<low>v?(?:{_WILD})(?:\.(?:{_WILD}))*(?:-[0-9A-Za-z.-]+)?)\s+-\s+(?P<high>v?(?:{_WILD})(?:\.(?:{_WILD}))*(?:-[0-9A-Za-z.-]+)?)\s*"
)


@total_ordering
@dataclass(frozen=True, slots=True, eq=False)
class Version:
    """A version, and the text it was read from."""

    major: int
    minor: int
    patch: int
    pre: str = ""
    text: str = ""

    @property
    def numbers(self) -> tuple[int, int, int]:
        """The three numbers."""
        return self.major, self.minor, self.patch

    def precedence(self) -> tuple[tuple[int, int, int], bool, tuple[tuple[bool, int, str], ...]]:
        """Return what versions are ordered by; build metadata does not count."""
        return self.numbers, self.pre == "", tuple(_rank(part) for part in self.pre.split(".")) if self.pre else ()

    def __lt__(self, other: object) -> bool:
        return isinstance(other, Version) and self.precedence() < other.precedence()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Version) and self.precedence() == other.precedence()

    def __hash__(self) -> int:
        return hash(self.precedence())


def _rank(part: str) -> tuple[bool, int, str]:
    return (False, int(part), "") if part.isdecimal() else (True, 0, part)


def parse(text: str) -> Version | None:
    """Return the version a text stands for, or None; `1.2` and `v1.2.0` are versions."""
    found = _VERSION.fullmatch(text) if len(text) <= _MAX_VERSION else None
    if found is None:
        return None
    return Version(int(found["major"]), int(found["minor"] or 0), int(found["patch"] or 0), found["pre"] or "", text)


@dataclass(frozen=True, slots=True)
class Constraint:
    """One comparison: an operator, a version, and which of its numbers were left open (`1.x`)."""

    operator: str
    version: Version
    open_major: bool = False
    open_minor: bool = False
    open_patch: bool = False

    @property
    def is_open(self) -> bool:
        """Whether some number was left open."""
        return self.open_major or self.open_minor or self.open_patch

    def allows(self, version: Version, *, pre_releases: bool) -> bool:
        """Whether a version fits."""
        if version.pre and not self.version.pre and not pre_releases:
            return False
        return _CHECKS[self.operator](self, version)


Alternatives = Sequence[Sequence[Constraint]]


def constraints(text: str) -> Alternatives | None:
    """Return the alternatives of a constraint, each a list that must hold together; None where it is not one."""
    if len(text) > _MAX_CONSTRAINT:
        return None
    found = [_together(part) for part in text.split("||")]
    return None if any(part is None for part in found) else [part for part in found if part is not None]


def is_constraint(text: str) -> bool:
    """Whether a text is a constraint and not a version itself."""
    return parse(text) is None and constraints(text) is not None


def newest(text: str, names: Iterable[str]) -> str | None:
    """Return the name of the newest version that a constraint allows; names that are not versions do not count."""
    allowed = constraints(text)
    if allowed is None:
        return None
    best: Version | None = None
    for name in names:
        version = parse(name)
        if version is not None and allows(allowed, version) and (best is None or best < version):
            best = version
    return best.text if best else None


def allows(allowed: Alternatives, version: Version) -> bool:
    """Whether a version fits one of the alternatives."""
    for together in allowed:
        pre_releases = any(one.version.pre for one in together)
        if all(one.allows(version, pre_releases=pre_releases) for one in together):
            return True
    return False


def _together(text: str) -> list[Constraint] | None:
    if not text.strip():
        return None
    text = _RANGE.sub(lambda found: f" >={found['low']} <={found['high']} ", text)
    found: list[Constraint] = []
    at = 0
    while text[at:].strip():
        part = _CONSTRAINT.match(text, at)
        if part is None:
            return None
        found.append(_constraint(part))
        at = part.end()
    return found


def _constraint(found: re.Match[str]) -> Constraint:
    major, minor, patch = (_number(found[name]) for name in ("major", "minor", "patch"))
    pre = found["pre"] or ""
    operator = found["op"] or ""
    if major is None:
        return Constraint(operator, Version(0, 0, 0, pre), open_major=True)
    if minor is None:
        return Constraint(operator, Version(major, 0, 0, pre), open_minor=True)
    if patch is None:
        return Constraint(operator, Version(major, minor, 0, pre), open_patch=True)
    return Constraint(operator, Version(major, minor, patch, pre))


def _number(text: str | None) -> int | None:
    return int(text) if text is not None and text.isdecimal() else None


def _equal(one: Constraint, version: Version) -> bool:
    return _tilde(one, version) if one.is_open else version == one.version


def _not_equal(one: Constraint, version: Version) -> bool:
    wanted = one.version
    if not one.is_open or one.open_major:
        return version != wanted
    if version.major != wanted.major:
        return True
    if one.open_minor:
        return False
    return version.minor != wanted.minor


def _greater(one: Constraint, version: Version) -> bool:
    wanted = one.version
    if not one.is_open or one.open_major:
        return version > wanted
    if version.major != wanted.major:
        return version.major > wanted.major
    return one.open_patch and version.minor > wanted.minor


def _at_most(one: Constraint, version: Version) -> bool:
    wanted = one.version
    if not one.is_open:
        return version <= wanted
    if version.major > wanted.major:
        return False
    return not (version.major == wanted.major and version.minor > wanted.minor and not one.open_minor)


def _tilde(one: Constraint, version: Version) -> bool:
    wanted = one.version
    if version < wanted:
        return False
    if wanted.numbers == (0, 0, 0) and not one.open_minor and not one.open_patch:
        return True  # `~0.0.0` and `*` take everything
    if version.major != wanted.major:
        return False
    return version.minor == wanted.minor or one.open_minor


def _caret(one: Constraint, version: Version) -> bool:
    wanted = one.version
    if version < wanted:
        return False
    if wanted.major > 0 or one.open_minor:
        return version.major == wanted.major
    if version.major > wanted.major:
        return False
    if wanted.minor > 0 or one.open_patch:
        return version.minor == wanted.minor
    if version.minor > wanted.minor:
        return False
    return version.patch == wanted.patch


_CHECKS: dict[str, Callable[[Constraint, Version], bool]] = {
    "": _equal,
    "=": _equal,
    "!=": _not_equal,
    ">": _greater,
    "<": lambda one, version: version < one.version,
    ">=": lambda one, version: version >= one.version,
    "=>": lambda one, version: version >= one.version,
    "<=": _at_most,
    "=<": _at_most,
    "~": _tilde,
    "~>": _tilde,
    "^": _caret,
}
