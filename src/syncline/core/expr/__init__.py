"""The expression language of notifications (expr): `app.status.health.status == 'Degraded' and not (…)`.

Belongs here: how an expression is read and what it gives for values. Does not belong here: what the values are, which
`syncline.core.notify` says. Every evaluation has a budget, so that a hostile expression costs no more than an honest
one.
"""

from __future__ import annotations

from syncline.core.expr.errors import ExprError, InvalidExpr, NothingThere
from syncline.core.expr.evaluate import evaluate
from syncline.core.expr.parser import parse

__all__ = ["ExprError", "InvalidExpr", "NothingThere", "evaluate", "parse"]
