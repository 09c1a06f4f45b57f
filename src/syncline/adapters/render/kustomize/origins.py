"""Tells which file an object that kustomize printed comes from, and takes the note of it off again.

Called by `syncline.adapters.render.kustomize.build`. Objects are made to carry kustomize's own note of their origin,
unless a file patches or copies annotations: an annotation more would then change what comes out. In that case the files
are searched for an object of the same kind whose name is part of the printed one.
"""

from __future__ import annotations

import re
from typing import Any

from syncline.adapters.render.kustomize import references
from syncline.adapters.render.object_lines import Lines
from syncline.adapters.render.workspace import Workspace
from syncline.apimachinery import yaml
from syncline.apimachinery.keys import Object
from syncline.model.errors import Place

ORIGIN = "config.kubernetes.io/origin"
_TOUCHES_ANNOTATIONS = re.compile(rb"metadata[/.]annotations|[/\"']annotations[\"']?\s*$", re.MULTILINE)


def would_matter(space: Workspace) -> bool:
    """Whether an annotation more might change what kustomize makes of these files."""
    return any(
        _TOUCHES_ANNOTATIONS.search(space.read(path))
        for path in space.written
        if path.endswith((".yaml", ".yml", ".json")) or "." not in path
    )


class Declared:
    """Objects that stand in the files of a render, by kind, for when no note can be carried."""

    def __init__(self, space: Workspace) -> None:
        self._found: dict[str, list[tuple[str, Place]]] = {}
        for path in sorted(space.written):
            if path.endswith((".yaml", ".yml", ".json")):
                self._read(path, space.read(path))

    def place(self, kind: str, name: str) -> Place | None:
        """Return where an object of this kind stands whose name, or part of it, is this one; the longest match wins."""
        fitting = [(len(part), place) for part, place in self._found.get(kind, ()) if part and part in name]
        return max(fitting, key=lambda item: item[0])[1] if fitting else None

    def _read(self, path: str, content: bytes) -> None:
        try:
            documents = yaml.load_documents(content, source=path)
        except yaml.YamlError:
            return
        for document in documents:
            value: Any = document.value
            metadata = value.get("metadata") if isinstance(value, dict) else None
            if isinstance(metadata, dict) and isinstance(value.get("kind"), str) and value["kind"] != "Kustomization":
                line = document.position_or_parent(("kind",)).line
                self._found.setdefault(value["kind"], []).append((str(metadata.get("name") or ""), Place(path, line)))


def without_note(obj: Object, *, keep: bool) -> tuple[Object, str]:
    """Return the object without the note of its origin, and the note."""
    metadata: dict[str, Any] = obj["metadata"]
    annotations: dict[str, Any] = dict(metadata.get("annotations") or {})
    note = annotations.pop(ORIGIN, None)
    if note is None or keep:
        return obj, str(note or "")
    metadata = {name: value for name, value in metadata.items() if name != "annotations"}
    if annotations:
        metadata["annotations"] = annotations
    return {**obj, "metadata": metadata}, str(note)


def noted_place(note: str, folder: str, lines: Lines, obj: Object) -> Place:
    """Return the file an object was read from, or the kustomization and the entry of it that generated the object."""
    try:
        origin = yaml.load(note, source="origin")
    except yaml.YamlError:
        return Place(folder)
    if not isinstance(origin, dict):
        return Place(folder)
    named = str(origin.get("path") or origin.get("configuredIn") or "")
    path = references.local_path(folder, named)
    if not named or path is None:
        return Place(folder)
    kind = str(obj["kind"])
    return lines.place(path, kind) if origin.get("path") else lines.entry(path, str(obj["metadata"].get("name") or ""))
