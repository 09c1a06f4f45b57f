"""Keeps the objects of a sandbox in a folder, so that they outlive the process.

`syncline.sandbox.server` opens one when its settings name a data folder; `syncline.sandbox.store.store` reads it once
and tells it every change before anybody else hears of it. Each change is a committed SQLite transaction in WAL mode:
what was acknowledged, or seen by a watcher, survives kill -9. It does not wait for the disk, so a power cut may take
the last moments. The folder is locked for as long as the process lives.
"""

from __future__ import annotations

import contextlib
import fcntl
import pathlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import orjson

from syncline import private_folders
from syncline.sandbox import errors
from syncline.sandbox.store.store import Bucket, Row, RowKey

if TYPE_CHECKING:
    import sqlite3

_FORMAT: Final = 1
_DATABASE: Final = "objects.db"
_DISK: Final = ("SQLITE_FULL", "SQLITE_READONLY", "SQLITE_IOERR", "SQLITE_CANTOPEN")
"""Errors of the disk, and not of what is on it."""
_CHECKPOINT_PAGES: Final = 4000
"""How much the log may grow (16 MB) before it is worked into the database."""
_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS objects (
    grp TEXT, plural TEXT, namespace TEXT, name TEXT, version INTEGER NOT NULL, body BLOB NOT NULL,
    PRIMARY KEY (grp, plural, namespace, name)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS removed (id INTEGER PRIMARY KEY CHECK (id = 1), version INTEGER NOT NULL);
INSERT OR IGNORE INTO removed VALUES (1, 1);
"""
_PUT: Final = "INSERT OR REPLACE INTO objects VALUES (?, ?, ?, ?, ?, ?)"
_REMOVE: Final = "DELETE FROM objects WHERE grp = ? AND plural = ? AND namespace = ? AND name = ?"
_COUNT: Final = "UPDATE removed SET version = ?"
_VERSION: Final = "SELECT max((SELECT version FROM removed), (SELECT coalesce(max(version), 0) FROM objects))"


class DataFolderError(Exception):
    """The data folder cannot be used; the text is one sentence that says why and what to do."""


class DiskJournal:
    """The objects of one sandbox on disk; `open_folder` makes one."""

    def __init__(self, connection: sqlite3.Connection, files: contextlib.ExitStack, folder: pathlib.Path) -> None:
        self._connection = connection
        self._files = files
        self._folder = folder

    def version(self) -> int:
        """Return the resourceVersion of the newest change."""
        return int(self._connection.execute(_VERSION).fetchone()[0])

    def rows(self) -> Iterator[Row]:
        """Yield everything that is stored."""
        found = self._connection.execute("SELECT grp, plural, namespace, name, version, body FROM objects")
        for group, plural, namespace, name, version, body in found:
            yield Row(RowKey(Bucket(group, plural), namespace, name), orjson.loads(body), version)

    def put(self, row: Row) -> None:
        """Store a row for good; raises a StatusError where the disk is full or cannot be written."""
        (group, plural), namespace, name = row.place
        with self._writing():
            self._connection.execute(_PUT, (group, plural, namespace, name, row.version, row.body))

    def remove(self, row: Row) -> None:
        """Forget a row for good; its version is that of its end. Raises as `put` does."""
        (group, plural), namespace, name = row.place
        with self._writing():
            self._connection.execute("BEGIN")
            self._connection.execute(_REMOVE, (group, plural, namespace, name))
            self._connection.execute(_COUNT, (row.version,))
            self._connection.execute("COMMIT")

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        """Take back what could not be written, and say why: nothing changes until there is room again."""
        import sqlite3

        try:
            yield
        except sqlite3.Error as error:
            with contextlib.suppress(sqlite3.Error):
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
            raise errors.StatusError(
                500,
                "InternalError",
                f"the data folder {self._folder} cannot be written ({error}): free space there, or start again with "
                "another folder",
            ) from None

    def close(self) -> None:
        """Give the folder free."""
        self._connection.close()
        self._files.close()


def open_folder(folder: str) -> DiskJournal:
    """Open a data folder, making it if needed; raises `DataFolderError`."""
    import sqlite3

    path = pathlib.Path(folder)
    with contextlib.ExitStack() as files:
        _lock(path, files)
        try:
            # Autocommit: every statement outside BEGIN is a transaction of its own.
            connection = sqlite3.connect(path / _DATABASE, isolation_level=None, check_same_thread=False)
            files.callback(connection.close)
            _prepare(connection, path)
        except sqlite3.Error as error:
            if error.sqlite_errorname.startswith(_DISK):
                raise _unwritable(path, str(error)) from None
            raise DataFolderError(
                f"The data folder {path} cannot be read ({error}): it is damaged or of another program, choose another "
                "folder or move this one away."
            ) from None
        return DiskJournal(connection, files.pop_all(), path)


def _unwritable(path: pathlib.Path, why: str) -> DataFolderError:
    return DataFolderError(
        f"The data folder {path} cannot be written ({why}): free space there, make it writable or choose another "
        "folder."
    )


def _lock(path: pathlib.Path, files: contextlib.ExitStack) -> None:
    try:
        private_folders.make(path)
        lock = files.enter_context((path / "lock").open("a"))
        # The folder may have been there before; what others wrote into the cluster is for its owner alone.
        (path / _DATABASE).touch(mode=0o600)
        (path / _DATABASE).chmod(0o600)
    except OSError as error:
        raise _unwritable(path, error.strerror or str(error)) from None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise DataFolderError(
            f"The data folder {path} is in use by another process: stop that one or choose another folder."
        ) from None


def _prepare(connection: sqlite3.Connection, path: pathlib.Path) -> None:
    found = connection.execute("PRAGMA user_version").fetchone()[0]
    if found > _FORMAT:
        raise DataFolderError(
            f"The data folder {path} was written by a newer version of this program: use that one, or another folder."
        )
    # The folder is ours alone, so SQLite need not ask the system for its locks at every transaction.
    connection.execute("PRAGMA locking_mode = EXCLUSIVE")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute(f"PRAGMA wal_autocheckpoint = {_CHECKPOINT_PAGES}")
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.executescript(_SCHEMA)
    connection.execute(f"PRAGMA user_version = {_FORMAT}")
