"""What may go wrong with an expression; each message is the whole sentence.

Raised in this package; `syncline.core.notify.triggers` adds which trigger it was.
"""

from __future__ import annotations


class ExprError(Exception):
    """An expression that gives no value."""


class InvalidExpr(ExprError):
    """A text that is not an expression."""


class NothingThere(ExprError):
    """A field of something that is nil: common for Applications that were not synced yet, and not a mistake."""
