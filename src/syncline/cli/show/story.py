"""Progress on a terminal: one line per thing that happened, in words.

The sink of `demo` and `up` in a pipe or a log, and on a terminal as long as there are few Applications.
"""

from __future__ import annotations

from syncline.cli.show import terminal
from syncline.cli.show.columns import cells, hanging
from syncline.cli.show.words import short_revision
from syncline.model.logins import without_logins
from syncline.model.progress import (
    ObjectChanged,
    Progress,
    StatusChanged,
    SyncFinished,
    SyncStarted,
    TroubleReported,
    Waiting,
    WaveStarted,
)


class Story:
    """Prints events as they come."""

    def emit(self, event: Progress) -> None:
        """Print one event."""
        for mark, colour, text in lines(event):
            head = f"{event.time[11:19]}  {event.app.partition('/')[2]:<10} "
            # One event is one line: text from a repository must not look like an event of another app.
            one_line = " ".join(without_logins(text).split())
            words = hanging(one_line, terminal.columns(), cells(head) + 2)
            terminal.echo(f"{head}{terminal.style(mark, colour)} {words}")


class JsonLines:
    """Prints events as JSON, one on each line, for whoever collects logs."""

    def emit(self, event: Progress) -> None:
        """Print one event."""
        import msgspec

        terminal.echo_data(without_logins(msgspec.json.encode(event).decode()))


def lines(event: Progress) -> list[tuple[str, str, str]]:
    """Return mark, colour and words of an event."""
    match event:
        case SyncStarted():
            to = f" to {short_revision(event.revision)}" if event.revision else ""
            return [("◔", "blue", f"sync{to} started: {event.reason.explanation}")]
        case WaveStarted():
            names = ", ".join(key.short for key in event.keys)
            return [("◔", "blue", f"{event.phase.value} wave {event.wave}: {names}")]
        case ObjectChanged():
            return [("✖" if event.failed else "·", "red" if event.failed else "white", event.message)]
        case Waiting():
            return [("◔", "blue", f"waiting for {wait}") for wait in event.waits]
        case SyncFinished():
            good = event.phase == "Succeeded"
            return [("✔" if good else "✖", "green" if good else "red", f"sync {event.phase.lower()}: {event.message}")]
        case StatusChanged():
            return [_status(event)]
        case TroubleReported():
            return [("✔", "green", f"fixed: {event.message}")] if event.resolved else [("✖", "red", event.message)]


def _status(event: StatusChanged) -> tuple[str, str, str]:
    good = (event.sync, event.health) == ("Synced", "Healthy")
    bad = event.health in ("Degraded", "Missing") or event.sync == "Unknown"
    detail = f": {event.message}" if event.message else ""
    colour = "green" if good else "red" if bad else "yellow"
    return ("✔" if good else "✖" if bad else "◆", colour, f"{event.sync}, {event.health}{detail}")
