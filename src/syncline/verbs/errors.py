"""Why a request was not carried out, sorted by what its answer over HTTP would be.

Raised by everything in `syncline.verbs`. `what` is one sentence for anyone; `hint` says what to do next, in the words
of the command line.
"""

from __future__ import annotations

from collections.abc import Iterable

from syncline.core.policy.denials import Denial
from syncline.model.errors import NeedsUser


class InvalidRequest(NeedsUser):
    """The request makes no sense for this Application: a source, value or patch that does not fit."""


class NotFound(NeedsUser):
    """The Application, object or history entry that the request names is not there."""


class Refused(NeedsUser):
    """The Application is in a state that forbids it, such as a sync that runs already."""


class Denied(Refused):
    """The project of the Application does not permit it; `control` is the namespace of its installation."""

    def __init__(self, what: str, denials: Iterable[Denial], *, control: str, hint: str = "") -> None:
        super().__init__(what, hint=hint)
        self.denials = tuple(denials)
        self.control = control


class Conflict(NeedsUser):
    """Somebody else changed the Application at the same time."""
