"""Selectors of generators: on the labels of clusters, on parameters after they were made, and patterns of filters.

Used by `syncline.core.appset.generators` and `syncline.core.appset.simple`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import re2

from syncline.apimachinery import selectors
from syncline.core.appset.parameters import Parameters, flat_texts
from syncline.core.appset.questions import GeneratorError
from syncline.model.applicationset import LabelSelector

_QUIET = re2.Options()
_QUIET.log_errors = False


def selector_of(selector: LabelSelector | None, *, any_value: bool = False) -> selectors.LabelSelector:
    """Return what labels are asked; an absent selector takes everything, and so does an empty one."""
    if selector is None:
        return selectors.LabelSelector()
    expressions = [
        {"key": one.key, "operator": one.operator, "values": list(one.values)} for one in selector.match_expressions
    ]
    given = {"matchLabels": dict(selector.match_labels), "matchExpressions": expressions}
    return selectors.LabelSelector.from_object(given, any_value=any_value)


def selected(found: Iterable[Parameters], selector: LabelSelector | None, field: str) -> Iterator[Parameters]:
    """Yield the parameters that a generator's selector takes; names are those of flattened parameters."""
    try:
        asked = selector_of(selector, any_value=True)
    except selectors.InvalidSelector as error:
        raise GeneratorError(f"{field}.selector: {error}") from None
    for one in found:
        if not asked.requirements or asked.matches(flat_texts(one.values)):
            yield one


def matches(pattern: str, text: str, field: str) -> bool:
    """Whether a regular expression of a filter finds something in a text."""
    try:
        return re2.search(pattern, text, _QUIET) is not None
    except re2.error:
        raise GeneratorError(f"{field}.filters: {pattern!r} is not a regular expression") from None
