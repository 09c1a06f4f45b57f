"""Notes the line of every field of an object, for differences and findings to point at.

Called by `syncline.adapters.render.manifests` for each object of a document. Thousands of objects have the
same few hundred paths: the texts are shared.
"""

from __future__ import annotations

import functools
import sys

from syncline.apimachinery.paths import FieldPath
from syncline.apimachinery.yaml import Document, Path
from syncline.model.desired import Positions


def positions(document: Document, prefix: Path) -> Positions:
    """Return the line of every field of the object that stands at `prefix` in a document."""
    places = document.named_places(prefix, root="", join=_longer)
    return Positions(tuple([text for text, _ in places]), tuple([place.line for _, place in places]))


def _longer(text: str, step: str | int) -> str:
    return sys.intern(text + _step(step) if text else _first(step))


@functools.lru_cache(maxsize=4096)
def _step(step: str | int) -> str:
    """Return how a step is written after another one."""
    return str(FieldPath(("x", step)))[1:]


@functools.lru_cache(maxsize=256)
def _first(step: str | int) -> str:
    return str(FieldPath((step,)))
