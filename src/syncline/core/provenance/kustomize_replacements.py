"""Tells which target of a kustomization's replacements writes a field.

Called by `syncline.core.provenance.kustomizations` with replacements that stand in a kustomization, or in a file of
their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from syncline.apimachinery import yaml
from syncline.core.provenance.blamed_field import BlamedField

_STEP = re.compile(r"\[(?P<bracket>[^\]]*)\]|(?P<plain>(?:\\.|[^.\[\\])+)")
_EVERY = "*"


def written_at(document: yaml.Document, at: yaml.Path, field: BlamedField) -> Iterator[tuple[int, str]]:
    """Yield line and words of each target, of the replacements below a path of a document, that writes the field."""
    value: Any = document.value
    for step in at:
        value = value[step]
    entries = value if isinstance(value, list) else [value]
    for index, entry in enumerate(entries):
        below = (*at, index) if isinstance(value, list) else at
        for number, target in enumerate(_list(entry, "targets")):
            for which, text in enumerate(_list(target, "fieldPaths")):
                if _selects(target, field) and _covers(str(text), field):
                    line = document.position_or_parent((*below, "targets", number, "fieldPaths", which)).line
                    yield line, _words(entry)


def _selects(target: Mapping[str, Any], field: BlamedField) -> bool:
    selected = target.get("select")
    rejected = [one for one in _list(target, "reject") if isinstance(one, dict)]
    return isinstance(selected, dict) and field.is_of(selected) and not any(field.is_of(one) for one in rejected)


def _covers(text: str, field: BlamedField) -> bool:
    """Whether a path of kustomize leads to the field, to something around it or to something in it."""
    value: Any = field.item.obj
    wanted = [
        (found["bracket"], None) if found["bracket"] is not None else (None, re.sub(r"\\(.)", r"\1", found["plain"]))
        for found in _STEP.finditer(text)
    ]
    for (bracket, plain), step in zip(wanted, field.steps, strict=False):
        value = value[step] if _holds(value, step) else None
        if not _is_step(bracket, plain, step, value):
            return False
    return bool(wanted)


def _holds(value: Any, step: str | int) -> bool:
    if isinstance(value, dict):
        return step in value
    return isinstance(value, list) and isinstance(step, int) and 0 <= step < len(value)


def _is_step(bracket: str | None, plain: str | None, step: str | int, value: Any) -> bool:
    name, equals, wanted = (bracket or "").partition("=")
    if bracket is not None and equals:
        return str(value.get(name) if isinstance(value, dict) else value) == wanted
    text = bracket if bracket is not None else plain
    return text == _EVERY or text == str(step)


def _words(entry: Any) -> str:
    source = entry.get("source") if isinstance(entry, dict) else None
    if not isinstance(source, dict):
        return "replacements"
    named = "/".join(str(source[part]) for part in ("kind", "name") if source.get(part))
    return f"replacements: {source.get('fieldPath') or 'metadata.name'} of {named}" if named else "replacements"


def _list(value: Any, name: str) -> list[Any]:
    found = value.get(name) if isinstance(value, dict) else None
    return found if isinstance(found, list) else []
