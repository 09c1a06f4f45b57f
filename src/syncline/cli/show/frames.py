"""The lines of files that findings point at, as they may be shown: values of Secrets and logins are hidden.

Used by the screen and the page of `check` and `preview`, whose output ends in logs and comments that more people read
than the repository.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from syncline.model.errors import Place
from syncline.model.finding import Finding

HIDDEN = "(hidden)"
_ABOUT_LOGINS = ("secret-in-git", "copied-login")
_VALUE = re.compile(r"^(\s*(?:- )?[^:#]*:)(\s+).+$|^(\s*)(\S.*)$")
_HARMLESS = ("apiVersion: ", "kind: ", "metadata: ", "type: ")


def place_of(one: Finding) -> Place | None:
    """Return the first place that a finding names."""
    return next((evidence.place for evidence in one.evidence if evidence.place is not None), None)


def lines(one: Finding, files: Mapping[str, bytes], around: int = 0) -> list[tuple[int, str]]:
    """Return the line that a finding points at, and those around it, with their numbers."""
    place = place_of(one)
    text = files.get(place.file, b"").decode(errors="replace").splitlines() if place is not None else []
    if place is None or not 0 < place.line <= len(text):
        return []
    numbers = range(max(1, place.line - around), min(len(text), place.line + around) + 1)
    secret = _is_secret(one)
    return [(number, _masked(text[number - 1]) if secret else text[number - 1]) for number in numbers]


def _is_secret(one: Finding) -> bool:
    subjects = (evidence.subject for evidence in one.evidence if evidence.place is not None)
    return one.name in _ABOUT_LOGINS or any(key is not None and key.kind == "Secret" for key in subjects)


def _masked(line: str) -> str:
    """Return a line with its key and without its value; one without a key may be part of a value."""
    if not line.strip() or line == "---" or line.startswith(_HARMLESS):
        return line
    return _VALUE.sub(lambda found: f"{found[1]} {HIDDEN}" if found[1] else f"{found[3]}{HIDDEN}", line)
