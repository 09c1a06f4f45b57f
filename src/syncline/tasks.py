"""Starts tasks that have an owner for their exception: nothing else in the program starts one.

`start` is for a task whose owner awaits it or gives it up; `watch_over` is for one that runs beside its owner, whose
error somebody has to hear about at once. asyncio by itself prints a forgotten exception when the task is collected,
long after and without saying what it means. `in_own_thread` is for work in a thread that may wait for a tenant's
server or take long: the threads that all share are few, and would all wait for it.
"""

from __future__ import annotations

import asyncio
import contextvars
import functools
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")
OnFailure = Callable[[str, BaseException], None]
"""Hears the name of a task and the error that it ended with."""


def start(work: Coroutine[Any, Any, T], *, name: str) -> asyncio.Task[T]:
    """Start a task whose owner awaits it; an error that comes after the owner gave up on it is of no interest."""
    task = asyncio.get_running_loop().create_task(work, name=name)
    task.add_done_callback(_retrieve)
    return task


def watch_over(work: Coroutine[Any, Any, T], *, name: str, on_failure: OnFailure | None = None) -> asyncio.Task[T]:
    """Start a task that nobody awaits before its end; an error is told at once, by default to the loop's handler."""
    task = asyncio.get_running_loop().create_task(work, name=name)
    task.add_done_callback(lambda done: _tell(done, on_failure or tell_loop))
    return task


async def in_own_thread(work: Callable[[], T]) -> T:
    """Run something in a thread that is started for it alone, and return what it returns."""
    thread = ThreadPoolExecutor(1, thread_name_prefix="own")
    call = functools.partial(contextvars.copy_context().run, work)
    try:
        return await asyncio.get_running_loop().run_in_executor(thread, call)
    finally:
        thread.shutdown(wait=False)


def _retrieve(task: asyncio.Task[Any]) -> None:
    if not task.cancelled():
        task.exception()


def _tell(task: asyncio.Task[Any], on_failure: OnFailure) -> None:
    if task.cancelled():
        return
    error = task.exception()
    if error is not None:
        on_failure(task.get_name(), error)


def tell_loop(name: str, error: BaseException) -> None:
    """Have the loop's handler tell of an error that nobody else hears of."""
    context = {"message": f"the task {name!r} ended with an error", "exception": error}
    asyncio.get_running_loop().call_exception_handler(context)
