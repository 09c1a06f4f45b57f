"""Writes container images as OCI archives: the same folders always give the same bytes.

    write_image(archive, layers=[folder, …], config={"Cmd": ["/bin/sh"]}, ref_name="localhost/busybox:1") -> digest

A layer is a folder, packed by `write_layer`: entries sorted by path, one time for all, numeric owners, modes 0755 or
0644, no extended attributes. So a folder on any file system, unpacked by any user, packs to the same tar. The
compressed bytes also depend on the zlib that Python was linked with; the `diff_id` of a layer does not.
Used by `tools.image.build` and by tests that need an image.
"""

from __future__ import annotations

import datetime as dt
import gzip
import hashlib
import io
import json
import os
import pathlib
import stat
import tarfile
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Any, cast

_LAYER = "application/vnd.oci.image.layer.v1.tar+gzip"
_CONFIG = "application/vnd.oci.image.config.v1+json"
_MANIFEST = "application/vnd.oci.image.manifest.v1+json"
_INDEX = "application/vnd.oci.image.index.v1+json"
_COMPRESSION = 9


@dataclass(frozen=True, slots=True)
class Layer:
    """A compressed layer in a file, with what a manifest and a config record about it."""

    blob: pathlib.Path
    digest: str
    size: int
    diff_id: str
    unpacked: int
    title: str = ""


@dataclass(frozen=True, slots=True)
class Owner:
    """Numeric owner and mode of a path that differs from the rest of its layer."""

    user: int = 0
    group: int = 0
    mode: int = 0o755


