"""What all generators of one ApplicationSet share: how texts are filled in, whose credentials count, the answers.

Made by `syncline.core.appset.generate`, handed to every generator.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from syncline.core.appset.gotemplate.values import StringMap
from syncline.core.appset.parameters import Values
from syncline.core.appset.questions import Answers, GeneratorError
from syncline.core.appset.template import TemplateError, render_text


class Context(msgspec.Struct, frozen=True, kw_only=True):
    """The part of an ApplicationSet that its generators look at, and the answers there are so far."""

    go_template: bool
    options: tuple[str, ...] = ()
    project: str = ""
    answers: Answers
    local_name: str = "in-cluster"
    name: str = ""
    """The name of the set."""

    def filled(self, text: str, values: Mapping[str, Any]) -> str:
        """Return a text with parameters filled in."""
        try:
            return render_text(text, values, go_template=self.go_template, options=self.options)
        except TemplateError as error:
            raise GeneratorError(str(error)) from None

    def with_values(self, values: Values, given: Mapping[str, str]) -> Values:
        """Return parameters with the generator's own `values`, which may refer to the others but not to one another."""
        if not given:
            return values
        own = {name: self.filled(text, values) for name, text in given.items()}
        if self.go_template:
            return {**values, "values": StringMap(own)}
        return {**values, **{f"values.{name}": text for name, text in own.items()}}
