"""Errors, sorted by what to do next.

Raised by adapters and the controller; turned into a condition and a requeue in one place,
`syncline.controller.deliver.failures`, and into one sentence on the command line.

    SynclineError
    └── NeedsUser            somebody has to change something; a retry alone does not help
        ├── SourceError      a repository, revision or path cannot be fetched
        ├── RenderError      files were fetched but make no objects
        └── InvalidSpec      an Application, project or settings object cannot be used as written

A cluster that does not answer is a `syncline.ports.transport.TransportError`.
"""

from __future__ import annotations

import msgspec

from syncline.model.logins import without_logins


class Place(msgspec.Struct, frozen=True):
    """Where in a file: line and column count from 1; 0 means unknown."""

    file: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        parts = [self.file] + [str(number) for number in (self.line, self.column) if number]
        return ":".join(parts)


class SynclineError(Exception):
    """Something went wrong that a person can read about: what, where, and what to do."""

    def __init__(self, what: str, *, place: Place | None = None, hint: str = "", missing: str = "") -> None:
        self.what = without_logins(what)
        self.place = place
        self.hint = without_logins(hint)
        self.missing = missing
        """The path of a repository that is not there, where that is what is wrong."""
        super().__init__(self.sentence())

    def sentence(self) -> str:
        """Return place, what happened and what to do, on one line."""
        where = f"{self.place}: " if self.place else ""
        return f"{where}{self.what}" + (f" ({self.hint})" if self.hint else "")


class NeedsUser(SynclineError):
    """Somebody has to change something first."""


class SourceError(NeedsUser):
    """A repository, revision or path cannot be fetched."""


class RenderError(NeedsUser):
    """Files were fetched but make no objects."""


class InvalidSpec(NeedsUser):
    """An Application, project or settings object cannot be used as written."""
