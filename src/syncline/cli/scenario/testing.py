"""Plays a story from its beginning to its last repair, prints what comes, and tells whether it is what the story says.

Called by `syncline scenario test`. After every step the causes that `diagnose` names are compared with those that the
story still has, and the apps that came back with those that were promised.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from syncline.cli.scenario import comparing
from syncline.cli.scenario.comparing import GOOD
from syncline.cli.scenario.play import staged
from syncline.cli.show import terminal
from syncline.model.settings.settings import Compat
from syncline.scenarios.story import Cause, Rules, Step, Story

if TYPE_CHECKING:
    from syncline.cli.scenario.play import Stage
    from syncline.model.diagnosis import Diagnosis


async def played(story: Story, rules: Rules) -> tuple[str, ...]:
    """Play a story by somebody's rules, and return what was expected and did not come."""
    async with staged(story, compat=Compat(rules)) as stage:
        missed = await _Play(story, rules, stage).whole()
    terminal.echo(f"{story.name} by the rules of {rules}: {'not as expected' if missed else 'as expected'}")
    return missed


class _Play:
    """One run of a story: what it has still to tell, and what was expected in vain so far."""

    def __init__(self, story: Story, rules: Rules, stage: Stage) -> None:
        self._story = story
        self._rules = rules
        self._stage = stage
        self._left: dict[str, Cause] | None = None
        self._missed: list[str] = []
        self._at = story.history[0].message
        if isinstance(story.causes, tuple):
            self._left = {one.name: one for one in story.causes if one.counts(rules)}

    async def whole(self) -> tuple[str, ...]:
        """Play it, and return what did not come as told, each with the step after which it was missed."""
        story, stage = self._story, self._stage
        await stage.come_to_the_incident(self._tell)
        self._expect(comparing.waits(story.waits, self._rules, stage.apps()))
        self._expect(f"{one} to be taken over as it is" for one in stage.lost)
        await self._expect_held(story.holds)
        expected = story.seen if self._rules is Rules.ARGOCD else story.ours
        self._expect(comparing.statuses(expected, stage.statuses()))
        self._expect(comparing.rows(expected.apps, stage.rows()))
        self._expect(comparing.conditions(story.told, stage.conditions()))
        if self._rules is Rules.ARGOCD and any(one.check for one in story.told):
            self._expect(comparing.before_the_merge(story.told, await stage.checked()))
        diagnosis = await self._diagnosed()
        order = story.order if self._rules is Rules.ARGOCD else story.ours_order
        self._expect(comparing.order(order, self._left or {}, diagnosis))
        for step in story.steps:
            diagnosis = await self._repaired(step, diagnosis)
        return tuple(self._missed)

    async def _diagnosed(self) -> Diagnosis:
        diagnosis = await self._stage.diagnosed()
        for one in diagnosis.causes:
            apps = "app " if len(one.affected) == 1 else "apps"
            terminal.echo(f"  {len(one.affected):3} {apps}  {one.finding.message}  [{one.finding.code}]")
        expected = self._story.causes if self._left is None else tuple(self._left.values())
        self._expect(comparing.causes(expected, diagnosis))
        return diagnosis

    async def _repaired(self, step: Step, before: Diagnosis) -> Diagnosis:
        """Carry out a step, and compare what comes with what was told and promised."""
        gone = [self._left.pop(name) for name in step.repairs if name in self._left] if self._left is not None else []
        gone_for_good = [one for one in self._story.told if one.name in step.repairs]
        promise = comparing.promised(before, gone)
        await self._stage.repair(step)
        self._tell(step.title)
        self._expect(self._counts(step, promise))
        self._expect(comparing.rows(step.rows(self._rules), self._stage.rows()))
        await self._expect_held(step.holds)
        if self._rules is Rules.ARGOCD and any(one.check for one in gone_for_good):
            self._expect(comparing.still_there(gone_for_good, await self._stage.checked()))
        if self._left is None:
            return before
        self._left |= {one.name: one for one in step.shows if one.counts(self._rules)}
        return await self._diagnosed()

    def _counts(self, step: Step, promise: int) -> Iterable[str]:
        good, expected = self._stage.statuses()[GOOD], step.expected(self._rules)
        if good != expected:
            yield f"{expected} Synced and Healthy, found {good}"
        if self._left is not None and promise != step.prediction(self._rules):
            yield f"diagnose to promise {step.prediction(self._rules)} for this step, it promised {promise}"

    async def _expect_held(self, expected: Mapping[str, str]) -> None:
        found = await self._stage.held(expected)
        self._expect(f"{key} to be {text}, found {found[key]}" for key, text in expected.items() if found[key] != text)

    def _expect(self, differences: Iterable[str]) -> None:
        for one in differences:
            terminal.echo(f"  expected {one}")
            self._missed.append(f"after {self._at!r}: {one}")

    def _tell(self, what: str) -> None:
        self._at = what
        counts = self._stage.statuses()
        rest = ", ".join(
            f"{count} {sync} {health}" for (sync, health), count in sorted(counts.items()) if (sync, health) != GOOD
        )
        good = counts[GOOD]
        terminal.echo(f"{good:4} of {counts.total()} OK  {what}" + (f"  ({rest})" if rest else ""))
