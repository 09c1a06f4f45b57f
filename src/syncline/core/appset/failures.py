"""Joins what fails in the template of an ApplicationSet: one fault fails for every set of parameters, and is said once.

Filled by `syncline.core.appset.generate`, which puts the message into the error of the whole set.
"""

from __future__ import annotations

from collections.abc import Sequence

from syncline.core.appset.parameters import Origin, Parameters
from syncline.core.appset.template import PATCH, TemplateError

_NAMED = 3


class Failures:
    """The failures of one set: equal ones together, with the parameters they fail for."""

    def __init__(self) -> None:
        self._first: dict[str, TemplateError] = {}
        self._places: dict[str, list[str]] = {}

    def __bool__(self) -> bool:
        return bool(self._first)

    def add(self, error: TemplateError, parameters: Parameters) -> None:
        """Note that the template failed for one set of parameters."""
        message = str(error)
        self._first.setdefault(message, error)
        self._places.setdefault(message, []).append(_place(parameters))

    def field(self) -> str:
        """Return the path of the first text that failed, from the top of the ApplicationSet."""
        field = next(iter(self._first.values())).field
        return f"spec.{field}" if field == PATCH else f"spec.template.{field}" if field else ""

    def message(self) -> str:
        """Return all failures in one sentence: what failed, what may have been meant, for which parameters."""
        return together([self._said(message, error) for message, error in self._first.items()])

    def _said(self, message: str, error: TemplateError) -> str:
        hint = error.cause.hint if error.cause else ""
        places = together(list(dict.fromkeys(self._places[message])), ", ")
        return f"{message}{f' ({hint})' if hint else ''}, with the parameters of {places}"


def together(texts: Sequence[str], separator: str = "; ") -> str:
    """Return the first texts joined, and how many more there are."""
    shown = separator.join(texts[:_NAMED])
    return f"{shown} (and {len(texts) - _NAMED} more)" if len(texts) > _NAMED else shown


def _place(parameters: Parameters) -> str:
    last = parameters.origins[-1] if parameters.origins else Origin("spec.generators")
    return f"{last.file}:{last.line}" if last.line else last.file or last.field
