"""What a loop in virtual time has to know of real work: which children stay, and when one of them is waited for.

Told by whoever keeps a child process for many questions; heard by `syncline.adapters.virtual_time`. On any other loop
nothing comes of it.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator
from contextvars import ContextVar

_STAYING: ContextVar[bool] = ContextVar("staying", default=False)


def stays() -> bool:
    """Tell whether a child that is started now is there to stay, and so is not waited for by being there."""
    return _STAYING.get()


@contextlib.contextmanager
def staying() -> Iterator[None]:
    """Start a child that stays: only `asked` counts as waiting for it."""
    token = _STAYING.set(True)
    try:
        yield
    finally:
        _STAYING.reset(token)


def asked() -> contextlib.AbstractContextManager[None]:
    """Return a block in which an answer is waited for, so that time runs at the real rate."""
    real_work = getattr(asyncio.get_running_loop(), "real_work", None)
    return real_work() if real_work is not None else contextlib.nullcontext()
