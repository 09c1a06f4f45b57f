"""`syncline diagnose --watch`: the same look again and again, until somebody presses Ctrl-C.

On a terminal the screen is drawn again in place, so that ages and counts are those of now. Piped, a line is printed for
whatever has changed, with the time: a cause that is new, one that is gone, one that hits more or fewer. Handed what
makes a report by `syncline.cli.diagnose.command`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator

from syncline.cli.show import terminal
from syncline.cli.show.diagnosis import report as words
from syncline.cli.show.diagnosis.comparison import recovered
from syncline.cli.show.diagnosis.report import Report
from syncline.model.diagnosis import Diagnosis, RootCause
from syncline.ports.clock import Clock
from syncline.ports.kube import ApiError
from syncline.ports.transport import TransportError

_BELOW = 2
"""Rows for the hint, and for the cursor."""
Look = Callable[[], Awaitable[Report]]


class _Away:
    """Says once that nothing can be read, and once that it can be again."""

    def __init__(self, make_room: Callable[[], None] = lambda: None) -> None:
        self._told = ""
        self._make_room = make_room

    def tell(self, trouble: str) -> None:
        if trouble and trouble != self._told:
            self._make_room()
            terminal.echo(f"not read, tried again: {trouble}", err=True)
        self._told = trouble


async def on_terminal(look: Look, draw: Callable[[Report], str], clock: Clock, every: float) -> None:
    """Draw the screen again in place."""
    region = terminal.Region()
    away = _Away(region.clear)
    while True:
        if (report := await _tried(look, away)) is not None:
            hint = f"{report.now:%H:%M:%S}, again every {every:g} s, Ctrl-C ends"
            region.draw([*_fitting(draw(report).split("\n")), terminal.style(hint, "dim")])
        await clock.sleep(every)


def _fitting(lines: list[str]) -> list[str]:
    """Return as many lines as the terminal has rows for, with how many are missing: only those can be drawn over."""
    size = terminal.size()
    room = size.lines - _BELOW if size is not None else len(lines)
    return lines if len(lines) <= room else [*lines[: room - 1], f"… {len(lines) - room + 1} more lines"]


async def as_lines(look: Look, clock: Clock, every: float) -> None:
    """Print a line for each change; all that is known at first."""
    before, away = None, _Away()
    while True:
        if (report := await _tried(look, away)) is not None:
            for line in changes(before, report):
                terminal.echo(f"{report.now:%H:%M:%S}  {line}")
            before = report.diagnosis
        await clock.sleep(every)


async def whole(look: Look, show: Callable[[Report], None], clock: Clock, every: float) -> None:
    """Show the whole answer whenever it is another, for formats that programs read."""
    before: Diagnosis | None = None
    away = _Away()
    while True:
        if (report := await _tried(look, away)) is not None:
            if before is None or any(changes(before, report)):
                show(report)
            before = report.diagnosis
        await clock.sleep(every)


async def _tried(look: Look, away: _Away) -> Report | None:
    """Look once; None where nothing could be read, which may pass."""
    try:
        report = await look()
    except (ApiError, TransportError) as error:
        away.tell(str(error))
        return None
    away.tell("")
    return report


def changes(before: Diagnosis | None, report: Report) -> Iterator[str]:
    """Yield what is different from the look before, a line each; counts come first."""
    now = report.diagnosis
    known = {one.id: one for one in before.causes} if before is not None else {}
    left = {one.id for one in now.causes}
    if before is None or (before.total, before.good, before.counts, before.unread, len(known)) != (
        now.total,
        now.good,
        now.counts,
        now.unread,
        len(left),
    ):
        not_read = f" · not read: {', '.join(now.unread)}" if now.unread else ""
        yield f"{report.second_line}{not_read}"
    for cause in before.causes if before is not None else ():
        if cause.id not in left:
            yield f"gone   {cause.id}  {words.title(cause)} ({recovered(cause, now)})"
    for cause in now.causes:
        was = known.get(cause.id)
        if was is None:
            yield f"new    {cause.id}  {_told(cause, report)}"
        elif len(was.affected) != len(cause.affected):
            word = "more" if len(cause.affected) > len(was.affected) else "fewer"
            yield f"{word:<5}  {cause.id}  {len(was.affected):,} → {_told(cause, report)}"


def _told(cause: RootCause, report: Report) -> str:
    return f"{words.plural(len(cause.affected), report.counted)}: {words.title(cause)}"
