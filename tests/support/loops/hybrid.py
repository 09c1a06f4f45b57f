"""Runs tests on the loop in virtual time that has real child processes, `syncline.adapters.virtual_time`."""

import asyncio
import contextlib
from collections.abc import Coroutine, Iterator
from typing import Any, NoReturn, TypeVar

from syncline.adapters import virtual_time
from tests.support.loops import running

T = TypeVar("T")


class HybridLoop(virtual_time.HybridLoop):
    """The loop, which names whoever waits when nothing can happen any more."""

    def stand_still(self) -> NoReturn:
        raise running.DeadlockError(f"nothing can happen any more; waiting are:\n{running.waiting(self)}")


@contextlib.contextmanager
def real_work() -> Iterator[None]:
    """Let time run at the real rate while the block runs; does nothing on any other loop."""
    loop = asyncio.get_running_loop()
    if isinstance(loop, HybridLoop):
        with loop.real_work():
            yield
    else:
        yield


def run_hybrid(main: Coroutine[Any, Any, T], *, rate: float = 1.0) -> T:
    """Run the coroutine in virtual time with real children."""
    return running.run_to_end(HybridLoop(rate), main)
