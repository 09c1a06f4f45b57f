"""Lets one program at a time change a cache on disk: a command and a controller of one user share it.

Used by `syncline.adapters.git.cache`. The lock goes with the process that holds it, so one that was killed holds nobody
up.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import pathlib
from collections.abc import AsyncIterator
from typing import IO

from syncline import private_folders

_NAME = "in-use"
_PAUSE = 0.05


@contextlib.asynccontextmanager
async def held(folder: pathlib.Path) -> AsyncIterator[None]:
    """Hold a folder; whoever else wants it waits."""
    file = await asyncio.to_thread(_open, folder)
    try:
        while not _take(file):  # noqa: ASYNC110 - another program holds it, which sets no event
            # Not in a thread: those are few, and whoever holds the folder needs one to finish.
            await asyncio.sleep(_PAUSE)
        yield
    finally:
        file.close()


def _open(folder: pathlib.Path) -> IO[bytes]:
    private_folders.make(folder)
    return (folder / _NAME).open("wb")


def _take(file: IO[bytes]) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
