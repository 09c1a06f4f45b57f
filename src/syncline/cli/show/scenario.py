"""A story as text: what was wrong, where each cause can be seen, and the repairs with what each brings back.

Handed to `syncline scenario show`; the same rows stand on the pages of the guide.
"""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterator

from syncline.scenarios.story import Cause, Seen, Step, Story, Visible

_WIDTH = 116


def told(story: Story) -> str:
    """Return a story for people."""
    return "\n".join(_lines(story))


def _lines(story: Story) -> Iterator[str]:
    yield f"{story.name}: {story.title}"
    yield from textwrap.wrap(story.about, _WIDTH, initial_indent="  ", subsequent_indent="  ")
    yield f"  by Argo CD's rules   {_counts(story.seen)}"
    yield f"  by Syncline's own    {_counts(story.ours)}"
    if story.told:
        yield ""
        yield summary(story)
        for cause in story.told:
            yield from _cause(cause)
    yield ""
    yield "Repairs, and how many apps are Synced and Healthy afterwards"
    for number, step in enumerate(story.steps, start=1):
        yield from _step(number, step)
    if story.errata:
        yield ""
        yield "What the write-up says that does not hold"
        for one in story.errata:
            yield from textwrap.wrap(one, _WIDTH, initial_indent="  - ", subsequent_indent="    ")


def summary(story: Story) -> str:
    """Return how many causes can be seen where."""
    counts = Counter(cause.visible for cause in story.told)
    return f"{len(story.told)} causes: " + ", ".join(f"{counts[one]} {one}" for one in Visible)


def _counts(seen: Seen) -> str:
    others = ", ".join(f"{count} {health}" for health, count in seen.others.items() if count)
    out_of_sync = f"; at least {seen.out_of_sync} OutOfSync" if seen.out_of_sync else ""
    return f"{seen.good} Synced and Healthy" + (f"; others: {others}" if others else "") + out_of_sync


def _cause(cause: Cause) -> Iterator[str]:
    by = f", by the rules of {cause.by} alone" if cause.by else ""
    yield f"  {cause.name}: {cause.told}"
    yield f"      seen      {cause.visible}{by}"
    if cause.check:
        yield f"      check     {cause.check}" + (f"  {cause.check_at}" if cause.check_at else "")
    if cause.code:
        yield f"      diagnose  {cause.code}  {cause.subject}" + (f"  {cause.at}" if cause.at else "")
    if cause.condition:
        yield f"      condition {cause.condition}"
    if cause.effect_of:
        yield f"      effect of {cause.effect_of}"
    if cause.remark:
        yield from textwrap.wrap(cause.remark, _WIDTH, initial_indent="      ", subsequent_indent="      ")


def _step(number: int, step: Step) -> Iterator[str]:
    ours = f" ({step.ours} by Syncline's rules)" if step.ours is not None else ""
    yield f"  {number}. {step.title}: {step.good}{ours}"
    for commit in step.commits:
        yield f"       git commit: {commit.message}"
    if step.outside:
        yield f"       outside: {step.outside}"
    for cause in step.shows:
        yield f"       shows only now: {cause.told}"
