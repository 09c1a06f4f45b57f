"""Notes the line of every field of an object, for differences and findings to point at.

Called by `syncline.adapters.render.manifests` for each object of a document. Thousands of objects have the
same few hundred paths: the texts are shared.
"""

from __future__ import annotations

import functools
import sys
from typing import Any

from syncline.apimachinery.paths import FieldPath
from syncline.apimachinery.yaml import Document, Path
from syncline.model.desired import Positions


def positions(document: Document, prefix: Path, obj: Any) -> Positions:
    """Return the line of every field of the object that stands at `prefix` in a document."""
    paths: list[str] = []
    lines: list[int] = []
    pending: list[tuple[str, Path, Any]] = [("", prefix, obj)]
    while pending:
        text, path, value = pending.pop()
        for step, child in _children(value):
            child_path = (*path, step)
            place = document.position(child_path)
            if place is None:
                continue
            child_text = sys.intern(text + _step(step) if text else _first(step))
            paths.append(child_text)
            lines.append(place.line)
            if child.__class__ is dict or child.__class__ is list:
                pending.append((child_text, child_path, child))
    return Positions(tuple(paths), tuple(lines))


def _children(value: Any) -> Any:
    return value.items() if value.__class__ is dict else enumerate(value)


@functools.lru_cache(maxsize=4096)
def _step(step: str | int) -> str:
    """Return how a step is written after another one."""
    return str(FieldPath(("x", step)))[1:]


@functools.lru_cache(maxsize=256)
def _first(step: str | int) -> str:
    return str(FieldPath((step,)))
