"""Renders a text as a Go template: parses it, remembers what was parsed, and executes it within limits.

Called by `syncline.core.appset.template` for each text of an ApplicationSet. Parsing depends on the text alone, so the
trees of the last texts are kept: one template is rendered for thousands of parameter sets.
"""

from __future__ import annotations

import datetime as dt
import functools
from collections.abc import Mapping, Sequence
from typing import Any

from syncline.core.appset.functions import FUNCTIONS
from syncline.core.appset.gotemplate.budget import Budget
from syncline.core.appset.gotemplate.errors import LimitExceeded, ParseError
from syncline.core.appset.gotemplate.executor import Executor
from syncline.core.appset.gotemplate.functions import Context
from syncline.core.appset.gotemplate.parser import Tree, parse
from syncline.core.appset.gotemplate.quoting import shown
from syncline.core.appset.limits import Limits

_MISSING_KEY = {"invalid": "invalid", "default": "invalid", "zero": "zero", "error": "error"}
_KEPT_TEXTS = 512
_LARGEST_KEPT = 64 * 1024


def missing_key(options: Sequence[str]) -> str:
    """Return what the options say about missing keys; the last one counts."""
    chosen = "invalid"
    for option in options:
        key, equals, value = option.partition("=")
        if key != "missingkey" or not equals or value not in _MISSING_KEY:
            raise ParseError(f"unrecognized option: {option}" if option else "empty option string")
        chosen = _MISSING_KEY[value]
    return chosen


def render(
    text: str,
    params: dict[str, Any],
    *,
    options: Sequence[str],
    limits: Limits,
    now: dt.datetime | None,
) -> str:
    """Return the text rendered with the parameters."""
    budget = Budget(limits)
    try:
        trees = _trees(text, limits.max_depth)
        executor = Executor(text, trees, FUNCTIONS, missing_key(options), Context(budget, now))
        return shown(executor.run(params))
    except RecursionError:
        raise LimitExceeded("the template nests too deep: make it flatter") from None


def _trees(text: str, max_depth: int) -> Mapping[str, Tree]:
    if len(text) > _LARGEST_KEPT:
        return parse(text, FUNCTIONS, max_depth)
    return _kept_trees(text, max_depth)


@functools.lru_cache(maxsize=_KEPT_TEXTS)
def _kept_trees(text: str, max_depth: int) -> Mapping[str, Tree]:
    return parse(text, FUNCTIONS, max_depth)
