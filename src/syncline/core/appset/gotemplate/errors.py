"""What may go wrong with a template; each message is the whole sentence.

Raised in this package and by `syncline.core.appset.functions`; `syncline.core.appset.template` says which text it was.
"""

from __future__ import annotations

from collections.abc import Collection
from itertools import islice

from syncline.apimachinery.nearest import instead

_LOOKED_AT = 1000


class GoTemplateError(Exception):
    """A template that gives no text; where it uses an `unknown` name, `known` are those it could have used."""

    def __init__(self, message: str, *, unknown: str = "", known: Collection[str] = ()) -> None:
        super().__init__(message)
        self._unknown = unknown
        self._known = known

    @property
    def hint(self) -> str:
        """What may have been meant; found only when it is asked for, since most errors are counted and not shown."""
        names = list(islice(self._known, _LOOKED_AT))
        return instead(self._unknown, names) if self._unknown else ""


class ParseError(GoTemplateError):
    """A text that is not a template."""


class ExecError(GoTemplateError):
    """A template that fails with the values it was given."""


class CallError(Exception):
    """A function that fails; whoever called it adds the place."""


class LimitExceeded(GoTemplateError):
    """A template that wants more than it may have."""
