"""Finds the names that somebody may have meant by one that does not exist, for the sentence that refuses it."""

from __future__ import annotations

import difflib
from collections.abc import Collection

_ALIKE = 0.6
_SHOWN = 3
_LISTED = 10
_LETTERS = 2


def nearest(wanted: str, known: Collection[str]) -> list[str]:
    """Return up to three known names that are like the wanted one, or begin with it, the likeliest first."""
    by_lower = {name.lower(): name for name in sorted(known, reverse=True)}
    lower = wanted.lower()
    found = difflib.get_close_matches(lower, by_lower, n=_SHOWN, cutoff=_ALIKE)
    longer = sorted((name for name in by_lower if lower and name.startswith(lower) and name not in found), key=len)
    return [by_lower[name] for name in [*found, *longer][:_SHOWN]]


def misspelt(wanted: str, known: Collection[str]) -> str:
    """Return the known name that somebody misspelt by a letter or two; empty where none is that near.

    For sentences that are read by people who may not see all names: a guess at the beginning of one finds nothing.
    """
    near = [name for name in nearest(wanted, known) if abs(len(name) - len(wanted)) <= _LETTERS]
    return near[0] if near else ""


def did_you_mean(wanted: str, known: Collection[str]) -> str:
    """Return a question that names what is near; empty where nothing is."""
    near = nearest(wanted, known)
    return f"did you mean {' or '.join([', '.join(near[:-1]), near[-1]] if near[:-1] else near)}?" if near else ""


def instead(wanted: str, known: Collection[str]) -> str:
    """Return the hint of a sentence that refuses a name: what is near, else all where they are few."""
    if near := did_you_mean(wanted, known):
        return near
    if len(known) > _LISTED:
        return f"none of the {len(known)} there has a name like that"
    return f"known: {', '.join(sorted(known)) or 'none'}"
