"""The commands of `syncline scenario`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from syncline.cli.show import terminal

if TYPE_CHECKING:
    from syncline.scenarios.story import Rules, Story

_BOTH = "both"
_RATE = 0.1
"""A render that takes ten seconds takes one in a story: what comes of it hangs less on how fast the machine is."""


@click.command("list")
def list_stories() -> int:
    """List the stories that come with Syncline."""
    from syncline.scenarios import shipped

    for name in shipped.NAMES:
        terminal.echo(f"{name:14}{shipped.get(name).title}")
    return 0


@click.command("show")
@click.argument("name")
@click.option("--variant", type=int, default=None, metavar="SEED", help="A look-alike of the story instead.")
def show_story(name: str, variant: int | None) -> int:
    """Show a story: what was wrong, where each cause can be seen, and what repairs it."""
    from syncline.cli.show.scenario import told
    from syncline.scenarios import shipped

    terminal.echo(told(shipped.get(name, variant)))
    return 0


@click.command("test")
@click.argument("name")
@click.option("--compat", type=click.Choice(["argocd", "syncline", _BOTH]), default=_BOTH, show_default=True,
              help="Whose rules to play by: Argo CD's, as the team saw it, or Syncline's own.")  # fmt: skip
@click.option("--variant", "variants", type=int, multiple=True, metavar="SEED",
              help="Play a look-alike instead: other names, sizes and order, and one other cause.")  # fmt: skip
@click.option("--look-alikes", type=click.IntRange(min=0), default=0, metavar="COUNT",
              help="Play this many look-alikes after the story, each by one of the two sets of rules.")  # fmt: skip
def test_story(name: str, compat: str, variants: tuple[int, ...], look_alikes: int) -> int:
    """Play a story in virtual time and check every expectation."""
    from syncline import wiring
    from syncline.api import collecting
    from syncline.cli.scenario.testing import played
    from syncline.scenarios import shipped
    from syncline.scenarios.story import Rules

    rules: list[Rules] = [Rules(compat)] if compat != _BOTH else list(Rules)
    plays: list[tuple[str, Story, Rules]] = []
    for variant in variants or (None,):
        story = shipped.get(name, variant)
        plays += [(_title(name, variant, one), story, one) for one in rules if story.by in (None, one)]
    for seed in range(1, look_alikes + 1):
        similar = shipped.get(name, seed)
        one = similar.by or rules[seed % len(rules)]
        plays.append((_title(name, seed, one), similar, one))
    with collecting.seldom():
        missed = {title: wiring.run_in_virtual_time(played(story, one), rate=_RATE) for title, story, one in plays}
    _sum_up(missed)
    return 1 if any(missed.values()) else 0


def _title(name: str, variant: int | None, rules: Rules) -> str:
    which = name if variant is None else f"{name} --variant {variant}"
    return f"syncline scenario test {which} --compat {rules}"


def _sum_up(missed: dict[str, tuple[str, ...]]) -> None:
    """Say at the end which plays were not as told, and how to play each again: the rest may be far up."""
    wrong = {title: found for title, found in missed.items() if found}
    terminal.echo(f"{len(missed) - len(wrong)} of {len(missed)} plays as expected")
    for title, found in wrong.items():
        terminal.echo(f"not as expected: {title}")
        for one in found:
            terminal.echo(f"  expected {one}")
