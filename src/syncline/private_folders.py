"""Makes folders that only the user who runs Syncline can enter: caches and data hold what few may read.

Used by everything that keeps files: adapters, wiring, the sandbox. `pathlib` gives a mode to the last folder alone, and
those above it, which anybody may list, to whoever asks.
"""

from __future__ import annotations

import contextlib
import os
import pathlib
import stat

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


def shut(cache: pathlib.Path) -> None:
    """Shut the folder of a cache, which is ours alone, where an older version left it open to others."""
    with contextlib.suppress(OSError):
        found = cache.stat()
        if found.st_uid == os.getuid() and stat.S_IMODE(found.st_mode) & ~_MODE:
            cache.chmod(_MODE)
