"""Tells which template made each object that helm printed.

Called by `syncline.adapters.render.helm.template`. It comes from the comments helm writes before each document; a
template can print such a line itself, and then only its own provenance is wrong.
"""

from __future__ import annotations

import bisect

from syncline.adapters.render.helm.errors import in_repository

_SOURCE = b"# Source: "


class TemplateSources:
    """Where the documents of one output of helm come from."""

    def __init__(self, output: bytes, folder: str) -> None:
        self._lines: list[int] = []
        self._files: list[str] = []
        before = b""
        for number, line in enumerate(output.split(b"\n"), start=1):
            if line.startswith(_SOURCE) and before == b"---":
                self._lines.append(number)
                name = line[len(_SOURCE) :].decode("utf-8", "replace").strip()
                self._files.append(in_repository(name, folder))
            before = line.rstrip()

    def file(self, line: int) -> str:
        """Return the template that made a line of the output; empty before the first."""
        index = bisect.bisect_right(self._lines, line) - 1
        return self._files[index] if index >= 0 else ""
