"""Makes Python look for garbage less often while a repository is looked at, or a story is played.

Used by `syncline.api.check`, `syncline.api.preview` and `syncline scenario test`. They make hundreds of thousands of
objects that nearly all live until the end: every search among them finds nothing and takes a tenth of the time.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_OFTEN_ENOUGH = 100_000


@contextmanager
def seldom() -> Iterator[None]:
    """Collect seldom inside of this; the usual way is back at its end."""
    before = gc.get_threshold()
    gc.set_threshold(max(before[0], _OFTEN_ENOUGH) if before[0] else 0, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
