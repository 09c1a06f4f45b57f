"""A diagnosis for a chat: twelve lines at most, each cause on one, without lines of logs."""

from __future__ import annotations

from syncline.cli.show.columns import cut
from syncline.cli.show.diagnosis import report as words
from syncline.cli.show.diagnosis.report import Report

LINES = 12
_WIDEST = 160


def message(report: Report) -> str:
    """Return the message; what does not fit is counted."""
    found = report.diagnosis
    tail = [order] if (order := report.order()) else []
    room = LINES - 3 - len(tail)
    lines = [f"*{report.second_line}*", _plain(report.first_line)]
    listed = list(found.causes)
    shown = listed if len(listed) <= room else listed[: room - 1]
    for cause in shown:
        hits = words.plural(len(cause.affected), report.counted)
        since = f", {age}" if (age := report.age(cause.finding.since)) else ""
        lines.append(cut(f"{cause.rank}. *{_plain(words.title(cause))}* ({hits}{since})", _WIDEST))
    if len(shown) < len(listed):
        lines.append(f"… and {len(listed) - len(shown)} more causes")
    return "\n".join([*lines, *tail])


def _plain(text: str) -> str:
    """Return text in which nothing mentions people or links anywhere."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("*", "∗")
