"""The real clock, names and chance keep the promises of their port."""

import re
import uuid
from datetime import UTC

from syncline.adapters.clock import SystemChance, SystemClock, SystemIds


async def test_time_is_in_utc_and_moves_forward() -> None:
    clock = SystemClock()
    before = clock.monotonic()
    await clock.sleep(0.01)
    assert clock.now().tzinfo is UTC
    assert clock.monotonic() - before >= 0.01


def test_names_are_new_and_of_the_letters_kubernetes_uses() -> None:
    ids = SystemIds()
    assert len({ids.uid() for _ in range(1000)}) == 1000
    assert uuid.UUID(ids.uid()).version == 4
    assert all(re.fullmatch("[bcdfghjklmnpqrstvwxz2456789]{5}", ids.suffix()) for _ in range(200))
    assert len(ids.suffix(12)) == 12


def test_chance_stays_in_its_bounds() -> None:
    chance = SystemChance()
    drawn = [chance.uniform(2.0, 3.0) for _ in range(1000)]
    assert all(2.0 <= number <= 3.0 for number in drawn)
    assert len(set(drawn)) > 900
