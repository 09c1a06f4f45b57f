"""Finds the setting somebody meant by a key that nobody reads.

Asked by `syncline.core.settings.check`. Keys are compared as sets of words, since people remember the words and not
their order (`resource.server-side-diff` is `controller.diff.server.side`); rare words count more than common ones.
A key that is close to nothing gets no answer: a wrong hint costs more than none.
"""

from __future__ import annotations

import difflib
import functools
import math
import re
from collections import Counter
from collections.abc import Iterable

from syncline.core.settings.keys import Home, SettingKey, catalogue

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_LONGEST = 200
_CLOSE_WORD = 0.8
_CLOSE_STEM = 0.85
_CLOSE_ENOUGH = 0.55
_SAME_LETTERS = 0.9
_TELLING = 4
_LIKELY_TYPO = 0.85
_SAME_WORDS = 0.97


def nearest(name: str, home: Home) -> tuple[str, SettingKey] | None:
    """Return the most likely key, with the varying part of a family filled in; of equals the one at home."""
    name = name[:_LONGEST]
    for key in catalogue().all():
        if name.lower() in (mistake.lower() for mistake in key.mistaken):
            return key.name, key
    filled = _family(name, home)
    if filled is not None:
        return filled
    best: tuple[float, bool, str, SettingKey] | None = None
    for key in catalogue().all():
        if key.home is Home.ENV or key.home is Home.SECRET:
            continue
        rank = (_likeness(name, key.name), key.home is home, key.name, key)
        if rank[0] >= _CLOSE_ENOUGH and (best is None or rank[:2] > best[:2]):
            best = rank
    return None if best is None else (best[2], best[3])


def nearest_of(name: str, words: Iterable[str]) -> str:
    """Return the word of a closed list that a misspelt one must have been, or nothing."""
    lowered = {word.lower(): word for word in sorted(words)}
    given = name[:_LONGEST].lower()
    closeness, closest = max(((_ratio(given, word), word) for word in lowered), default=(0.0, ""))
    if closeness >= _CLOSE_WORD:
        return lowered[closest]
    longer = sorted((word for word in lowered if len(given) >= _TELLING and given in word), key=len)
    return lowered[longer[0]] if longer else ""


def likely_typo(name: str, words: Iterable[str]) -> str:
    """Return the word that differs from a name by a slip of the finger, or nothing."""
    close = difflib.get_close_matches(name[:_LONGEST], list(words), n=3, cutoff=_LIKELY_TYPO)
    return next((word for word in close if word != name and _is_slip(name, word)), "")


def _is_slip(name: str, other: str) -> bool:
    """Whether no word of a name is another word: long names are alike although they are about other things."""
    ours, theirs = words_of(name), words_of(other)
    if len(ours) != len(theirs):
        return _ratio(_letters(name), _letters(other)) >= _SAME_WORDS
    return all(_ratio(*pair) >= _CLOSE_WORD for pair in zip(ours, theirs, strict=True))


def _family(name: str, home: Home) -> tuple[str, SettingKey] | None:
    """Return the family whose stem is nearly the start of a name; a kind written with a slash gets its underscore."""
    best: tuple[float, str, SettingKey] | None = None
    for _, key in catalogue().families:
        segments = key.stem.count(".")
        pieces = name.split(".")
        if key.home is not home or key.name.endswith(">.enabled") or len(pieces) <= segments:
            continue
        start, rest = ".".join(pieces[:segments]) + ".", ".".join(pieces[segments:])
        ratio = _ratio(start.lower(), key.stem.lower())
        filled = key.stem + rest.replace("/", "_")
        if ratio >= _CLOSE_STEM and filled != name and rest and (best is None or ratio > best[0]):
            best = (ratio, filled, key)
    return None if best is None else (best[1], best[2])


def _likeness(name: str, other: str) -> float:
    """Return how much two keys share: by words for the most part, by letters where hardly one differs."""
    letters = _ratio(_letters(name), _letters(other))
    if letters >= _SAME_LETTERS:
        return letters
    ours, theirs = words_of(name), words_of(other)
    total = sum(map(_weight, ours)) + sum(map(_weight, theirs))
    if not total:
        return 0.0
    shared = 0.0
    left = list(theirs)
    for word in ours:
        closeness, match = max(((_ratio(word, one), one) for one in left), default=(0.0, ""))
        if closeness >= _CLOSE_WORD:
            left.remove(match)
            shared += closeness * (_weight(word) + _weight(match))
    return 0.75 * shared / total + 0.25 * letters


def _letters(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


@functools.lru_cache(maxsize=4096)
def words_of(name: str) -> tuple[str, ...]:
    """Split a key at dots, dashes and capitals; plural and singular are one word."""
    return tuple(dict.fromkeys(word.lower().removesuffix("s") for word in _WORD.findall(name.partition("<")[0])))


@functools.lru_cache(maxsize=65536)
def _ratio(one: str, other: str) -> float:
    if one == other:
        return 1.0
    matcher = difflib.SequenceMatcher(None, one, other, autojunk=False)
    return matcher.ratio() if matcher.quick_ratio() >= 0.3 else 0.0


@functools.cache
def _frequencies() -> Counter[str]:
    return Counter(word for key in catalogue().all() for word in words_of(key.name))


def _weight(word: str) -> float:
    return math.log(1 + 300 / (1 + _frequencies()[word]))
