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

from typing import TYPE_CHECKING

import msgspec

from syncline.model.logins import without_logins

if TYPE_CHECKING:
    from syncline.model.desired import Fetched


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

    @property
    def is_unanswered(self) -> bool:
        """Whether the server of a repository gave no list of revisions: of one that did, something else is said.

        By its words, which are Argo CD's and which a failure keeps on its way through stores and statuses.
        """
        return self.what.startswith("failed to list refs")

    @property
    def is_refused(self) -> bool:
        """Whether nobody was asked, because of where the address leads: another permission changes that."""
        return " is refused: " in self.what or self.what.startswith("repository not permitted")


class RenderError(NeedsUser):
    """Files were fetched but make no objects.

    The same files fail again, unless the failure is `passing`: a program was killed, a disk is full. `fetched` is what
    else it depends on: what was fetched besides, and, with nothing found, what could not be. With `over_limit` it took
    too long or printed too much, so it is not tried again at once.
    """

    def __init__(
        self,
        what: str,
        *,
        place: Place | None = None,
        hint: str = "",
        missing: str = "",
        passing: bool = False,
        fetched: tuple[Fetched, ...] = (),
        over_limit: bool = False,
    ) -> None:
        super().__init__(what, place=place, hint=hint, missing=missing)
        self.passing = passing
        self.over_limit = over_limit
        self.fetched = fetched


class InvalidSpec(NeedsUser):
    """An Application, project or settings object cannot be used as written."""
