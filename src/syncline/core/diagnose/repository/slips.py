"""Whether a word is a slip of another one: a letter more, less, other, or two exchanged; never in its digits."""

from __future__ import annotations

_LETTERS = 2
_SHORTEST = 4


def slip(one: str, other: str) -> bool:
    """Whether two words differ in one place, by at most two letters."""
    if one == other or min(len(one), len(other)) < _SHORTEST:
        return False
    start = 0
    while start < min(len(one), len(other)) and one[start] == other[start]:
        start += 1
    end = 0
    while end < min(len(one), len(other)) - start and one[-1 - end] == other[-1 - end]:
        end += 1
    mine, its = one[start : len(one) - end], other[start : len(other) - end]
    if any(not letter.isalpha() for letter in mine + its):
        return False
    return max(len(mine), len(its)) <= 1 or (len(mine) == len(its) == _LETTERS and mine[::-1] == its)
