"""Finds the named template that was meant by one that a chart does not define.

Called by `syncline.adapters.render.helm.chart` with an error that `syncline.adapters.render.helm.errors` has reduced.
"""

from __future__ import annotations

import re

from syncline.adapters.render import nearest
from syncline.model.errors import RenderError, SourceError
from syncline.ports.source import Tree

_UNDEFINED = re.compile(r'no template "(?P<name>[^"]+)"')
_DEFINED = re.compile(rb'\{\{-?\s*define\s+"(?P<name>[^"]+)"')
_TEMPLATES = (".tpl", ".yaml", ".yml", ".txt")


def explained(error: RenderError, tree: Tree, folder: str) -> RenderError:
    """Return the error with the name that must have been meant; others as they are."""
    undefined = _UNDEFINED.search(error.what)
    if undefined is None or error.hint:
        return error
    meant = nearest.name(undefined["name"], _defined(tree, folder))
    hint = f"did you mean {meant}?" if meant else "no file of the chart defines it"
    return RenderError(error.what, place=error.place, hint=hint, missing=error.missing)


def _defined(tree: Tree, folder: str) -> set[str]:
    """Return the names that the templates of a chart define, those of its subcharts too."""
    found: set[str] = set()
    try:
        for file in tree.below(folder).files():
            if "templates/" in file.path and file.path.endswith(_TEMPLATES):
                found |= {one["name"].decode(errors="replace") for one in _DEFINED.finditer(tree.read(file.path))}
    except SourceError:
        return found
    return found
