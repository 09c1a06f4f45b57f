"""The files of one render as YAML, each parsed once however many fields are asked about.

Made by `syncline.verbs.blaming` and `syncline.controller.sources.layers` from what a render has read, and asked by
`syncline.core.provenance.kustomizations`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from syncline.apimachinery import yaml

T = TypeVar("T")


class ReadFiles:
    """Files by their paths, from the root of the repository."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self.files = files
        self._parsed: dict[str, list[yaml.Document]] = {}
        self._worked_out: dict[tuple[str, str], Any] = {}

    def __contains__(self, file: object) -> bool:
        return file in self.files

    def documents(self, file: str) -> list[yaml.Document]:
        """Return the documents of a file; none where it is not there, or not YAML."""
        if file not in self._parsed:
            self._parsed[file] = parsed(file, self.files.get(file, b""))
        return self._parsed[file]

    def inline(self, file: str, text: str) -> list[yaml.Document]:
        """Return the documents of a text that stands inside of a file."""
        return self.remembered(("inline", text), lambda: parsed(file, text.encode()))

    def remembered(self, what: tuple[str, str], work: Callable[[], T]) -> T:
        """Return what was worked out from these files before, or work it out."""
        if what not in self._worked_out:
            self._worked_out[what] = work()
        found: T = self._worked_out[what]
        return found

    def lines(self, file: str) -> list[str]:
        """Return the lines of a file."""
        return self.files.get(file, b"").decode("utf-8", "replace").splitlines()


def parsed(file: str, content: bytes) -> list[yaml.Document]:
    """Return the documents of a text; none where it is not YAML."""
    try:
        return yaml.load_documents(content, source=file)
    except yaml.YamlError:
        return []
