"""Toy subjects: things that exist as long as a test says so, and passes that note when they were made."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence

from syncline.apimachinery.keys import GroupKind, Object
from syncline.controller.runtime.keys import Key
from syncline.controller.runtime.queue import WorkQueue
from syncline.controller.runtime.runtime import Runtime
from syncline.controller.runtime.subject import LiveChange, News, Subject, Watch, Where
from syncline.model import names
from syncline.model.look_again import LookAgain
from tests.support.clocks import LoopClock

HOME, EAST = names.IN_CLUSTER_SERVER, "https://east.example:6443"
Answer = Callable[[Key], Awaitable[LookAgain]]


def obj(kind: str, name: str, namespace: str = "one") -> Object:
    return {"apiVersion": "v1", "kind": kind, "metadata": {"namespace": namespace, "name": name}}


async def rest(_key: Key) -> LookAgain:
    return LookAgain.on_change()


async def hang(_key: Key) -> LookAgain:
    await asyncio.Event().wait()
    return LookAgain.on_change()


async def raise_bug(_key: Key) -> LookAgain:
    raise ZeroDivisionError


class Toy(Subject[Key]):
    """Hears of one kind; the lane of a key is its namespace."""

    def __init__(self, kind: str, answer: Answer = rest, *, width: int = 20, where: Where = Where.HOME) -> None:
        self.name = f"toy of {kind}"
        self.width = width
        self.answer = answer
        self.all: list[Key] = []
        self.ours: Callable[[Key], bool] = lambda _key: True
        self.made: list[tuple[str, float]] = []
        """The passes that were begun: name and time."""
        self.ended: list[str] = []
        """Those that are over, for whatever reason."""
        self.passed_over: list[str] = []
        self.own_writes: list[str] = []
        self._kinds, self._where = frozenset({GroupKind("", kind)}), where
        self.work: tuple[Callable[[], Awaitable[None]], ...] = ()
        self.queue: WorkQueue[Key] | None = None

    def watches(self) -> Sequence[Watch[Key]]:
        return (
            Watch(kinds=self._kinds, keys=self.keys_of, where=self._where),
            Watch(kinds=self._kinds, keys=self._written, where=self._where, news=News.WRITTEN),
        )

    def keys_of(self, change: LiveChange) -> Iterable[Key]:
        return [Key(change.key.namespace, change.key.name)]

    def _written(self, change: LiveChange) -> Iterable[Key]:
        self.own_writes.append(change.key.name)
        return ()

    def keys(self) -> Iterable[Key]:
        return self.all

    def lane_of(self, key: Key) -> str:
        return key.namespace

    def is_ours(self, key: Key) -> bool:
        return self.ours(key)

    def pass_over(self, key: Key) -> None:
        self.passed_over.append(key.name)

    def beside(self, queue: WorkQueue[Key]) -> Sequence[Callable[[], Awaitable[None]]]:
        self.queue = queue
        return self.work

    async def reconcile(self, key: Key) -> LookAgain:
        self.made.append((key.name, asyncio.get_running_loop().time()))
        try:
            return await self.answer(key)
        finally:
            self.ended.append(key.name)

    @property
    def names(self) -> list[str]:
        return [name for name, _ in self.made]


class Bench:
    """A runtime with toys, and what it was told is wrong."""

    def __init__(self, *toys: Toy) -> None:
        self.told: list[str] = []
        self.runtime = Runtime(LoopClock(), on_failure=lambda what, error: self.told.append(f"{what}: {error!r}"))
        for toy in toys:
            self.runtime.register(toy)
        self.runtime.start()

    def change(self, kind: str, *called: str, server: str = HOME, namespace: str = "one") -> None:
        for name in called:
            self.runtime.changed(server, obj(kind, name, namespace))


def left_running() -> list[str]:
    """The tasks that still run, besides the test itself."""
    return [task.get_name() for task in asyncio.all_tasks() if task is not asyncio.current_task()]
