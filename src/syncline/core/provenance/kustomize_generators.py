"""Where a key of a generated ConfigMap or Secret is written: a literal, a line of an env file, or a file of its own.

Called by `syncline.core.provenance.kustomizations` with one entry of `configMapGenerator` or `secretGenerator`. Where
the entry does not write the key, nothing is found: another layer that merges into the same object may.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from syncline.apimachinery import yaml

Lines = Callable[[str], list[str]]


def literal_of(entry: Mapping[str, Any], key: str) -> yaml.Path | None:
    """Return where, below the entry, the literal of a key stands."""
    for index, literal in enumerate(_texts(entry.get("literals"))):
        if literal.partition("=")[0] == key:
            return ("literals", index)
    return None


def file_of(entry: Mapping[str, Any], key: str, lines: Lines) -> tuple[str, int] | None:
    """Return the file that has the value of a key and the line there; `lines` reads a file beside the kustomization."""
    for named in _texts(entry.get("files")):
        name, equals, path = named.partition("=")
        if (name if equals else posixpath.basename(named)) == key:
            return (path if equals else named), 1
    for path in (*_texts(entry.get("envs")), *_texts([entry.get("env")])):
        for number, line in enumerate(lines(path), start=1):
            if line.lstrip().partition("=")[0].strip() == key:
                return path, number
    return None


def _texts(value: Any) -> Iterator[str]:
    """Yield the texts of a list; what is none keeps its place as an empty one, so that positions stay right."""
    yield from (one if isinstance(one, str) else "" for one in (value if isinstance(value, list) else ()))
