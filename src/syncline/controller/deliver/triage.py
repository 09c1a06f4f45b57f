"""Which Applications go first when a repository has something new: those that the commit concerns.

Told by `syncline.controller.sources.desired` of every app whose source moved on; run beside the passes by
`syncline.controller.deliver.applications`. Apps of each project are sorted beside those of the others: to know what a
commit concerns it is fetched, and a repository that answers slowly holds up no other project.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable

from syncline.controller.app_key import AppKey
from syncline.controller.deliver.attention import Attention
from syncline.controller.deliver.lookout import Lookout
from syncline.controller.runtime.queue import WorkQueue

_BREATH = 100
_FEW = 20
"""So many Applications of a project that a commit concerns come first: nobody waits for one of a thousand."""


class Triage:
    """The Applications whose source has something new, until they are in the queue."""

    def __init__(
        self, lookout: Lookout, attention: Attention, project_of: Callable[[AppKey], str] = lambda _key: ""
    ) -> None:
        self._lookout = lookout
        self._project_of = project_of
        self._sorting: dict[str, dict[AppKey, None]] = {}
        """What is still to be sorted of each project of which something is being sorted."""
        self._attention = attention
        self._moved: dict[AppKey, None] = {}
        self._nudged: dict[AppKey, None] = {}
        self._due = asyncio.Event()
        self.on_moved: Callable[[AppKey], None] = lambda _key: None
        """Told of every app whose source has something new; for those who measure."""

    def moved_on(self, key: AppKey) -> None:
        """Look at an app whose source has something new; until then nothing that it may desire is pruned."""
        self._lookout.moved_on(key)
        self._moved[key] = None
        self._due.set()
        self.on_moved(key)

    def nudge(self, key: AppKey) -> None:
        """Look at an app again because of something that another app desires, or no longer does."""
        self._nudged[key] = None
        self._due.set()

    async def run(self, queue: WorkQueue[AppKey], concerns: Callable[[AppKey], Awaitable[bool]]) -> None:
        """Let the apps that a commit concerns go first: of thousands in one repository it is mostly a few."""
        async with asyncio.TaskGroup() as group:
            while True:
                await self._due.wait()
                self._due.clear()
                moved, self._moved = self._moved, {}
                nudged, self._nudged = self._nudged, {}
                for key in nudged:
                    queue.add(key)
                for key in moved:
                    project = self._project_of(key)
                    if project not in self._sorting:
                        self._sorting[project] = {}
                        group.create_task(self._sort_all(project, queue, concerns), name=f"triage {project}")
                    self._sorting[project][key] = None

    async def _sort_all(
        self, project: str, queue: WorkQueue[AppKey], concerns: Callable[[AppKey], Awaitable[bool]]
    ) -> None:
        """Sort the apps of a project until none are left."""
        try:
            while moved := self._sorting[project]:
                self._sorting[project] = {}
                await self._sort(moved, queue, concerns)
        finally:
            del self._sorting[project]

    async def _sort(
        self, moved: Iterable[AppKey], queue: WorkQueue[AppKey], concerns: Callable[[AppKey], Awaitable[bool]]
    ) -> None:
        unconcerned = []
        concerned = 0
        for number, key in enumerate(moved):
            if number % _BREATH == 0:
                # What is in memory is judged without waiting: others get their turn in between.
                await asyncio.sleep(0)
            if await concerns(key):
                concerned += self._lookout.knows(key)
                if self._lookout.knows(key) and concerned <= _FEW:
                    self._attention.turn_to(key)
                queue.add(key)
            else:
                unconcerned.append(key)
        for key in unconcerned:
            # It desires what it did before, so nobody has to wait for it.
            self._lookout.pass_over(key)
            queue.add_idle(key)
