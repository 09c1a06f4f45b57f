"""The files of one chart, held in memory: `syncline.ports.source.Tree`.

Made by `syncline.adapters.charts.source`. Two charts with equal files have equal digests, however they were packed.
"""

from __future__ import annotations

import difflib
import hashlib
from collections.abc import Mapping, Sequence

from syncline.model.errors import SourceError
from syncline.ports.source import TreeFile


class ChartTree:
    """A folder of a chart; never changes."""

    def __init__(self, revision: str, files: Mapping[str, bytes], folder: str = "", name: str = "") -> None:
        self._revision = revision
        self._whole = files
        self._folder = folder
        self._name = name
        start = f"{folder}/" if folder else ""
        self._files = tuple(
            TreeFile(path, hashlib.sha256(content).hexdigest(), len(content))
            for path, content in sorted(files.items())
            if path.startswith(start)
        )
        self._digest = _digest(self._files, start)

    @property
    def revision(self) -> str:
        """The exact version, or the digest of an artifact."""
        return self._revision

    @property
    def digest(self) -> str:
        """Digest of all files below the folder."""
        return self._digest

    def files(self) -> Sequence[TreeFile]:
        """List every file below the folder, sorted by path."""
        return self._files

    def read(self, path: str) -> bytes:
        """Return the content of a file, by its path from the root of the chart."""
        try:
            return self._whole[path]
        except KeyError:
            raise SourceError(f"{path}: no such file in {self._name}") from None

    def digest_of(self, path: str) -> str:
        """Digest of a file or folder; empty where there is none."""
        if path in self._whole:
            return hashlib.sha256(self._whole[path]).hexdigest()
        start = f"{path}/" if path else ""
        found = [
            TreeFile(name, hashlib.sha256(content).hexdigest(), len(content))
            for name, content in sorted(self._whole.items())
            if name.startswith(start)
        ]
        return _digest(found, start) if found else ""

    def below(self, folder: str) -> ChartTree:
        """Return the same chart below another folder."""
        steps = [step for step in folder.split("/") if step not in ("", ".")]
        if folder.startswith("/") or ".." in steps:
            raise SourceError(f"{folder}: app path outside root")
        path = "/".join(steps)
        if path and not any(name.startswith(f"{path}/") for name in self._whole):
            folders = sorted({name.rpartition("/")[0] for name in self._whole} - {""})
            close = difflib.get_close_matches(path, folders, 1, 0.5)
            hint = (
                f"nearest existing path: {close[0]}"
                if close
                else f"{self._name} has {', '.join(folders[:8]) or 'no folders'}"
            )
            raise SourceError(f"{path}: app path does not exist", hint=hint)
        return ChartTree(self._revision, self._whole, path, self._name)


def _digest(files: Sequence[TreeFile], start: str) -> str:
    lines = "".join(f"{file.digest} {file.path.removeprefix(start)}\0" for file in files)
    return hashlib.sha256(lines.encode("utf-8", "surrogatepass")).hexdigest()
