"""Writes the safe fixes of findings into the files of a checkout: `syncline check --fix`.

A fix is safe where its rule names the lines and there is no other way out to choose from. Only those lines change, so
comments and order stay; a file is written only where it can still be read and no field became empty by it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from syncline.apimachinery import yaml
from syncline.core.diagnose.findings.patch import edited
from syncline.model.finding import Edit, Finding

_YAML = (".yaml", ".yml")


class Fixed(msgspec.Struct, frozen=True):
    """How many findings were fixed, in which files, and why others were not."""

    findings: int
    files: tuple[str, ...]
    problems: tuple[str, ...]


def is_safe(one: Finding) -> bool:
    """Whether a finding can be fixed without anybody deciding something."""
    return one.fix is not None and bool(one.fix.edits) and not one.fix.command and not one.options


def fix(root: Path, found: Iterable[Finding]) -> Fixed:
    """Write the safe fixes of findings below a folder."""
    safe = [one for one in found if is_safe(one)]
    wanted: dict[str, set[Edit]] = defaultdict(set)
    for one in safe:
        for edit in one.fix.edits if one.fix is not None else ():
            wanted[edit.place.file].add(edit)
    written: list[str] = []
    problems: list[str] = []
    for name, edits in sorted(wanted.items()):
        problem = _fix_file(root, name, sorted(edits, key=str))
        if problem:
            problems.append(problem)
        else:
            written.append(name)
    done = [one for one in safe if one.fix is not None and all(edit.place.file in written for edit in one.fix.edits)]
    return Fixed(len(done), tuple(written), tuple(problems))


def _fix_file(root: Path, name: str, edits: Sequence[Edit]) -> str:
    """Change one file; return why not where it cannot be."""
    path = root / name
    if path.is_symlink() or not path.resolve().is_relative_to(root.resolve()) or not path.is_file():
        return f"{name} is not a file of this checkout"
    text = path.read_bytes().decode(errors="surrogateescape")
    changed, problems = edited(text, edits)
    if problems:
        return problems[0]
    if path.suffix in _YAML and not _is_sound(text, changed):
        return f"{name} could not be read any more, or a field would become empty: change it by hand"
    path.write_bytes(changed.encode(errors="surrogateescape"))
    return ""


def _is_sound(before: str, after: str) -> bool:
    try:
        old = [document.value for document in yaml.load_documents(before.encode(), source="before")]
        new = [document.value for document in yaml.load_documents(after.encode(), source="after")]
    except (yaml.YamlError, UnicodeEncodeError):
        return False
    return len(old) == len(new) and _empty(new) <= _empty(old)


def _empty(value: Any) -> int:
    """Return how many fields below a value are null."""
    if isinstance(value, dict):
        return sum(map(_empty, value.values()))
    if isinstance(value, list):
        return sum(map(_empty, value))
    return value is None
