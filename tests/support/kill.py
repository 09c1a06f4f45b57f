"""Kills a program inside the test process the way SIGKILL does: it stops, and nothing of it runs any more.

Cancelling, and also collecting a coroutine, runs `finally` blocks; SIGKILL does not. So a killed task is frozen: each
time the loop resumes it, it is put to sleep again, and it stays referenced until the run is over.
Tests group the tasks of one program run in an `Incarnation`, and choose the moment of death with `Interceptor`.
The runners of `tests/support/loops` call `install` and, at the very end, `close_frozen`; only then do the `finally`
blocks of the dead run, unable to reach anything through an `Interceptor`.
"""

import asyncio
import contextlib
import contextvars
import inspect
import warnings
import weakref
from collections.abc import Callable, Coroutine, Generator, Iterable
from typing import Any, Literal, TypeVar

from syncline.ports import transport

T = TypeVar("T")
Task = asyncio.Task[Any]

_current: "contextvars.ContextVar[Incarnation | None]" = contextvars.ContextVar("incarnation", default=None)
_started: "weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, list[Incarnation]]" = weakref.WeakKeyDictionary()
_leftover: "weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, list[Task]]" = weakref.WeakKeyDictionary()


class DeadCallError(Exception):
    """A dead incarnation tried to reach the server; seen only by clean-up code that runs after the end."""


class Incarnation:
    """One run of the program: the tasks started in it, and all the tasks those start.

    With `kill_at_resume=k` it dies instead of resuming any of its tasks for the k-th time.
    """

    def __init__(self, name: str = "program", *, kill_at_resume: int | None = None) -> None:
        self.name = name
        self.dead = False
        self.resumes = 0
        self.tasks: list[Task] = []
        self._kill_at_resume = kill_at_resume
        self._over: asyncio.Future[None] | None = None

    def start(self, coroutine: Coroutine[Any, Any, T], name: str | None = None) -> asyncio.Task[T]:
        """Run the coroutine as a task of this incarnation; the first one started is its main task."""
        loop = asyncio.get_running_loop()
        if loop not in _started:
            raise RuntimeError("kill.install was not called for this loop; use a runner of tests/support/loops")
        context = contextvars.copy_context()
        context.run(_current.set, self)
        task = context.run(lambda: asyncio.create_task(coroutine, name=name or self.name))
        if self._over is None:
            self._over = loop.create_future()
            _started[loop].append(self)
            task.add_done_callback(lambda _task: self._tell())
        return task

    def kill(self) -> None:
        """Freeze every task of this incarnation where it is."""
        self.dead = True
        self._tell()

    async def over(self) -> bool:
        """Wait until the main task ended or death came; return whether it died."""
        if self._over is None:
            raise RuntimeError(f"{self.name} was never started")
        await asyncio.shield(self._over)
        return self.dead

    def resume(self) -> bool:
        """Count one resume of a task and say whether it may run."""
        if not self.dead:
            self.resumes += 1
            if self.resumes == self._kill_at_resume:
                self.kill()
        return not self.dead

    def _tell(self) -> None:
        if self._over is not None and not self._over.done():
            self._over.set_result(None)


class _Freezable(Coroutine[Any, Any, Any]):
    """A coroutine that asks its incarnation before each resume."""

    def __init__(self, coroutine: Coroutine[Any, Any, Any], incarnation: Incarnation) -> None:
        self.coroutine = coroutine
        self.incarnation = incarnation

    def send(self, value: Any) -> Any:
        return self.coroutine.send(value) if self.incarnation.resume() else _sleep_for_ever()

    def throw(self, *thrown: Any) -> Any:
        return self.coroutine.throw(*thrown) if self.incarnation.resume() else _sleep_for_ever()

    def close(self) -> None:
        self.coroutine.close()

    def __await__(self) -> Generator[Any, Any, Any]:
        return self.coroutine.__await__()

    def __getattr__(self, name: str) -> Any:
        # Tools that print tasks ask for cr_frame, cr_await and the like.
        return getattr(self.coroutine, name)


def _sleep_for_ever() -> Any:
    """Return what a task must be given to wait for a future that nobody sets."""
    return next(iter(asyncio.get_running_loop().create_future().__await__()))


