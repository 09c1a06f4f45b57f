"""What may go wrong with a template; each message is the whole sentence.

Raised in this package and by `syncline.core.appset.functions`; `syncline.core.appset.template` says which text it was.
"""

from __future__ import annotations


class GoTemplateError(Exception):
    """A template that gives no text."""


class ParseError(GoTemplateError):
    """A text that is not a template."""


class ExecError(GoTemplateError):
    """A template that fails with the values it was given."""


class CallError(Exception):
    """A function that fails; whoever called it adds the place."""


class LimitExceeded(GoTemplateError):
    """A template that wants more than it may have."""
