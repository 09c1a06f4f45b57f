"""Finds about which line of a file an object begins, where a tool has made the object from the file.

Used by `syncline.adapters.render.helm.template` and `syncline.adapters.render.kustomize.build`. A file that says `kind:
Job` in plain text says where its Jobs begin; they are counted per file and kind. Else it is the first line. Of objects
that a kustomization generates it is the entry that names them.
"""

from __future__ import annotations

import re
from collections import Counter

from syncline.model.errors import Place, SourceError
from syncline.ports.source import Tree

_KIND = re.compile(r"^\s*[\"']?kind[\"']?:\s*[\"']?(\w+)[\"']?\s*(?:#.*)?$")

_ENTRY = re.compile(r"^\s*-?\s*[\"']?name[\"']?:\s*[\"']?([\w.-]+)[\"']?\s*(?:#.*)?$")


class Lines:
    """The files of one render and how many of their objects were placed."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._kinds: dict[str, list[tuple[int, str]]] = {}
        self._used: Counter[tuple[str, str]] = Counter()

    def place(self, file: str, kind: str) -> Place:
        """Return the place of the next object of a kind that a file made."""
        if file not in self._kinds:
            self._kinds[file] = self._read(file)
        found = [line for line, name in self._kinds[file] if name == kind]
        index = self._used[file, kind]
        self._used[file, kind] += 1
        if not found:
            return Place(file, 1 if self._kinds[file] else 0)
        return Place(file, found[min(index, len(found) - 1)])

    def entry(self, file: str, name: str) -> Place:
        """Return the entry of a kustomization that generated an object of a name; the longest one that fits."""
        try:
            text = self._tree.read(file).decode("utf-8", "replace") if file else ""
        except SourceError:
            return Place(file)
        numbered = enumerate(text.splitlines(), start=1)
        found = [(len(entry[1]), line) for line, row in numbered if (entry := _ENTRY.match(row)) and entry[1] in name]
        return Place(file, max(found, key=lambda one: one[0])[1] if found else 0)

    def _read(self, file: str) -> list[tuple[int, str]]:
        try:
            text = self._tree.read(file).decode("utf-8", "replace") if file else ""
        except SourceError:
            # It came out of a packed subchart.
            return []
        lines = enumerate(text.splitlines(), start=1)
        return [(number, found[1]) for number, line in lines if (found := _KIND.match(line))]
