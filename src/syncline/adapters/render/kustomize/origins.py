"""Tells which file an object that kustomize printed comes from, and takes the note of it off again.

Called by `syncline.adapters.render.kustomize.build`. Objects are made to carry kustomize's own note of their origin,
unless a file patches or copies annotations: an annotation more would then change what comes out. In that case the
resources are searched for an object of the same kind whose name is part of the printed one.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from typing import Any

from syncline.adapters.render import manifests
from syncline.adapters.render.kustomize import references
from syncline.adapters.render.tools import KUSTOMIZATIONS
from syncline.adapters.render.workspace import Workspace
from syncline.apimachinery import meta, yaml
from syncline.apimachinery.keys import Object

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
    """The files that kustomizations name as resources, for when no note can be carried."""

    def __init__(self, space: Workspace) -> None:
        self._found: dict[str, list[tuple[str, str]]] = {}
        for path in sorted(_resources(space)):
            self._read(path, space.read(path))

    def file(self, kind: str, name: str) -> str:
        """Return which file has an object of this kind whose name, or part of it, is this one; the longest match."""
        fitting = [(len(part), file) for part, file in self._found.get(kind, ()) if part and part in name]
        return max(fitting, key=lambda item: item[0])[1] if fitting else ""

    def _read(self, path: str, content: bytes) -> None:
        try:
            for document in yaml.load_documents(content, source=path):
                for _steps, obj in manifests.objects((), document.value):
                    if not meta.untyped(obj):
                        self._found.setdefault(obj["kind"], []).append((meta.name(obj), path))
        except yaml.YamlError:
            return


def _resources(space: Workspace) -> set[str]:
    """Return the files that are resources of a kustomization: a patch looks like one and is none."""
    found: set[str] = set()
    for path in space.written:
        if posixpath.basename(path) not in KUSTOMIZATIONS:
            continue
        try:
            kustomization = yaml.load(space.read(path), source=path)
        except yaml.YamlError:
            continue
        entries = references.resources(kustomization) if isinstance(kustomization, dict) else ()
        named = (references.local_path(posixpath.dirname(path), entry) for entry in entries)
        found.update(file for file in named if file in space.written)
    return found


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


def noted_origin(note: str, folder: str, names: Mapping[str, str]) -> tuple[str, bool]:
    """Return the file that a note names, and whether that is a kustomization which generated the object.

    `names` are files that stand in for others.
    """
    try:
        origin = yaml.load(note, source="origin")
    except yaml.YamlError:
        return "", False
    if not isinstance(origin, dict):
        return "", False
    named = str(origin.get("path") or origin.get("configuredIn") or "")
    path = references.local_path(folder, named) if named else ""
    return names.get(path, path) if path else "", not origin.get("path")
