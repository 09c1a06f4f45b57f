"""The commands of `syncline scenario`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from syncline.cli.show import terminal

if TYPE_CHECKING:
    from syncline.scenarios.story import Rules

_BOTH = "both"


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
    """Tell a story: what was wrong, where each cause can be seen, and what repairs it."""
    from syncline.cli.show.scenario import told
    from syncline.scenarios import shipped

    terminal.echo(told(shipped.get(name, variant)))
    return 0


@click.command("test")
@click.argument("name")
@click.option("--compat", type=click.Choice(["argocd", "syncline", _BOTH]), default=_BOTH, show_default=True,
              help="Whose rules are played: Argo CD's, as the team saw it, or Syncline's own.")  # fmt: skip
@click.option("--variant", "variants", type=int, multiple=True, metavar="SEED",
              help="Play a look-alike instead: other names, sizes and order, and one other cause.")  # fmt: skip
@click.option("--look-alikes", type=click.IntRange(min=0), default=0, metavar="COUNT",
              help="Play so many look-alikes after the story, each by one of the two rules.")  # fmt: skip
def test_story(name: str, compat: str, variants: tuple[int, ...], look_alikes: int) -> int:
    """Play a story in virtual time and check every expectation."""
    from syncline import wiring
    from syncline.api import collecting
    from syncline.cli.scenario.testing import played
    from syncline.scenarios import shipped
    from syncline.scenarios.story import Rules

    rules: list[Rules] = [Rules(compat)] if compat != _BOTH else list(Rules)
    right = True
    with collecting.seldom():
        for variant in variants or (None,):
            story = shipped.get(name, variant)
            for one in (one for one in rules if story.by in (None, one)):
                right &= wiring.run_in_virtual_time(played(story, one))
        for seed in range(1, look_alikes + 1):
            similar = shipped.get(name, seed)
            right &= wiring.run_in_virtual_time(played(similar, similar.by or rules[seed % len(rules)]))
    return 0 if right else 1
