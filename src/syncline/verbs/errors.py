"""Why a request was not carried out, sorted by what its answer over HTTP would be.

Raised by everything in `syncline.verbs`. `what` is one sentence for anyone; `hint` says what to do next, in the words
of the command line.
"""

from __future__ import annotations

from syncline.model.errors import NeedsUser


class InvalidRequest(NeedsUser):
    """The request makes no sense for this Application: a source, value or patch that does not fit."""


class NotFound(NeedsUser):
    """The Application, object or history entry that the request names is not there."""


class Refused(NeedsUser):
    """The Application is in a state that forbids it, such as a sync that runs already."""


class Conflict(NeedsUser):
    """Somebody else changed the Application at the same time."""
