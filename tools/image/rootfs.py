"""Writes the root file system of an image: as one tar for the Containerfile, or as a folder to look into or run.

The tar has the entries of all layers, with their owners and times. A folder gets the owners only where root unpacks.
"""

from __future__ import annotations

import json
import os
import pathlib
import tarfile
from collections.abc import Iterator
from typing import IO, Any

from tools.image.problem import ImageProblem


def write_rootfs(archive: pathlib.Path, target: pathlib.Path) -> None:
    """Write the files of an OCI archive to a tar, or below a new folder where the name does not end in .tar."""
    if target.suffix == ".tar":
        target.parent.mkdir(parents=True, exist_ok=True)
        with tarfile.open(target, "w", format=tarfile.PAX_FORMAT) as tar:
            for layer, entry in _entries(archive):
                tar.addfile(entry, layer.extractfile(entry) if entry.isreg() else None)
        return
    try:
        target.mkdir(parents=True)
    except FileExistsError:
        raise ImageProblem(f"{target} exists already: name a new folder, or a file that ends in .tar") from None
    owns = os.geteuid() == 0
    for layer, entry in _entries(archive):
        layer.extract(entry, target, numeric_owner=owns, filter="fully_trusted")


def read_manifest(archive: pathlib.Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the manifest and the config of the image in an OCI archive."""
    with tarfile.open(archive) as tar:
        index = json.load(_blob(tar, "index.json"))
        manifest = json.load(_blob(tar, _path(index["manifests"][0]["digest"])))
        return manifest, json.load(_blob(tar, _path(manifest["config"]["digest"])))


def _entries(archive: pathlib.Path) -> Iterator[tuple[tarfile.TarFile, tarfile.TarInfo]]:
    """Yield the entries of all layers; a folder that several layers have only once."""
    folders = set()
    manifest, _config = read_manifest(archive)
    with tarfile.open(archive) as tar:
        for described in manifest["layers"]:
            with tarfile.open(fileobj=_blob(tar, _path(described["digest"])), mode="r:gz") as layer:
                for entry in layer:
                    if entry.name not in folders:
                        yield layer, entry
                    if entry.isdir():
                        folders.add(entry.name)


def _blob(tar: tarfile.TarFile, name: str) -> IO[bytes]:
    try:
        file = tar.extractfile(name)
    except KeyError:
        file = None
    if file is None:
        raise ImageProblem(f"{tar.name!s} is not an OCI archive with one image: it has no {name}")
    return file


def _path(digest: str) -> str:
    return f"blobs/{digest.replace(':', '/')}"
