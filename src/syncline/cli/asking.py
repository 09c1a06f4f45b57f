"""Asks before something is deleted; nobody at the keyboard means no."""

from __future__ import annotations

import sys

import click

from syncline.model.errors import NeedsUser


def agree(words: str, question: str) -> None:
    """Return when the user says yes; raises a sentence otherwise."""
    try:
        agreed = click.confirm(f"{words}: {question}", err=True)
    except click.Abort:
        if sys.stdin.isatty():
            raise
        click.echo(err=True)
        agreed = False
    if not agreed:
        raise NeedsUser("nothing was deleted", hint="agree, or say --yes beforehand")
