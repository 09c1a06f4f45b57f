"""Regular expressions of Go's kind: RE2, which takes time in proportion to the text whatever the expression is.

Part of the table in `syncline.core.appset.functions`. Matches are walked over here and not by the library, since Go
leaves out an empty match beside another one, and expands `$1` and `${name}` in its own way.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from typing import Any

import re2

from syncline.core.appset.gotemplate.errors import CallError
from syncline.core.appset.gotemplate.functions import Context, Function
from syncline.core.appset.gotemplate.quoting import quote, shown
from syncline.core.appset.gotemplate.values import NilStrings, Strings

_KEPT_PATTERNS = 128
_GO_WORDS = {
    "missing ]": "missing closing ]",
    "missing )": "missing closing )",
    "no argument for repetition operator": "missing argument to repetition operator",
    "invalid repetition size": "invalid repeat count",
    "bad repetition operator": "invalid nested repetition operator",
    "invalid perl operator": "invalid or unsupported Perl syntax",
    "trailing \\": "trailing backslash at end of expression",
    "invalid named capture group": "invalid named capture",
}
_META = re.compile(r"[\\.+*?()|\[\]{}^$]")
_DOLLAR = re.compile(r"\$(?:\$|\{([^}]*)\}|([A-Za-z0-9_]+))")
_NAME = re.compile(r"[A-Za-z0-9_]+")


@functools.lru_cache(maxsize=_KEPT_PATTERNS)
def _pattern(expression: str) -> Any:
    options = re2.Options()
    options.log_errors = False
    return re2.compile(shown(expression), options)


def _compiled(expression: str, *, panics: bool = True) -> Any:
    try:
        return _pattern(expression)
    except re2.error as error:
        told = _in_go_words(error, expression)
    if panics:
        quoted = quote(expression) if "`" in expression or not expression.isprintable() else f"`{expression}`"
        told = f"regexp: Compile({quoted}): {told}"
    raise CallError(told)


def _in_go_words(error: Exception, expression: str) -> str:
    text = error.args[0] if error.args else ""
    text = text.decode() if isinstance(text, bytes) else str(text)
    what, _, where = text.partition(": ")
    if where.startswith("(?<"):
        what, where = "invalid named capture group", expression[expression.find(where) :]
    return f"error parsing regexp: {_GO_WORDS.get(what, what)}: `{where}`"


def _matches(ctx: Context, pattern: Any, text: str, most: int = -1) -> Iterator[Any]:
    at, before, found = 0, -1, 0
    while at <= len(text) and (most < 0 or found < most):
        match = pattern.search(text, at)
        if match is None:
            return
        ctx.budget.spend(1)
        start, end = match.span()
        if start == end:
            at = end + 1
            if start == before:
                continue
        else:
            at = end
        before = end
        found += 1
        yield match


def _find(pattern: Any, text: str) -> str:
    match = pattern.search(shown(text))
    return "" if match is None else str(match.group())


def _find_all(ctx: Context, pattern: Any, text: str, most: int) -> Strings:
    found = Strings(match.group() for match in _matches(ctx, pattern, shown(text), most))
    return found or NilStrings()


def _replaced(ctx: Context, pattern: Any, text: str, by: str, *, literal: bool) -> str:
    text = shown(text)
    parts: list[str] = []
    last, at, size = 0, 0, len(text)
    while at <= len(text):
        match = pattern.search(text, at)
        if match is None:
            break
        ctx.budget.spend(1)
        start, end = match.span()
        parts.append(text[last:start])
        if end > last or start == 0:
            parts.append(by if literal else _expanded(match, by))
            size += len(parts[-1])
            ctx.budget.text(size)
        last = end
        at = max(at + 1, end)
    return "".join([*parts, text[last:]])


def _expanded(match: Any, template: str) -> str:
    def fill(found: re.Match[str]) -> str:
        if found[0] == "$$":
            return "$"
        name = found[1] if found[1] is not None else found[2]
        if found[1] is not None and not _NAME.fullmatch(name):
            return found[0]
        if name.isdecimal():
            number = int(name) if len(name) < 9 else 10**9
            return (match.group(number) or "") if number <= match.re.groups else ""
        return (match.group(name) or "") if name in match.re.groupindex else ""

    return _DOLLAR.sub(fill, template)


def _split(ctx: Context, pattern: Any, text: str, most: int, expression: str) -> Strings:
    text = shown(text)
    if most == 0:
        return NilStrings()
    if expression and not text:
        return Strings([""])
    parts = Strings()
    begin = end = 0
    for match in _matches(ctx, pattern, text, most):
        if 0 < most == len(parts) + 1:
            break
        end = match.start()
        if match.end() != 0:
            parts.append(text[begin:end])
        begin = match.end()
    if end != len(text):
        parts.append(text[begin:])
    return parts


def _family(*, panics: bool) -> dict[str, Function]:
    def compiled(expression: str) -> Any:
        return _compiled(expression, panics=panics)

    def find_all(ctx: Context, expression: str, text: str, most: int) -> Strings:
        return _find_all(ctx, compiled(expression), text, most)

    def find(expression: str, text: str) -> str:
        return _find(compiled(expression), text)

    def replace(ctx: Context, expression: str, text: str, by: str) -> str:
        return _replaced(ctx, compiled(expression), text, by, literal=False)

    def replace_literal(ctx: Context, expression: str, text: str, by: str) -> str:
        return _replaced(ctx, compiled(expression), text, by, literal=True)

    def split(ctx: Context, expression: str, text: str, most: int) -> Strings:
        return _split(ctx, compiled(expression), text, most, expression)

    return {
        "regexFind": Function(find, "string string"),
        "regexFindAll": Function(find_all, "string string int", needs_context=True),
        "regexReplaceAll": Function(replace, "string string string", needs_context=True),
        "regexReplaceAllLiteral": Function(replace_literal, "string string string", needs_context=True),
        "regexSplit": Function(split, "string string int", needs_context=True),
    }


def _must_match(expression: str, text: str) -> bool:
    return _compiled(expression, panics=False).search(shown(text)) is not None


def _match(expression: str, text: str) -> bool:
    try:
        return _must_match(expression, text)
    except CallError:
        return False


REGEXES: dict[str, Function] = {
    **_family(panics=True),
    **{f"mustR{name[1:]}": function for name, function in _family(panics=False).items()},
    "mustRegexMatch": Function(_must_match, "string string"),
    "regexMatch": Function(_match, "string string"),
    "regexQuoteMeta": Function(lambda text: _META.sub(lambda found: "\\" + found[0], text), "string"),
}
