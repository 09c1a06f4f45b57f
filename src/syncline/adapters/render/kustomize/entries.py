"""Finds the line of a kustomization on which something is named.

Used where a reference is refused (`syncline.adapters.render.kustomize.files`, `….remote`, `….build`) and by
`syncline.adapters.render.kustomize.errors`, which looks for what kustomize complains about.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from syncline.apimachinery import yaml
from syncline.model.errors import Place


def place(file: str, text: bytes, entry: str) -> Place:
    """Return where an entry stands in the text of a kustomization; the file alone where it is not found."""
    try:
        documents = yaml.load_documents(text, source=file)
    except yaml.YamlError:
        return Place(file)
    for document in documents:
        for steps, leaf in leaves(document.value, ()):
            if entry in (leaf, leaf.strip(), leaf.partition("=")[2]):
                return Place(file, document.position_or_parent(steps).line)
    return Place(file)


def leaves(value: Any, steps: yaml.Path) -> Iterator[tuple[yaml.Path, str]]:
    """Yield each text of a document and where it stands."""
    if isinstance(value, dict):
        for name, member in value.items():
            yield from leaves(member, (*steps, name))
    elif isinstance(value, list):
        for index, member in enumerate(value):
            yield from leaves(member, (*steps, index))
    elif isinstance(value, str):
        yield steps, value
