"""A choice between words, as an option's value: what is mistyped is answered with the nearest."""

from __future__ import annotations

from typing import Any

import click


class Choice(click.Choice[str]):
    """One of some words."""

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:
        """Return what the words are, and which one may have been meant."""
        from syncline.apimachinery.nearest import did_you_mean

        words = did_you_mean(str(value), [str(choice) for choice in self.choices])
        question = f" {words[:1].upper()}{words[1:]}" if words else ""
        return super().get_invalid_choice_message(value, ctx) + question
