"""Turns the edits of a fix into a patch that `git apply` takes.

Handed the edits and a way to the text of a file by `syncline.cli.diagnose.patching`. An edit that does not fit what
stands in the file any more is named, and nothing is made of it: a patch is exact or it is not offered.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable

import msgspec

from syncline.model.finding import Edit

_CONTEXT = 3


class Patch(msgspec.Struct, frozen=True):
    """A patch, and a sentence for each edit that does not fit."""

    text: str
    problems: tuple[str, ...] = ()


def patch(edits: Iterable[Edit], read: Callable[[str], str | None]) -> Patch:
    """Return the patch of all edits; `read` gives the text of a file, None where it is not there."""
    by_file: dict[str, list[Edit]] = {}
    for edit in edits:
        by_file.setdefault(edit.place.file, []).append(edit)
    parts: list[str] = []
    problems: list[str] = []
    for file, wanted in sorted(by_file.items()):
        text = read(file)
        if text is None:
            problems.append(f"{file} is not in this folder: run it in the repository it belongs to")
            continue
        changed, broken = edited(text, wanted)
        problems += broken
        parts += _diff(file, _lines(text), _lines(changed))
    return Patch("".join(parts), tuple(problems))


def edited(text: str, edits: Iterable[Edit]) -> tuple[str, tuple[str, ...]]:
    """Return the text of one file with its edits, and a sentence for each that does not fit."""
    lines = _lines(text)
    # From the last line up, so that the numbers of those above stay right.
    ordered = sorted(edits, key=lambda one: -one.place.line)
    problems = tuple(problem for edit in ordered if (problem := _edit(lines, edit)))
    return "".join(lines), problems


def _lines(text: str) -> list[str]:
    """Return lines with their breaks, as git counts them."""
    *whole, last = text.split("\n")
    return [*(f"{line}\n" for line in whole), *([last] if last else [])]


def _edit(lines: list[str], edit: Edit) -> str:
    """Change the lines; return why not where the edit does not fit."""
    number = edit.place.line - 1
    if not 0 <= number < len(lines):
        return f"{edit.place} no longer exists"
    line = lines[number]
    if not edit.before:
        lines.insert(number + 1, f"{_indent(line) if edit.after == edit.after.lstrip() else ''}{edit.after}\n")
        return ""
    start = _found(line, edit)
    if start < 0:
        return f"{edit.place} does not say {edit.before} any more"
    if edit.after:
        lines[number] = f"{line[:start]}{edit.after}{line[start + len(edit.before) :]}"
    else:
        del lines[number]
    return ""


def _found(line: str, edit: Edit) -> int:
    """Return where in a line the old text begins: behind the key of its field, which may hold the same word."""
    begin = max(0, edit.place.column - 1)
    if not edit.before.endswith(":") and (colon := line.find(":", begin)) >= 0:
        begin = colon + 1
    found = line.find(edit.before, begin)
    return found if found >= 0 else line.rfind(edit.before)


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" "))]


def _diff(file: str, before: list[str], after: list[str]) -> list[str]:
    # A file that does not end with a line break says so in a patch.
    made = difflib.unified_diff(before, after, f"a/{file}", f"b/{file}", n=_CONTEXT)
    return [line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in made]
