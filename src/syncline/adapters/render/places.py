"""Notes the line of every field of an object, for differences and findings to point at.

Called by `syncline.adapters.render.manifests` for each object of a document, and by
`syncline.adapters.render.object_lines` for objects that a tool has made of one. Thousands of objects have the same few
hundred paths: the texts are shared.
"""

from __future__ import annotations

import functools
import sys
from typing import Any, NamedTuple

from syncline.apimachinery.keys import Object
from syncline.apimachinery.paths import MISSING, FieldPath
from syncline.apimachinery.yaml import Document, Path
from syncline.model.desired import Positions


def positions(document: Document, prefix: Path) -> Positions:
    """Return the line of every field of the object that stands at `prefix` in a document."""
    places = document.named_places(prefix, root="", join=_longer)
    return Positions(tuple([text for text, _ in places]), tuple([place.line for _, place in places]))


def positions_in_common(document: Document, prefix: Path, made: Object) -> Positions:
    """Return the line of every field that an object still has as it stands at `prefix` in a document."""
    written = document.value
    for step in prefix:
        written = written[step]
    places = document.named_places(prefix, root=_Field("", written, made), join=_below)
    kept = [(field.text, place.line) for field, place in places if field.is_same]
    return Positions(tuple([text for text, _ in kept]), tuple([line for _, line in kept]))


class _Field(NamedTuple):
    """A field by its path, as it is written, and as a tool made it."""

    text: str
    written: Any
    made: Any

    @property
    def is_same(self) -> bool:
        """Whether it has the value that is written; of maps and lists each field answers for itself."""
        held = (dict, list)
        return isinstance(self.made, held) if isinstance(self.written, held) else bool(self.written == self.made)


def _below(field: _Field, step: str | int) -> _Field:
    made = field.made
    if isinstance(made, dict):
        made = made.get(step, MISSING)
    elif isinstance(made, list) and isinstance(step, int) and step < len(made):
        made = made[step]
    else:
        made = MISSING
    return _Field(_longer(field.text, step), field.written[step], made)


def _longer(text: str, step: str | int) -> str:
    return sys.intern(text + _step(step) if text else _first(step))


@functools.lru_cache(maxsize=4096)
def _step(step: str | int) -> str:
    """Return how a step is written after another one."""
    return str(FieldPath(("x", step)))[1:]


@functools.lru_cache(maxsize=256)
def _first(step: str | int) -> str:
    return str(FieldPath((step,)))
