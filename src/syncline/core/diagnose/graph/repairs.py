"""In which order to repair, and how many symptoms are good after each step, at most.

Called by `syncline.core.diagnose.graph.diagnose`. A symptom is good once every cause that it follows from is gone; so
taking a cause away and judging again is counting those that have none left. Symptoms that something unexplained holds
up are never promised, and what a repair deletes is gone, not good.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from fractions import Fraction

from syncline.model.diagnosis import Repair


def repairs(
    ids: Sequence[str], needs: Mapping[str, AbstractSet[str]], good: int, removed: Mapping[str, Collection[str]]
) -> tuple[Repair, ...]:
    """Return the causes in the order that helps most; `needs` are the causes that each symptom follows from.

    A symptom that several causes hold up counts for each of them by its share, so that what a hundred apps need first
    comes early though it makes none of them good alone. Between causes that help equally the order of `ids` decides:
    their rank. `removed` are the symptoms that the repair of a cause deletes.
    """
    deleted = {symptom for symptoms in removed.values() for symptom in symptoms}
    waiting = {symptom: set(causes) for symptom, causes in needs.items() if causes}
    followers: dict[str, list[str]] = {}
    for symptom, causes in waiting.items():
        for one in causes:
            followers.setdefault(one, []).append(symptom)
    ranks = {one: rank for rank, one in enumerate(ids)}
    gains = {one: sum((_share(waiting[name]) for name in followers.get(one, ())), Fraction(0)) for one in ids}
    queue = [(-gain, ranks[one], one) for one, gain in gains.items()]
    heapq.heapify(queue)
    found, done, gone = [], set[str](), 0
    while queue:
        gain, _rank, best = heapq.heappop(queue)
        if best in done or -gain != gains[best]:
            continue
        done.add(best)
        gone += len(removed.get(best, ()))
        for symptom in followers.get(best, ()):
            left = waiting[symptom]
            before = _share(left)
            left.discard(best)
            good += not left and symptom not in deleted
            for other in left & gains.keys() - done:
                gains[other] += _share(left) - before
                heapq.heappush(queue, (-gains[other], ranks[other], other))
        found.append(Repair(cause=best, good_after=good, gone_after=gone))
    return tuple(found)


def _share(causes: AbstractSet[str]) -> Fraction:
    """Return what one cause counts for of a symptom that so many hold up; one that nothing explains counts little."""
    return Fraction(1, len(causes)) if "" not in causes else Fraction(1, 1000 * len(causes))


def good_without(good: int, needs: Mapping[str, AbstractSet[str]], repaired: AbstractSet[str]) -> int:
    """Return how many are good at most once exactly these causes are gone."""
    return good + sum(1 for causes in needs.values() if causes and causes <= repaired)
