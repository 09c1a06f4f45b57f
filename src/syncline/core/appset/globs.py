"""Patterns of git generators: folders as Go's `path.Match` reads them, files as `git ls-files` or doublestar do.

Used by `syncline.core.appset.git` for folders, and by whoever reads the files of a commit for it. Patterns become
regular expressions in which each star is tried once, so that a hostile one costs no more than an honest one.
"""

from __future__ import annotations

import functools
import re

from syncline.core.appset.questions import GeneratorError

_MAX_LENGTH = 1024
_MAX_ALTERNATIVES = 256
_BRACES = re.compile(r"\{([^{}]*)\}")
_CLASSES = {
    "alnum": "a-zA-Z0-9",
    "alpha": "a-zA-Z",
    "digit": "0-9",
    "lower": "a-z",
    "upper": "A-Z",
    "space": r"\s",
    "punct": re.escape("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"),
}


def matches_folder(pattern: str, path: str) -> bool:
    """Whether a folder fits a pattern in which stars stop at slashes."""
    return bool(_segmented(pattern).fullmatch(path))


def matches_file(pattern: str, path: str, *, by_segments: bool = False) -> bool:
    """Whether git lists a file for a pattern: stars cross slashes, and a folder stands for all below it.

    `by_segments` is the newer reading: stars stop at slashes, `**` crosses them, `{a,b}` are alternatives.
    """
    cleaned = pattern.removeprefix("./")
    if by_segments:
        segments = tuple(path.split("/"))
        return any(_by_segments(tuple(one.split("/")), segments) for one in _alternatives(cleaned))
    folder = cleaned.rstrip("/")
    return cleaned in ("", ".", path) or path.startswith(f"{folder}/") or bool(_crossing(cleaned).fullmatch(path))


@functools.lru_cache(maxsize=256)
def _segmented(pattern: str) -> re.Pattern[str]:
    return _compiled(pattern, one="[^/]", many="[^/]*", negations="^", strict=True)


@functools.lru_cache(maxsize=256)
def _crossing(pattern: str) -> re.Pattern[str]:
    return _compiled(pattern, one=".", many=".*", negations="!^", strict=False)


@functools.lru_cache(maxsize=256)
def _one_segment(pattern: str) -> re.Pattern[str]:
    return _compiled(pattern, one="[^/]", many="[^/]*", negations="!^", strict=True)


@functools.lru_cache(maxsize=256)
def _alternatives(pattern: str) -> tuple[str, ...]:
    """Return the patterns that `{a,b}` stands for, from the innermost braces outwards."""
    done: list[str] = []
    pending = [pattern]
    while pending:
        if len(done) + len(pending) > _MAX_ALTERNATIVES:
            raise GeneratorError(f"the pattern {pattern!r} has more than {_MAX_ALTERNATIVES} alternatives")
        current = pending.pop()
        braces = _BRACES.search(current)
        if braces is None:
            if "{" in current or "}" in current:
                raise _malformed(pattern)
            done.append(current)
            continue
        before, after = current[: braces.start()], current[braces.end() :]
        pending += [f"{before}{choice}{after}" for choice in braces[1].split(",")]
    return tuple(done)


def _by_segments(pattern: tuple[str, ...], path: tuple[str, ...]) -> bool:
    """Whether segments fit a pattern in which `**` stands for any number of them."""
    reached = {0}
    for segment in pattern:
        if segment == "**":
            reached = set(range(min(reached), len(path) + 1)) if reached else set()
        else:
            regex = _one_segment(segment)
            reached = {at + 1 for at in reached if at < len(path) and regex.fullmatch(path[at])}
    return len(path) in reached


def _compiled(pattern: str, *, one: str, many: str, negations: str, strict: bool) -> re.Pattern[str]:
    """Return the regular expression of a pattern: what `?` and `*` stand for, what negates a class."""
    if len(pattern) > _MAX_LENGTH:
        raise GeneratorError(f"the pattern {pattern[:40]}… has more than {_MAX_LENGTH} characters")
    pieces = [""]
    at = 0
    while at < len(pattern):
        character = pattern[at]
        if character == "*":
            pieces.append("")
        elif character == "?":
            pieces[-1] += one
        elif character == "[":
            text, at = _class(pattern, at, negations, strict=strict)
            pieces[-1] += text
            continue
        else:
            if character == "\\":
                at += 1
                if at >= len(pattern):
                    raise _malformed(pattern)
            pieces[-1] += re.escape(pattern[at])
        at += 1
    first, *rest = pieces
    if not rest:
        return re.compile(first, re.DOTALL)
    # The leftmost place for each piece is as good as any other, so nothing needs to be tried twice.
    middle = "".join(f"(?>{many}?{piece})" for piece in rest[:-1] if piece)
    return re.compile(f"{first}{middle}{many}{rest[-1]}", re.DOTALL)


def _class(pattern: str, start: int, negations: str, *, strict: bool) -> tuple[str, int]:
    """Return the regular expression of a `[…]`, and where the pattern goes on."""
    at = start + 1
    negated = at < len(pattern) and pattern[at] in negations
    at += negated
    body: list[str] = []
    first = True
    while at < len(pattern) and (pattern[at] != "]" or (first and not strict)):
        first = False
        named = re.compile(r"\[:(\w+):\]").match(pattern, at) if not strict else None
        if named and named[1] in _CLASSES:
            body.append(_CLASSES[named[1]])
            at = named.end()
            continue
        low, at = _member(pattern, at)
        if pattern[at : at + 1] == "-" and pattern[at + 1 : at + 2] not in ("", "]"):
            high, at = _member(pattern, at + 1)
            body.append(f"{re.escape(low)}-{re.escape(high)}" if low <= high else "")
        else:
            body.append(re.escape(low))
    if at >= len(pattern) or first:
        raise _malformed(pattern)
    inside = "".join(body)
    if not inside:
        return ("." if negated else r"(?!)"), at + 1
    return f"[{'^' if negated else ''}{inside}]", at + 1


def _member(pattern: str, at: int) -> tuple[str, int]:
    if pattern[at] == "\\":
        at += 1
    if at >= len(pattern):
        raise _malformed(pattern)
    return pattern[at], at + 1


def _malformed(pattern: str) -> GeneratorError:
    return GeneratorError(f"the pattern {pattern!r} is malformed: check its brackets, braces and backslashes")
