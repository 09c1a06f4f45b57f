"""In which order to repair, and how many symptoms are good after each step, at most.

Called by `syncline.core.diagnose.graph.diagnose`. A symptom is good once every cause that it follows from is gone; so
taking a cause away and judging again is counting those that have none left. Symptoms that something unexplained holds
up are never promised.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet

from syncline.model.diagnosis import Repair


def repairs(ids: Sequence[str], needs: Mapping[str, AbstractSet[str]], good: int) -> tuple[Repair, ...]:
    """Return the causes in the order that helps most at once; `needs` are the causes that each symptom follows from.

    Between causes that help equally the order of `ids` decides: their rank.
    """
    waiting = {symptom: set(causes) for symptom, causes in needs.items() if causes}
    followers: dict[str, list[str]] = {}
    for symptom, causes in waiting.items():
        for one in causes:
            followers.setdefault(one, []).append(symptom)
    ranks = {one: rank for rank, one in enumerate(ids)}
    gains = {one: sum(len(waiting[symptom]) == 1 for symptom in followers.get(one, ())) for one in ids}
    queue = [(-gain, ranks[one], one) for one, gain in gains.items()]
    heapq.heapify(queue)
    found, done = [], set[str]()
    while queue:
        gain, _rank, best = heapq.heappop(queue)
        if best in done or -gain != gains[best]:
            continue
        done.add(best)
        for symptom in followers.get(best, ()):
            left = waiting[symptom]
            left.discard(best)
            good += not left
            if len(left) == 1 and (last := next(iter(left))) in gains:
                gains[last] += 1
                heapq.heappush(queue, (-gains[last], ranks[last], last))
        found.append(Repair(cause=best, good_after=good))
    return tuple(found)
