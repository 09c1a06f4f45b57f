"""What may go wrong on the way to a message; each text is a sentence without credentials.

Raised in this package, told to people by `syncline.controller.notify` and `syncline admin notifications`.
"""

from __future__ import annotations


class NotifyError(Exception):
    """A notification that cannot be made; trying again without a change gives the same."""


class CommitUnknown(Exception):
    """A trigger or template asks about a commit that nobody has described yet: describe it and ask again."""

    def __init__(self, sha: str) -> None:
        super().__init__(sha)
        self.sha = sha
