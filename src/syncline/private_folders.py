"""Makes folders and files that only the user who runs Syncline can read: caches, data and logins are for few.

Used by everything that keeps files: adapters, wiring, the sandbox. `pathlib` gives a mode to the last folder alone, and
those above it, which anybody may list, to whoever asks.
"""

from __future__ import annotations

import contextlib
import os
import pathlib
import stat
import tempfile

_MODE = 0o700


def make(path: pathlib.Path) -> None:
    """Make a folder and those above it that are missing; raises `OSError`."""
    missing: list[pathlib.Path] = []
    while not path.is_dir():
        missing.append(path)
        if path.parent == path:
            break
        path = path.parent
    for folder in reversed(missing):
        folder.mkdir(mode=_MODE, exist_ok=True)


def write(path: pathlib.Path, content: bytes) -> None:
    """Write a file by one rename, so that nobody reads half of it; its folder is made where it is missing."""
    make(path.parent)
    # Made for its owner alone, whatever the umask says.
    handle, made = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        pathlib.Path(made).replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            pathlib.Path(made).unlink()
        raise


def shut(cache: pathlib.Path) -> None:
    """Shut the folder of a cache, which is ours alone, where an older version left it open to others."""
    with contextlib.suppress(OSError):
        found = cache.stat()
        if found.st_uid == os.getuid() and stat.S_IMODE(found.st_mode) & ~_MODE:
            cache.chmod(_MODE)
