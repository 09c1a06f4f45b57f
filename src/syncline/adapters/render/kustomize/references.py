"""Lists the files and folders a kustomization names, and tells remote ones and those outside of the repository.

Called by `syncline.adapters.render.kustomize.files` for each kustomization on the way through bases and components.
What is neither local nor remote by its text is left for kustomize to complain about. Kustomize takes a field in any
case of its letters (`RESOURCES`), and so does this.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from typing import Any

_LISTS = (
    "resources",
    "bases",
    "components",
    "crds",
    "configurations",
    "generators",
    "transformers",
    "validators",
    "patchesStrategicMerge",
)
_WITH_PATH = ("patches", "patchesJson6902", "replacements")
_GENERATORS = ("configMapGenerator", "secretGenerator")
FETCHED = ("resources", "bases", "components", "generators", "transformers", "validators")
"""The fields whose entries may be folders of other repositories."""
_ADDRESS = re.compile(r"(?i)(?:[a-z][a-z0-9+.-]*://|git::|https?:)")
_REMOTE = re.compile(r"(?i)(?:https?:|[a-z][a-z0-9+.-]*://|git::|[\w.~+-]+@[\w.-]+:|(?:[\w-]+\.)+[a-z]{2,}/.*)")


def references(kustomization: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield every path or address in a kustomization, with its field; inline patches and plug-in settings are none."""
    for field in _LISTS:
        for entry in _entries(kustomization, field):
            if isinstance(entry, str) and "\n" not in entry.strip():
                yield field, entry
    for field in _WITH_PATH:
        for entry in _entries(kustomization, field):
            if isinstance(entry, dict):
                yield from ((field, path) for path in _texts(entry, "path"))
    for field in _GENERATORS:
        for entry in _entries(kustomization, field):
            if isinstance(entry, dict):
                yield from ((field, path) for path in _sources(entry))
    for openapi in _values(kustomization, "openapi"):
        if isinstance(openapi, dict):
            yield from (("openapi", path) for path in _texts(openapi, "path"))


def is_address(reference: str) -> bool:
    """Whether kustomize would ask a server for this, whatever files there are."""
    return _ADDRESS.match(reference.strip()) is not None


def resources(kustomization: Mapping[str, Any]) -> Iterator[str]:
    """Yield what a kustomization takes objects from: files, folders and addresses."""
    for field in ("resources", "bases"):
        yield from (entry.strip() for entry in _entries(kustomization, field) if isinstance(entry, str))


def is_remote(reference: str) -> bool:
    """Whether a reference that is not a local path is an address of something elsewhere."""
    return _REMOTE.match(reference) is not None


def local_path(folder: str, reference: str) -> str | None:
    """Return where a reference leads, from the root of the repository; None when it leads out of it."""
    if reference.startswith("/") or "\0" in reference:
        return None
    path = posixpath.normpath(posixpath.join(folder, reference))
    if path == ".." or path.startswith("../"):
        return None
    return "" if path == "." else path


def _sources(generator: Mapping[str, Any]) -> Iterator[str]:
    for entry in _entries(generator, "files"):
        if isinstance(entry, str):
            key, equals, path = entry.partition("=")
            yield path if equals else key
    yield from (entry for entry in _entries(generator, "envs") if isinstance(entry, str))
    yield from _texts(generator, "env")


def _values(fields: Mapping[str, Any], name: str) -> list[Any]:
    return [value for field, value in fields.items() if str(field).casefold() == name.casefold()]


def _texts(fields: Mapping[str, Any], name: str) -> list[str]:
    return [value for value in _values(fields, name) if isinstance(value, str) and value]


def _entries(fields: Mapping[str, Any], name: str) -> list[Any]:
    return [entry for value in _values(fields, name) if isinstance(value, list) for entry in value]
