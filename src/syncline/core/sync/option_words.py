"""Words among the sync options that have no effect, told with where they stand and what was probably meant.

Called by `syncline.core.compare.prepare` for the objects of a render and by `syncline.core.assess` for the Application
itself; the conditions end up in its status. Argo CD says nothing about such words, so under its rules nobody asks.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from syncline.model import names
from syncline.model.application import Application, Condition
from syncline.model.condition import ConditionType
from syncline.model.desired import DesiredObject
from syncline.model.sync_options import KNOWN, KnownOption, Level, words_of

APP_PLACE = "spec.syncPolicy.syncOptions"
_ANNOTATION_PATH = f'metadata.annotations["{names.SYNC_OPTIONS}"]'
_BY_NAME = {option.name: option for option in KNOWN}
_BY_LOWER = {option.name.lower(): option for option in KNOWN}
_COMPARE_OPTIONS = ("IgnoreExtraneous", "IncludeMutationWebhook", "ServerSideDiff")
_MOST_WORDS = 10
_LONGEST_WORD = 60


def of_app(app: Application) -> tuple[Condition, ...]:
    """Return a warning for each word of the Application that has no effect."""
    policy = app.spec.sync_policy
    wrong = {word: why for word in (policy.sync_options if policy else ()) if (why := problem(word, Level.APP))}
    return _warnings([f"{_shown(word)} in {APP_PLACE} {why}" for word, why in wrong.items()])


def of_objects(items: Iterable[DesiredObject]) -> tuple[Condition, ...]:
    """Return a warning for each word that has no effect on some object; many objects with one word are one warning."""
    found: dict[str, list[DesiredObject]] = {}
    for item in items:
        for word in words_of(item.obj):
            if problem(word, Level.OBJECT):
                found.setdefault(word, []).append(item)
    return _warnings([_about_objects(word, where) for word, where in found.items()])


def problem(word: str, level: Level) -> str:
    """Return why a word has no effect where it stands, and what to write instead; empty for one that has."""
    name, _, value = word.partition("=")
    option = _BY_NAME.get(name)
    if option is None:
        return f"is not a sync option and has no effect{_instead(word)}"
    if value not in option.values:
        return f"has no effect: {name} can be {_listed(option.values)}{_meant_value(option, value)}"
    return "" if level in option.levels else f"has no effect there: {_right_place(option)}"


def _right_place(option: KnownOption) -> str:
    if option.levels == (Level.APP,):
        return f"set it in {APP_PLACE} of the Application"
    return f"set it in the annotation {names.SYNC_OPTIONS} of an object"


def _instead(word: str) -> str:
    if word.partition("=")[0] in _COMPARE_OPTIONS:
        return f": use the annotation {names.COMPARE_OPTIONS}"
    if "," in word:
        return ": list each option as its own entry"
    return _meant(word)


def _meant(word: str) -> str:
    """Return the option that a word comes closest to, with the value if that can be guessed too."""
    name, _, value = word.strip().lower()[:_LONGEST_WORD].partition("=")
    near = _nearest(name.strip(), _BY_LOWER)
    if not near:
        return ""
    option = _BY_LOWER[near]
    return _meant_value(option, value) or f"; did you mean {option.name}?"


def _meant_value(option: KnownOption, value: str) -> str:
    near = _nearest(value.strip().lower()[:_LONGEST_WORD], option.values)
    return f"; did you mean {option.name}={near}?" if near else ""


def _nearest(text: str, known: Iterable[str]) -> str:
    found = difflib.get_close_matches(text, list(known), n=1, cutoff=0.6)
    return found[0] if found else ""


def _about_objects(word: str, items: list[DesiredObject]) -> str:
    first = items[0]
    more = f" and {len(items) - 1} more" if len(items) > 1 else ""
    place = first.origin.place(_ANNOTATION_PATH)
    where = f" ({place})" if place.file else ""
    return f"{_shown(word)} in the sync options of {first.key.short}{where}{more} {problem(word, Level.OBJECT)}"


def _warnings(texts: list[str]) -> tuple[Condition, ...]:
    """Return conditions; only so many, since all of them are written into one Application."""
    if len(texts) > _MOST_WORDS:
        rest = len(texts) - _MOST_WORDS
        texts = [*texts[:_MOST_WORDS], f"{rest} other sync options have no effect"]
    return tuple(Condition(ConditionType.SYNC_OPTION_WARNING, text) for text in texts)


def _shown(word: str) -> str:
    """Return a word as a message shows it: quoted where its spaces would not be seen, and cut where it is long."""
    cut = word if len(word) <= _LONGEST_WORD else f"{word[:_LONGEST_WORD]}…"
    return cut if cut.isprintable() and not any(letter.isspace() for letter in cut) and cut else repr(cut)


def _listed(values: tuple[str, ...]) -> str:
    return f"{', '.join(values[:-1])} or {values[-1]}"
