"""Findings as workflow commands, which GitHub shows beside the changed lines of a pull request."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from syncline.apimachinery.printable import printable
from syncline.model.finding import Finding, Severity

if TYPE_CHECKING:
    from syncline.api.check import Checked

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def commands(found: Checked) -> str:
    """Return one command per finding, the worst first."""
    return "\n".join(_lines(found))


def _lines(found: Checked) -> Iterator[str]:
    yield from map(_command, found.findings)
    for one in found.left_out:
        help_ = f" ({one.remedy})" if one.remedy else ""
        yield f"::notice title=not checked::{_data(f'{one.what}{help_}')}"


def _command(one: Finding) -> str:
    place = next((evidence.place for evidence in one.evidence if evidence.place is not None), None)
    named = {"file": place.file, "line": str(max(1, place.line))} if place is not None and place.file else {}
    if place is not None and place.column:
        named["col"] = str(place.column)
    named["title"] = f"{one.code} {one.name}"
    properties = ",".join(f"{name}={_property(value)}" for name, value in named.items())
    fix = f"\nfix: {one.fix.text}" if one.fix is not None and one.fix.text else ""
    return f"::{_COMMANDS[one.severity]} {properties}::{_data(f'{one.message}{fix}')}"


def _data(text: str) -> str:
    """Return text that stays one command, whatever is in it."""
    lines = (printable(line) for line in text.split("\n"))
    return "\n".join(lines).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
