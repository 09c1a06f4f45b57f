"""Sprig's functions on texts. Go's texts are rows of bytes: what cuts, counts bytes.

Part of the table in `syncline.core.appset.functions`.
"""

from __future__ import annotations

import unicodedata
from typing import Any

from syncline.core.appset.functions import convert
from syncline.core.appset.gotemplate import formatting
from syncline.core.appset.gotemplate.errors import CallError
from syncline.core.appset.gotemplate.functions import Context, Function
from syncline.core.appset.gotemplate.quoting import from_bytes, joined, quote, to_bytes
from syncline.core.appset.gotemplate.values import NilStrings, StringMap, Strings, kind_name, sort_texts

SPACES = (
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
"""The white space of Go's unicode package."""
_NEGATIVE = "strings: negative Repeat count"


def upper_char(char: str) -> str:
    """Return one character in upper case, which in Go is always one."""
    made = char.upper()
    return made if len(made) == 1 else char


def lower_char(char: str) -> str:
    """Return one character in lower case."""
    made = char.lower()
    return made if len(made) == 1 else "i" if char == "\u0130" else char


def title_char(char: str) -> str:
    """Return one character in title case."""
    made = char.title()
    return made if len(made) == 1 else char


def upper(text: str) -> str:
    """Return a text in upper case."""
    return text.upper() if text.isascii() else "".join(map(upper_char, text))


def lower(text: str) -> str:
    """Return a text in lower case."""
    return text.lower() if text.isascii() else "".join(map(lower_char, text))


def _title(text: str) -> str:
    made = []
    before = " "
    for char in text:
        made.append(title_char(char) if _separates(before) else char)
        before = char
    return "".join(made)


def _separates(char: str) -> bool:
    if char.isascii():
        return not (char.isalnum() or char == "_")
    return not (char.isalpha() or char.isdecimal()) and char in SPACES


def _untitle(text: str) -> str:
    made = []
    begins = True
    for char in text:
        if char in SPACES:
            begins = True
        elif begins:
            char, begins = lower_char(char), False
        made.append(char)
    return "".join(made)


def _swapcase(text: str) -> str:
    made = []
    begins = True
    for char in text:
        kind = unicodedata.category(char)
        if kind in ("Lu", "Lt"):
            char, begins = lower_char(char), False
        elif kind == "Ll":
            char = title_char(char) if begins else upper_char(char)
            begins = False
        else:
            begins = char in SPACES
        made.append(char)
    return "".join(made)


def _nospace(text: str) -> str:
    """Delete white space; Sprig looks at bytes, and spoils other characters when it finds any."""
    data = to_bytes(text)
    kept = [chr(byte) for byte in data if chr(byte) not in SPACES]
    return text if len(kept) == len(data) else "".join(kept)


def _initials(text: str) -> str:
    made = []
    gap = True
    for byte in to_bytes(text):
        char = chr(byte)
        if char in SPACES:
            gap = True
        elif gap:
            made.append(char)
            gap = False
    return "".join(made)


def _abbreviated(text: str, offset: int, width: int) -> str:
    data = to_bytes(text)
    if len(data) <= width or width < 4:
        return text if width >= 4 else ""
    offset = min(offset, len(data))
    if len(data) - offset < width - 3:
        offset = len(data) - (width - 3)
    if offset <= 4:
        return from_bytes(data[: width - 3]) + "..."
    if width < 7:
        return ""
    if offset + width - 3 < len(data):
        return "..." + _abbreviated(from_bytes(data[offset:]), 0, width - 3)
    return "..." + from_bytes(data[len(data) - (width - 3) :])


def _abbrev(width: int, text: str) -> str:
    return text if width < 4 else _abbreviated(text, 0, width)


def _abbrevboth(left: int, right: int, text: str) -> str:
    return text if right < 4 or (left > 0 and right < 7) else _abbreviated(text, left, right)


def _trunc(count: int, text: str) -> str:
    data = to_bytes(text)
    if count < 0 and len(data) + count > 0:
        return from_bytes(data[len(data) + count :])
    if 0 <= count < len(data):
        return from_bytes(data[:count])
    return text


def _substr(start: int, end: int, text: str) -> str:
    data = to_bytes(text)
    size = len(data)
    outside = "runtime error: slice bounds out of range"
    if start < 0:
        if end < 0:
            raise CallError(f"{outside} [:{end}]")
        if end > size:
            raise CallError(f"{outside} [:{end}] with length {size}")
        return from_bytes(data[:end])
    if end < 0 or end > size:
        end = size
    if start > end:
        raise CallError(f"{outside} [{start}:{end}]")
    return from_bytes(data[start:end])


def _repeat(ctx: Context, count: int, text: str) -> str:
    if count < 0:
        raise CallError(_NEGATIVE)
    ctx.budget.text(count * len(text))
    return joined(text * count)


def _wrapped(ctx: Context, text: str, width: int, mark: str, *, cut: bool) -> str:
    data, joint = to_bytes(text), to_bytes(mark or "\n")
    width = max(width, 1)
    ctx.budget.text(len(data) + (len(data) // width + 1) * len(joint) * (1 if cut else 2))
    parts: list[bytes] = []
    at = 0
    while len(data) - at > width:
        if data[at] == 32:
            at += 1
            continue
        space = data.rfind(b" ", at, at + width + 1)
        if space >= at:
            parts += [data[at:space], joint]
            at = space + 1
        elif cut:
            parts += [data[at : at + width], joint]
            at += width
        else:
            space = data.find(b" ", at + width)
            if space < 0:
                parts.append(data[at:])
                at = len(data)
            else:
                parts += [data[at:space], joint]
                at = space + 1
    parts.append(data[at:])
    return from_bytes(b"".join(parts))


def _wrap(ctx: Context, width: int, text: str) -> str:
    return _wrapped(ctx, text, width, "", cut=False)


def _wrap_with(ctx: Context, width: int, mark: str, text: str) -> str:
    return _wrapped(ctx, text, width, mark, cut=True)


def _quote(ctx: Context, *values: Any) -> str:
    return " ".join(quote(convert.text(ctx, value)) for value in values if value is not None)


def _squote(ctx: Context, *values: Any) -> str:
    return " ".join(f"'{formatting.plain(value, ctx.budget)}'" for value in values if value is not None)


def _cat(ctx: Context, *values: Any) -> str:
    return joined(" ".join(formatting.plain(value, ctx.budget) for value in values if value is not None))


def _indent(ctx: Context, spaces: int, text: str) -> str:
    if spaces < 0:
        raise CallError(_NEGATIVE)
    ctx.budget.text(len(text) + (text.count("\n") + 1) * spaces)
    pad = " " * spaces
    return pad + text.replace("\n", "\n" + pad)


def _nindent(ctx: Context, spaces: int, text: str) -> str:
    return "\n" + _indent(ctx, spaces, text)


def _replace(ctx: Context, old: str, new: str, text: str) -> str:
    count = text.count(old) if old else len(text) + 1
    ctx.budget.text(len(text) + count * len(new))
    return joined(text.replace(old, new))


def _plural(one: str, many: str, count: int) -> str:
    return one if count == 1 else many


def parts_of(text: str, mark: str, most: int = -1) -> list[str]:
    """Return a text cut at each mark; without a mark, into its characters."""
    if most == 0:
        return []
    if not mark:
        chars = list(text)
        return chars if most < 0 or len(chars) <= most else [*chars[: most - 1], "".join(chars[most - 1 :])]
    return text.split(mark) if most < 0 else text.split(mark, most - 1)


def _numbered(parts: list[str]) -> StringMap:
    return StringMap({f"_{index}": part for index, part in enumerate(parts)})


def _split(ctx: Context, mark: str, text: str) -> StringMap:
    ctx.budget.items(len(text) >> 2)
    return _numbered(parts_of(text, mark))


def _splitn(ctx: Context, mark: str, most: int, text: str) -> StringMap:
    ctx.budget.items(len(text) >> 2)
    return _numbered(parts_of(text, mark, most))


def _split_list(ctx: Context, mark: str, text: str) -> Strings:
    ctx.budget.items(len(text) >> 2)
    return Strings(parts_of(text, mark))


def texts_of(ctx: Context, value: Any) -> Strings:
    """Return a list as texts, without its nils; anything else as a list of one."""
    if isinstance(value, NilStrings | Strings):
        return value
    if isinstance(value, list):
        ctx.budget.items(len(value))
        return Strings(convert.text(ctx, item) for item in value if item is not None)
    return Strings() if value is None else Strings([convert.text(ctx, value)])


def _join(ctx: Context, mark: str, value: Any) -> str:
    parts = texts_of(ctx, value)
    ctx.budget.text(sum(map(len, parts)) + len(mark) * len(parts))
    return joined(mark.join(parts))


def _sort_alpha(ctx: Context, value: Any) -> Strings:
    if kind_name(value) == "slice":
        return Strings(sort_texts(texts_of(ctx, value)))
    return Strings([convert.text(ctx, value)])


TEXTS: dict[str, Function] = {
    "abbrev": Function(_abbrev, "int string"),
    "abbrevboth": Function(_abbrevboth, "int int string"),
    "cat": Function(_cat, "any...", needs_context=True),
    "contains": Function(lambda part, text: part in text, "string string"),
    "hasPrefix": Function(lambda part, text: text.startswith(part), "string string"),
    "hasSuffix": Function(lambda part, text: text.endswith(part), "string string"),
    "hello": Function(lambda: "Hello!"),
    "indent": Function(_indent, "int string", needs_context=True),
    "initials": Function(_initials, "string"),
    "join": Function(_join, "string any", needs_context=True),
    "lower": Function(lower, "string"),
    "nindent": Function(_nindent, "int string", needs_context=True),
    "nospace": Function(_nospace, "string"),
    "plural": Function(_plural, "string string int"),
    "quote": Function(_quote, "any...", needs_context=True),
    "repeat": Function(_repeat, "int string", needs_context=True),
    "replace": Function(_replace, "string string string", needs_context=True),
    "sortAlpha": Function(_sort_alpha, "any", needs_context=True),
    "split": Function(_split, "string string", needs_context=True),
    "splitList": Function(_split_list, "string string", needs_context=True),
    "splitn": Function(_splitn, "string int string", needs_context=True),
    "squote": Function(_squote, "any...", needs_context=True),
    "substr": Function(_substr, "int int string"),
    "swapcase": Function(_swapcase, "string"),
    "title": Function(_title, "string"),
    "toString": Function(convert.text, "any", needs_context=True),
    "toStrings": Function(texts_of, "any", needs_context=True),
    "trim": Function(lambda text: text.strip(SPACES), "string"),
    "trimAll": Function(lambda chars, text: text.strip(chars) if chars else text, "string string"),
    "trimall": Function(lambda chars, text: text.strip(chars) if chars else text, "string string"),
    "trimPrefix": Function(lambda part, text: text.removeprefix(part), "string string"),
    "trimSuffix": Function(lambda part, text: text.removesuffix(part), "string string"),
    "trunc": Function(_trunc, "int string"),
    "untitle": Function(_untitle, "string"),
    "upper": Function(upper, "string"),
    "wrap": Function(_wrap, "int string", needs_context=True),
    "wrapWith": Function(_wrap_with, "int string string", needs_context=True),
}