def install(loop: asyncio.AbstractEventLoop) -> None:
    """Make tasks of this loop freezable."""
    _started.setdefault(loop, [])
    loop.set_task_factory(_task_factory)


def _task_factory(loop: asyncio.AbstractEventLoop, coroutine: Any, **named: Any) -> Task:
    context = named.get("context")
    incarnation = _current.get() if context is None else context.get(_current)
    if incarnation is None:
        return asyncio.Task(coroutine, loop=loop, **named)
    task = asyncio.Task(_Freezable(coroutine, incarnation), loop=loop, **named)
    incarnation.tasks.append(task)
    return task


def is_frozen(task: Task) -> bool:
    """Tell whether the task belongs to the dead."""
    coroutine = task.get_coro()
    return isinstance(coroutine, _Freezable) and coroutine.incarnation.dead


def freeze(tasks: Iterable[Task]) -> None:
    """Give up on tasks that do not end; they are closed with the dead."""
    for task in tasks:
        _leftover.setdefault(task.get_loop(), []).append(task)


def close_frozen(loop: asyncio.AbstractEventLoop) -> int:
    """Close all dead coroutines of this loop, which must not be running; return how many."""
    dead = [incarnation for incarnation in _started.pop(loop, []) if incarnation.dead]
    tasks = [*(task for incarnation in dead for task in incarnation.tasks), *_leftover.pop(loop, [])]
    tasks = [task for task in tasks if not task.done()]
    with warnings.catch_warnings():
        # Clean-up code of the dead may start things that can no longer run.
        warnings.simplefilter("ignore")
        for task in tasks:
            task._log_destroy_pending = False  # type: ignore[attr-defined]
            _close(task.get_coro())
    for incarnation in dead:
        incarnation.tasks.clear()
    return len(tasks)


def _close(coroutine: Any) -> None:
    coroutine = getattr(coroutine, "coroutine", coroutine)
    if not inspect.iscoroutine(coroutine):
        # The end of a generator that was torn off: there is no `finally` of its own to get past.
        with contextlib.suppress(BaseException):
            coroutine.close()
        return
    # A `finally` that awaits refuses to be closed once; each further try gets past one more await.
    while inspect.getcoroutinestate(coroutine) != inspect.CORO_CLOSED:
        try:
            coroutine.close()
        except BaseException:  # noqa: BLE001 - whatever the dead raise concerns nobody
            continue


class Interceptor:
    """A transport of one incarnation that counts requests and can be the place of its death.

    At request number `die_at` (from 1) the incarnation dies: `before` the request is sent, or `after` the server
    acted on it but before the answer is seen. `counted` says which requests have a number; all by default.
    """

    def __init__(
        self,
        inner: transport.Transport,
        incarnation: Incarnation,
        *,
        die_at: int | None = None,
        moment: Literal["before", "after"] = "before",
        counted: Callable[[transport.Request], bool] = lambda _request: True,
    ) -> None:
        self.requests: list[transport.Request] = []
        self._inner = inner
        self._incarnation = incarnation
        self._die_at = die_at
        self._moment = moment
        self._counted = counted

    async def send(self, request: transport.Request, *, timeout: float | None = None) -> transport.Response:
        """Pass the request on, unless this is the moment to die."""
        if self._incarnation.dead:
            raise DeadCallError(f"{self._incarnation.name} is dead: {request.method} {request.path}")
        last = False
        if self._counted(request):
            self.requests.append(request)
            last = len(self.requests) == self._die_at
        if last and self._moment == "before":
            await self._die()
        response = await self._outside(self._inner.send(request, timeout=timeout))
        if last:
            await self._outside(response.close())
            await self._die()
        return response

    async def close(self) -> None:
        """Close the inner transport."""
        await self._inner.close()

    async def _die(self) -> None:
        if _current.get() is not self._incarnation:
            raise RuntimeError(f"only a task started by {self._incarnation.name} can die with it")
        self._incarnation.kill()
        await asyncio.get_running_loop().create_future()

    async def _outside(self, work: Coroutine[Any, Any, T]) -> T:
        # The server does not die with its client: what it does runs in a task that cannot be frozen.
        context = contextvars.copy_context()
        context.run(_current.set, None)
        return await asyncio.get_running_loop().create_task(work, context=context)
