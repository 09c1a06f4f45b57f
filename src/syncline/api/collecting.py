"""Makes Python look for garbage less often while a repository is looked at, a story is played, or a controller runs.

Used by `syncline.api.check`, `syncline.api.preview` and `syncline scenario test`. They make hundreds of thousands of
objects that nearly all live until the end: every search among them finds nothing and takes a tenth of the time. A
controller, which `syncline.cli.run.session` runs, keeps what it knows of a fleet: the larger the fleet, the more each
search costs, so an app would cost more in a large one. It runs for months and searches more often than the others.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

FOR_MONTHS = 25_000
"""How many new objects a process that does not end may have before it searches: some megabytes."""
FOR_A_LOOK = 5_000_000
"""The same for one look at a repository: nearly all that it makes is needed until its end, and then all of it goes."""
_FOR_A_WHILE = 1_000_000


@contextmanager
def seldom(after: int = _FOR_A_WHILE) -> Iterator[None]:
    """Collect seldom inside of this, after so many new objects; the usual way is back at its end."""
    before = gc.get_threshold()
    gc.set_threshold(max(before[0], after) if before[0] else 0, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
