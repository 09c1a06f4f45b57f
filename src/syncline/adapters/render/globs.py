"""Matches include and exclude patterns of directory sources as Argo CD does.

Used by `syncline.adapters.render.directory`, and segment by segment for value files. There is no separator: `*`
crosses `/`, and so does `**`, which means the same. `a,b` is one pattern unless written `{a,b}`. Each star is
matched once and never again, so that a hostile pattern costs no more than an honest one.
"""

from __future__ import annotations

import functools
import itertools
import re

from syncline.model.errors import RenderError

_MAX_ALTERNATIVES = 256
_MAX_LENGTH = 1024


def matches(pattern: str, path: str) -> bool:
    """Whether a path fits a pattern; raises `RenderError` for a pattern that is none."""
    return any(alternative.fullmatch(path) for alternative in _compile(pattern))


def alternatives(pattern: str) -> list[str]:
    """Return the patterns that `{a,b}` stands for."""
    if len(pattern) > _MAX_LENGTH:
        raise RenderError(f"the glob {pattern[:40]}… has more than {_MAX_LENGTH} characters")
    return _expand(pattern)


@functools.lru_cache(maxsize=256)
def _compile(pattern: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(_regex(alternative, pattern), re.DOTALL) for alternative in alternatives(pattern))


def _expand(pattern: str) -> list[str]:
    """Write out `{a,b}`: one pattern per alternative, from the innermost braces outwards."""
    done: list[str] = []
    pending = [pattern]
    while pending:
        if len(done) + len(pending) > _MAX_ALTERNATIVES:
            raise RenderError(f"the glob {pattern!r} has more than {_MAX_ALTERNATIVES} alternatives")
        current = pending.pop()
        braces = _innermost(current, pattern)
        if braces is None:
            done.append(current)
            continue
        start, end, commas = braces
        edges = [start, *commas, end]
        choices = [current[left + 1 : right] for left, right in itertools.pairwise(edges)]
        pending += [current[:start] + choice + current[end + 1 :] for choice in choices]
    return done


def _innermost(text: str, pattern: str) -> tuple[int, int, list[int]] | None:
    """Find the first pair of braces without braces inside, and the commas in it."""
    start, at, closed = -1, 0, True
    commas: list[int] = []
    while at < len(text):
        character = text[at]
        if character == "\\":
            at += 1
        elif character == "[":
            at = _class_end(text, at, pattern)
        elif character == "{":
            start, commas, closed = at, [], False
        elif character == "," and start >= 0:
            commas.append(at)
        elif character == "}" and start >= 0:
            return start, at, commas
        at += 1
    if not closed:
        raise RenderError(f"the glob {pattern!r} has a brace that is not closed")
    return None


def _class_end(text: str, start: int, pattern: str) -> int:
    end = text.find("]", start + 2)
    if end < 0:
        raise RenderError(f"the glob {pattern!r} has a bracket that is not closed")
    return end


def _regex(text: str, pattern: str) -> str:
    segments = [""]
    at = 0
    while at < len(text):
        character = text[at]
        if character == "*":
            segments.append("")
        elif character == "?":
            segments[-1] += "."
        elif character == "[":
            end = _class_end(text, at, pattern)
            segments[-1] += _class(text[at + 1 : end])
            at = end
        else:
            at += character == "\\"
            segments[-1] += re.escape(text[at : at + 1])
        at += 1
    first, *rest = segments
    if not rest:
        return first
    # The leftmost place for each piece is as good as any other, so nothing needs to be tried twice.
    middle = "".join(f"(?>.*?{segment})" for segment in rest[:-1] if segment)
    return f"{first}{middle}.*{rest[-1]}"


def _class(inside: str) -> str:
    negated = inside.startswith(("!", "^"))
    members = inside[1:] if negated else inside
    low, dash, high = members.partition("-")
    if dash and len(low) == 1 and len(high) == 1:
        body = f"{re.escape(low)}-{re.escape(high)}" if low <= high else f"{re.escape(high)}-{re.escape(low)}"
    else:
        body = re.escape(members)
    return f"[{'^' if negated else ''}{body}]"
