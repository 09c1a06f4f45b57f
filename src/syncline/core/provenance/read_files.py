"""The files of one render as YAML, each parsed once however many fields are asked about.

Made by `syncline.verbs.blaming` and `syncline.controller.sources.layers` from what a render has read, and asked by
`syncline.core.provenance.kustomizations`.
"""

from __future__ import annotations

from collections.abc import Mapping

from syncline.apimachinery import yaml


class ReadFiles:
    """Files by their paths, from the root of the repository."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self.files = files
        self._parsed: dict[str, list[yaml.Document]] = {}

    def __contains__(self, file: object) -> bool:
        return file in self.files

    def documents(self, file: str) -> list[yaml.Document]:
        """Return the documents of a file; none where it is not there, or not YAML."""
        if file not in self._parsed:
            self._parsed[file] = parsed(file, self.files.get(file, b""))
        return self._parsed[file]

    def lines(self, file: str) -> list[str]:
        """Return the lines of a file."""
        return self.files.get(file, b"").decode("utf-8", "replace").splitlines()


def parsed(file: str, content: bytes) -> list[yaml.Document]:
    """Return the documents of a text; none where it is not YAML."""
    try:
        return yaml.load_documents(content, source=file)
    except yaml.YamlError:
        return []
