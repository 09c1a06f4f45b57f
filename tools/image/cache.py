"""Folders of the cache that hold the parts of an image, each named by a digest of what it was made from.

A folder appears by one rename, so one that exists is complete.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import pathlib
import shutil
import tempfile
from collections.abc import Callable, Iterable

ROOT = pathlib.Path(__file__).parents[2]


def cache_folder() -> pathlib.Path:
    """Return where downloads and layers are kept, outside of the tree."""
    base = os.environ.get("SYNCLINE_CACHE")
    home = pathlib.Path(base) if base else pathlib.Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache") / "syncline"
    return home.expanduser() / "image"


def digest_of(parts: Iterable[str | bytes]) -> str:
    """Return a short name for a list of values."""
    whole = hashlib.sha256()
    for part in parts:
        whole.update(hashlib.sha256(part.encode() if isinstance(part, str) else part).digest())
    return whole.hexdigest()[:24]


def file_digest(path: pathlib.Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def code_digest(*names: str) -> str:
    """Return a digest of modules of this package, so that a layer is made again where its code has changed."""
    return digest_of(pathlib.Path(__file__).with_name(f"{name}.py").read_bytes() for name in names)


def made_once(name: str, fill: Callable[[pathlib.Path], None]) -> pathlib.Path:
    """Return a folder of the cache, filled first where it is not there yet."""
    folder = cache_folder() / name
    if folder.is_dir():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    with folder.with_name(f"{folder.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.is_dir():
            partial = pathlib.Path(tempfile.mkdtemp(prefix=f"{folder.name}-", dir=folder.parent))
            try:
                fill(partial)
                partial.chmod(0o755)
                partial.rename(folder)
            finally:
                shutil.rmtree(partial, ignore_errors=True)
    return folder
