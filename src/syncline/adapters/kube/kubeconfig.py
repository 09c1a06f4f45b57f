"""Reads and merges kubeconfig files.

Called by `syncline.adapters.kube.config`, which picks a context from the result. As with kubectl the first
file that names a cluster, user, context or current-context wins, a missing file of several is no error, and
paths inside a file count from the folder of that file.
"""

from __future__ import annotations

import pathlib
from collections.abc import Sequence
from typing import Any

import msgspec

from syncline.model.errors import NeedsUser, Place


class KubeconfigError(NeedsUser):
    """A kubeconfig cannot be used as written."""


class KubeconfigEntry(msgspec.Struct, frozen=True):
    """A named cluster, user or context, and the file it comes from."""

    fields: dict[str, Any]
    file: str

    def path(self, name: str) -> str:
        """Return a path field, made absolute from the folder of the file."""
        text = str(self.fields.get(name) or "")
        return str(pathlib.Path(self.file).absolute().parent / text) if text else ""

    def read(self, name: str, owner: str) -> bytes:
        """Return `name-data` decoded, or the content of the file that `name` gives."""
        import base64
        import binascii

        encoded = self.fields.get(f"{name}-data")
        if encoded:
            try:
                return base64.b64decode(str(encoded), validate=True)
            except binascii.Error:
                message = f"{name}-data of {owner} is not base64: paste it again without line breaks"
                raise KubeconfigError(message, place=Place(self.file)) from None
        path = self.path(name)
        try:
            return pathlib.Path(path).read_bytes() if path else b""
        except OSError as error:
            message = f"{name} of {owner} cannot be read: {path}: {error.strerror}"
            raise KubeconfigError(message, place=Place(self.file)) from None


class Kubeconfig(msgspec.Struct, frozen=True):
    """Several files as one."""

    files: tuple[str, ...]
    current_context: str
    contexts: dict[str, KubeconfigEntry]
    clusters: dict[str, KubeconfigEntry]
    users: dict[str, KubeconfigEntry]


def load(paths: Sequence[str]) -> Kubeconfig:
    """Read and merge files; one that does not exist is left out, one that cannot be read is an error."""
    found: list[str] = []
    current = ""
    tables: dict[str, dict[str, KubeconfigEntry]] = {"contexts": {}, "clusters": {}, "users": {}}
    for path in paths:
        config = _read(path)
        if config is None:
            continue
        found.append(path)
        current = current or str(config.get("current-context") or "")
        for plural, table in tables.items():
            _add(table, config, path, plural)
    return Kubeconfig(tuple(found), current, tables["contexts"], tables["clusters"], tables["users"])


def _add(table: dict[str, KubeconfigEntry], config: dict[str, Any], path: str, plural: str) -> None:
    entries = config.get(plural) or []
    if not isinstance(entries, list):
        raise KubeconfigError(f"{plural} is not a list", place=Place(path))
    for entry in entries:
        name = entry.get("name") if isinstance(entry, dict) else None
        if not isinstance(name, str) or not name:
            raise KubeconfigError(f"an entry of {plural} has no name", place=Place(path))
        fields = entry.get(plural[:-1])
        table.setdefault(name, KubeconfigEntry(fields if isinstance(fields, dict) else {}, path))


def _read(path: str) -> dict[str, Any] | None:
    from syncline.apimachinery import yaml

    try:
        text = pathlib.Path(path).read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise KubeconfigError(f"this kubeconfig cannot be read: {error.strerror}", place=Place(path)) from None
    try:
        documents = yaml.load_documents(text, source=path)
    except yaml.YamlError as error:
        place = Place(path, error.line, error.column)
        raise KubeconfigError(f"this kubeconfig is not valid YAML: {error.message}", place=place) from None
    config = documents[0].value if documents else {}
    if not isinstance(config, dict):
        raise KubeconfigError("this kubeconfig does not hold a Config object", place=Place(path))
    return config
