"""The commands of `syncline scenario`."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import click

from syncline.cli.show import terminal

GOOD = ("Synced", "Healthy")

if TYPE_CHECKING:
    from syncline.cli.run.settling import Statuses
    from syncline.cli.scenario.play import Stage
    from syncline.model.diagnosis import Diagnosis
    from syncline.scenarios.story import Seen, Story


@click.command("list")
def list_stories() -> int:
    """List the stories that come with Syncline."""
    from syncline.scenarios import shipped

    for name in shipped.NAMES:
        terminal.echo(f"{name:14}{shipped.get(name).title}")
    return 0


@click.command("test")
@click.argument("name")
@click.option("--compat", type=click.Choice(["argocd", "syncline"]), default="argocd", show_default=True,
              help="Whose rules are played: Argo CD's, as the team saw it, or Syncline's own.")  # fmt: skip
def test_story(name: str, compat: str) -> int:
    """Play a story in virtual time and check every expectation."""
    from syncline import wiring
    from syncline.scenarios import shipped

    return wiring.run_in_virtual_time(_play(shipped.get(name), compat))


async def _play(story: Story, compat: str) -> int:
    from syncline.cli.scenario.play import staged
    from syncline.model.settings.settings import Compat

    async with staged(story, compat=Compat(compat)) as stage:
        await stage.come_to_the_incident(lambda what: _tell(stage, what))
        expected = story.seen if compat == "argocd" else story.ours
        right = _compared(expected, stage.statuses())
        right &= _named(story, await stage.diagnosed())
        for step in story.steps if compat == "argocd" else ():
            await stage.repair(step)
            _tell(stage, step.title)
            good = stage.statuses()[GOOD]
            if good != step.good:
                terminal.echo(f"  expected {step.good} Synced and Healthy, found {good}")
                right = False
    terminal.echo(f"{story.name}: {'as told' if right else 'not as told'}")
    return 0 if right else 1


def _named(story: Story, diagnosis: Diagnosis) -> bool:
    """Print the causes that `diagnose` names, and tell whether those of the story are among them."""
    for cause in diagnosis.causes:
        terminal.echo(f"  {len(cause.affected):3} apps  {cause.finding.message}  [{cause.finding.code}]")
    found = {(cause.finding.name, cause.finding.subject) for cause in diagnosis.causes}
    missing = [f"{rule} at {subject}" for rule, subject in story.causes.items() if (rule, subject) not in found]
    for one in missing:
        terminal.echo(f"  expected the cause {one}")
    return not missing


def _tell(stage: Stage, what: str) -> None:
    counts = stage.statuses()
    rest = ", ".join(
        f"{count} {sync} {health}" for (sync, health), count in sorted(counts.items()) if (sync, health) != GOOD
    )
    good = counts[GOOD]
    terminal.echo(f"{good:4} of {counts.total()} OK  {what}" + (f"  ({rest})" if rest else ""))


def _compared(expected: Seen, found: Statuses) -> bool:
    """Tell every difference between what a table counts and what there is; True where there is none."""
    others = Counter(dict.fromkeys(expected.others, 0))
    for (sync, health), count in found.items():
        others[health] += 0 if (sync, health) == GOOD else count
    wrong = [
        f"{expected.others.get(health, 0)} {health}, found {count}"
        for health, count in others.items()
        if expected.others.get(health, 0) != count
    ]
    if found[GOOD] != expected.good:
        wrong.append(f"{expected.good} OK, found {found[GOOD]}")
    out_of_sync = sum(count for (sync, _health), count in found.items() if sync == "OutOfSync")
    if out_of_sync < expected.out_of_sync:
        wrong.append(f"at least {expected.out_of_sync} OutOfSync, found {out_of_sync}")
    for one in wrong:
        terminal.echo(f"  expected {one}")
    return not wrong
