"""Which revisions to use in place of those an Application names: one, or one for each of some of its sources.

The flags of `app sync`, `app diff` and `app manifests`, as one `syncline.verbs.revisions.RevisionChoice`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import click
import msgspec

from syncline.model.errors import NeedsUser
from syncline.verbs.revisions import RevisionChoice


def numbers(_context: click.Context, _parameter: click.Parameter, texts: Sequence[str]) -> tuple[int, ...]:
    """Read numbers given one by one or with commas between them, for click."""
    parts = [part.strip() for text in texts for part in text.split(",")]
    for part in parts:
        if not part.isdecimal() or part == "0":
            raise click.BadParameter(f"{part!r} is not a position: sources are counted from 1")
    return tuple(map(int, parts))


def revision_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the flags; the command takes them as one `at`."""

    @functools.wraps(command)
    def with_revision(*args: Any, revision: str, at: RevisionChoice, **others: Any) -> Any:
        return command(*args, at=msgspec.structs.replace(at, revision=revision), **others)

    return click.option(
        "--revision", default="", help="Commit, branch, tag or chart version to use instead of the newest."
    )(revisions_of_sources(with_revision))


def revisions_of_sources(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the flags for some of several sources; the command takes them as one `at`."""

    @functools.wraps(command)
    def with_revisions(
        *args: Any,
        revisions_of_some: tuple[str, ...],
        source_positions: tuple[int, ...],
        source_names: tuple[str, ...],
        **others: Any,
    ) -> Any:
        if source_positions and source_names:
            raise click.UsageError("--source-positions and --source-names are mutually exclusive: give one of them")
        if len(revisions_of_some) != len(source_positions or source_names):
            raise NeedsUser(
                "--revisions needs --source-positions or --source-names", hint="give the same number of each"
            )
        at = RevisionChoice(revisions=revisions_of_some, positions=source_positions, names=source_names)
        return command(*args, at=at, **others)

    wrapped: Callable[..., Any] = with_revisions
    for option in reversed(_OPTIONS):
        wrapped = option(wrapped)
    return wrapped


_OPTIONS = (
    click.option(
        "--revisions",
        "revisions_of_some",
        multiple=True,
        help="Revision to use for one of several sources (can be repeated).",
    ),
    click.option(
        "--source-positions", multiple=True, callback=numbers, help="Which source --revisions is for, counted from 1."
    ),
    click.option("--source-names", multiple=True, help="The same, by the source's name."),
)