class _Hashing(io.RawIOBase):
    """Passes bytes on to a file and hashes them on the way."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._hash = hashlib.sha256()
        self.size = 0

    def writable(self) -> bool:
        """Return that this file is for writing."""
        return True

    def write(self, data: Any) -> int:
        """Write, hash and count."""
        self._hash.update(data)
        self.size += len(data)
        self._file.write(data)
        return len(data)

    def digest(self) -> str:
        """Return the digest of everything that was written, as OCI spells it."""
        return f"sha256:{self._hash.hexdigest()}"


def write_layer(
    folder: pathlib.Path,
    blob: pathlib.Path,
    *,
    mtime: int = 0,
    special: Mapping[str, Owner] | None = None,
    title: str = "",
) -> Layer:
    """Pack a folder into a compressed layer; `special` has owners and modes by path, such as {"tmp": Owner(…)}."""
    with blob.open("wb") as file:
        outside = _Hashing(file)
        # Without a name and a time in its header, gzip's output depends on the input alone.
        with gzip.GzipFile("", "wb", _COMPRESSION, cast("IO[bytes]", outside), mtime=0) as compressed:
            inside = _Hashing(cast("IO[bytes]", compressed))
            write_tar(folder, cast("IO[bytes]", inside), mtime=mtime, special=special)
    return Layer(blob, outside.digest(), outside.size, inside.digest(), inside.size, title)


def write_tar(
    folder: pathlib.Path, target: IO[bytes], *, mtime: int = 0, special: Mapping[str, Owner] | None = None
) -> None:
    """Write a folder as an uncompressed tar, the same bytes for the same content."""
    links: dict[tuple[int, int], str] = {}
    with tarfile.open(fileobj=target, mode="w|", format=tarfile.PAX_FORMAT) as tar:
        for name, path in _sorted_entries(folder):
            entry = _entry(name, path, links, mtime, (special or {}).get(name))
            if entry.isreg():
                with path.open("rb") as content:
                    tar.addfile(entry, content)
            else:
                tar.addfile(entry)


def _sorted_entries(folder: pathlib.Path) -> Iterator[tuple[str, pathlib.Path]]:
    """Yield every path below a folder, parents first."""
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        path = pathlib.Path(entry.path)
        yield entry.name, path
        if entry.is_dir(follow_symlinks=False):
            for name, below in _sorted_entries(path):
                yield f"{entry.name}/{name}", below


def _entry(
    name: str, path: pathlib.Path, links: dict[tuple[int, int], str], mtime: int, owner: Owner | None
) -> tarfile.TarInfo:
    status = path.lstat()
    entry = tarfile.TarInfo(name)
    entry.mtime = mtime
    entry.mode = 0o755 if stat.S_ISDIR(status.st_mode) or status.st_mode & stat.S_IXUSR else 0o644
    if owner is not None:
        entry.uid, entry.gid, entry.mode = owner.user, owner.group, owner.mode
    if stat.S_ISDIR(status.st_mode):
        entry.type = tarfile.DIRTYPE
    elif stat.S_ISLNK(status.st_mode):
        entry.type, entry.linkname, entry.mode = tarfile.SYMTYPE, str(path.readlink()), 0o777
    elif not stat.S_ISREG(status.st_mode):
        raise ValueError(f"{path} is neither a file nor a folder nor a symbolic link: a layer holds only these")
    elif (first := links.setdefault((status.st_dev, status.st_ino), name)) != name:
        entry.type, entry.linkname = tarfile.LNKTYPE, first
    else:
        entry.size = status.st_size
    return entry


def write_image(
    archive: pathlib.Path,
    layers: Sequence[Layer | pathlib.Path],
    config: Mapping[str, Any],
    *,
    ref_name: str,
    arch: str = "amd64",
    created: int = 0,
    annotations: Mapping[str, str] | None = None,
) -> str:
    """Write an OCI archive and return the digest of its manifest.

    A layer that is still a folder is packed first. `config` is the part that says how to run it: User, Env,
    Entrypoint, Cmd, WorkingDir, Labels. `ref_name` is the name that `ctr images import` gives the image; for a kubelet
    it must have a registry, such as localhost/busybox:1.
    """
    archive.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{archive.name}-", dir=archive.parent) as scratch:
        packed = [
            layer if isinstance(layer, Layer) else write_layer(layer, pathlib.Path(scratch, str(number)))
            for number, layer in enumerate(layers)
        ]
        image_config = _json(_image_config(packed, config, arch, created))
        manifest = _json(
            {
                "schemaVersion": 2,
                "mediaType": _MANIFEST,
                "config": _descriptor(_CONFIG, image_config),
                "layers": [{"mediaType": _LAYER, "digest": layer.digest, "size": layer.size} for layer in packed],
                **({"annotations": dict(annotations)} if annotations else {}),
            }
        )
        files: dict[str, bytes | pathlib.Path] = {_blob_path(layer.digest): layer.blob for layer in packed}
        files[_blob_path(_digest(image_config))] = image_config
        files[_blob_path(_digest(manifest))] = manifest
        files["index.json"] = _json(_index(manifest, ref_name, arch))
        files["oci-layout"] = _json({"imageLayoutVersion": "1.0.0"})
        partial = pathlib.Path(scratch, "archive")
        _write_archive(partial, files, created)
        partial.replace(archive)
    return _digest(manifest)


def _image_config(layers: Sequence[Layer], config: Mapping[str, Any], arch: str, created: int) -> dict[str, Any]:
    time = dt.datetime.fromtimestamp(created, dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {
        "architecture": arch,
        "os": "linux",
        "created": time,
        "config": dict(config),
        "rootfs": {"type": "layers", "diff_ids": [layer.diff_id for layer in layers]},
        "history": [{"created": time, "created_by": layer.title or "files"} for layer in layers],
    }


def _index(manifest: bytes, ref_name: str, arch: str) -> dict[str, Any]:
    # containerd takes the whole name from its own annotation; other programs read the tag.
    names = {"io.containerd.image.name": ref_name, "org.opencontainers.image.ref.name": ref_name.rpartition(":")[2]}
    described = {
        **_descriptor(_MANIFEST, manifest),
        "platform": {"architecture": arch, "os": "linux"},
        "annotations": names,
    }
    return {"schemaVersion": 2, "mediaType": _INDEX, "manifests": [described]}


def _write_archive(target: pathlib.Path, files: Mapping[str, bytes | pathlib.Path], mtime: int) -> None:
    folders = {str(parent) for name in files for parent in pathlib.PurePosixPath(name).parents} - {"."}
    with target.open("wb") as file, tarfile.open(fileobj=file, mode="w|", format=tarfile.PAX_FORMAT) as tar:
        for name in sorted({*files, *folders}):
            entry = tarfile.TarInfo(name)
            entry.mtime = mtime
            if name in folders:
                entry.type, entry.mode = tarfile.DIRTYPE, 0o755
                tar.addfile(entry)
                continue
            content = files[name]
            with io.BytesIO(content) if isinstance(content, bytes) else content.open("rb") as opened:
                entry.size = opened.seek(0, io.SEEK_END)
                opened.seek(0)
                tar.addfile(entry, opened)


def _descriptor(kind: str, content: bytes) -> dict[str, Any]:
    return {"mediaType": kind, "digest": _digest(content), "size": len(content)}


def _digest(content: bytes) -> str:
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def _blob_path(digest: str) -> str:
    return f"blobs/{digest.replace(':', '/')}"


def _json(value: object) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()
