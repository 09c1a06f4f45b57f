"""Reads accepted drift: differences somebody agreed to live with, written into an annotation of the Application.

Called by `syncline.core.compare.ignore.rules`, which makes rules of it. The annotation is a YAML list of entries as in
spec.ignoreDifferences, each with a `reason`, and optionally `expires` (a date or time) and `owner`. An entry without
a reason, or with a time nobody can read, counts for nothing and is told.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import msgspec

from syncline.apimachinery import yaml
from syncline.model import names
from syncline.model.application import Application, IgnoreDifference
from syncline.model.comparison import AcceptedDrift

_TIME = re.compile(r"\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\dZ)?")
_OURS = ("reason", "expires", "owner")
NO_EXPIRY = "which is neither a date (2026-12-31) nor a time (2026-12-31T12:00:00Z)"


class ParsedAcceptance(NamedTuple):
    """What an Application accepts, and what about it could not be read."""

    drifts: tuple[AcceptedDrift, ...] = ()
    problems: tuple[str, ...] = ()


NOTHING = ParsedAcceptance()


def read(app: Application | None) -> ParsedAcceptance:
    """Return the accepted drift of an Application."""
    text = app.metadata.annotations.get(names.ACCEPTED_DRIFT, "") if app is not None else ""
    if not text:
        return NOTHING
    try:
        entries = yaml.load(text, source=f"annotation {names.ACCEPTED_DRIFT}")
    except yaml.YamlError as error:
        return ParsedAcceptance((), (str(error),))
    if not isinstance(entries, list):
        return ParsedAcceptance((), ("it is not a list of entries",))
    drifts, problems = [], []
    for number, entry in enumerate(entries):
        found = _drift(entry)
        if isinstance(found, str):
            problems.append(f"entry {number}: {found}")
        else:
            drifts.append(found)
    return ParsedAcceptance(tuple(drifts), tuple(problems))


def is_expiry(text: str) -> bool:
    """Whether a text says when accepted drift expires: a date, or a time in UTC."""
    return bool(_TIME.fullmatch(text))


def _drift(entry: Any) -> AcceptedDrift | str:
    """Return one entry, or why it counts for nothing."""
    if not isinstance(entry, dict):
        return "it is not a map"
    # YAML reads 2026-12-31 as a date nowhere in Kubernetes, so texts are all there is.
    reason, expires, owner = (str(entry.get(name) or "").strip() for name in _OURS)
    if not reason:
        return "it has no reason: say why the difference is accepted"
    if expires and not is_expiry(expires):
        return f"it expires at {expires}, {NO_EXPIRY}"
    rest = {name: value for name, value in entry.items() if name not in _OURS}
    try:
        rule = msgspec.convert(rest, IgnoreDifference)
    except msgspec.ValidationError as error:
        return f"it cannot be read: {error}"
    return AcceptedDrift(entry=rule, reason=reason, expires=expires, owner=owner)
