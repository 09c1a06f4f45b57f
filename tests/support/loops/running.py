"""Runs one coroutine on a test loop to its end and leaves nothing behind.

Called by `tests.support.loops.simulated`, by `tests.support.loops.hybrid` and, with a plain loop, by tests that need
real time. Tasks killed by `tests.support.kill` are closed here, after everything that lives has ended.
A failure that nobody awaited fails the run, so a crashed background task cannot hide behind a passing test.
"""

import asyncio
from collections.abc import Coroutine, Iterable
from typing import Any, TypeVar

from tests.support import kill

T = TypeVar("T")
Loop = asyncio.AbstractEventLoop
Task = asyncio.Task[Any]


class DeadlockError(AssertionError):
    """Nothing can ever happen again; the message lists who waits and where."""


class ForgottenError(AssertionError):
    """A task or callback failed and nobody looked."""


def run_to_end(loop: Loop, main: Coroutine[Any, Any, T]) -> T:
    """Run the coroutine, then end all that is left, close the loop and return the result."""
    unseen: list[dict[str, Any]] = []
    loop.set_exception_handler(lambda _loop, context: unseen.append(context))
    kill.install(loop)
    try:
        try:
            result = loop.run_until_complete(loop.create_task(main, name="main"))
        finally:
            _end_the_living(loop, unseen)
            _bury_the_dead(loop)
            _hang_up(loop)
            loop.run_until_complete(loop.shutdown_default_executor())
    finally:
        loop.close()
    if unseen:
        first = unseen[0]
        raise ForgottenError(f"{len(unseen)} unseen failures, first: {first['message']}") from first.get("exception")
    return result


def run_real(main: Coroutine[Any, Any, T]) -> T:
    """Run the coroutine on an ordinary loop in real time, with kill support."""
    return run_to_end(asyncio.SelectorEventLoop(), main)


def waiting(loop: Loop) -> str:
    """Return one line per task that is not done: its name and the innermost line it waits at."""
    pending = _in_order(task for task in asyncio.all_tasks(loop) if not kill.is_frozen(task))
    return "\n".join(f"  {task.get_name()}: {_where(task)}" for task in pending)


def _end_the_living(loop: Loop, unseen: list[dict[str, Any]]) -> None:
    living = _in_order(task for task in asyncio.all_tasks(loop) if not kill.is_frozen(task))
    for task in living:
        task.cancel()
    if living:
        # A task that swallows its cancellation and waits on is frozen rather than waited for.
        outcome = asyncio.gather(*living, return_exceptions=True)
        try:
            failures = loop.run_until_complete(outcome)
        except DeadlockError:
            outcome.cancel()
            kill.freeze(task for task in living if not task.done())
            return
        for task, failure in zip(living, failures, strict=True):
            if isinstance(failure, Exception):
                unseen.append({"message": f"{task.get_name()} failed when cancelled", "exception": failure})


def _bury_the_dead(loop: Loop) -> None:
    if kill.close_frozen(loop):
        # Generators torn off in the middle complain when they are closed; that concerns nobody.
        loop.set_exception_handler(lambda _loop, _context: None)
    loop.run_until_complete(loop.shutdown_asyncgens())
    _end_the_living(loop, [])
    kill.close_frozen(loop)


def _hang_up(loop: Loop) -> None:
    """Close the connections that are left, as the system does when a process ends or is killed.

    A connection over TLS takes some turns of the loop to say goodbye, and a killed program says none. Left open, it
    would warn whenever the garbage is collected, which is in some later test.
    """
    left = list(getattr(loop, "_transports", {}).values())
    for transport in left:
        transport.abort()
    if left:
        loop.run_until_complete(asyncio.sleep(0))  # abort() closes the socket at the next turn


def _in_order(tasks: Iterable[Task]) -> list[Task]:
    # all_tasks is a set ordered by address; the names count up in order of creation.
    return sorted(tasks, key=lambda task: (len(task.get_name()), task.get_name()))


def _where(task: Task) -> str:
    waiter: Any = task.get_coro()
    frame = None
    while waiter is not None:
        frame = getattr(waiter, "cr_frame", None) or getattr(waiter, "gi_frame", None) or frame
        waiter = getattr(waiter, "cr_await", None) or getattr(waiter, "gi_yieldfrom", None)
    if frame is None:
        return "not started"
    return f"{frame.f_code.co_qualname} at {frame.f_code.co_filename}:{frame.f_lineno}"
