"""Has the Applications and ApplicationSets looked at again that a push or a pull request concerns: each once.

Told of pushes by `syncline.server.routes.webhooks`. What waits is a set of keys, so that a storm of pushes costs no
more than one refresh of each; a few are asked for at a time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable

from syncline import tasks
from syncline.apimachinery import globs, meta
from syncline.apimachinery.keys import Object
from syncline.controller.app_key import AppKey, application_key
from syncline.controller.appsets.keys import APPLICATION_SET, AppSetKey
from syncline.controller.live.cluster import LiveCluster
from syncline.core.sources import generate_paths
from syncline.model import application, names
from syncline.model.application import Application
from syncline.model.errors import SynclineError
from syncline.model.sources import repository_urls
from syncline.model.sources.source import ApplicationSource
from syncline.ports.kube import ApiError, Cluster
from syncline.ports.transport import TransportError
from syncline.server.lists.shelf import Shelf
from syncline.server.webhooks.concerned_sets import is_pulled, is_pushed
from syncline.server.webhooks.following import is_followed
from syncline.server.webhooks.pulls import PullEvent
from syncline.server.webhooks.pushes import Push
from syncline.verbs.applications import annotate
from syncline.verbs.applicationsets import refresh_set

_WORKERS = 20


class Refreshing:
    """Applications and sets that wait to be looked at again."""

    def __init__(self, home: Cluster, live: LiveCluster, shelf: Shelf) -> None:
        self._home = home
        self._live = live
        self._shelf = shelf
        self._waiting: dict[AppKey | AppSetKey, None] = {}
        self._workers: set[asyncio.Task[None]] = set()
        self.asked = 0
        """How many refreshes were asked for."""

    def pushed(self, pushes: Iterable[Push]) -> tuple[int, int]:
        """Have what some pushes concern looked at again; return how many Applications and how many sets that are."""
        known = tuple(pushes)
        apps = {key for push in known for key in self._concerned(push)}
        sets = self._sets(lambda obj: any(is_pushed(push, obj) for push in known))
        self._wait_for([*sorted(apps), *sets])
        return len(apps), len(sets)

    def pulled(self, event: PullEvent) -> int:
        """Have the sets looked at again that generate from the pull requests of a repository; return how many."""
        sets = self._sets(lambda obj: is_pulled(event, obj))
        self._wait_for(sets)
        return len(sets)

    def _wait_for(self, keys: Iterable[AppKey | AppSetKey]) -> None:
        self._waiting.update(dict.fromkeys(keys))
        while self._waiting and len(self._workers) < min(_WORKERS, len(self._waiting)):
            worker = tasks.start(self._work(), name="refresh by webhook")
            self._workers.add(worker)
            worker.add_done_callback(self._workers.discard)

    def _sets(self, concerns: Callable[[Object], bool]) -> list[AppSetKey]:
        found = (obj for obj in self._live.index.of_kind(APPLICATION_SET) if concerns(obj))
        return sorted(AppSetKey(meta.namespace(obj), meta.name(obj)) for obj in found)

    async def stop(self) -> None:
        """Give up what waits."""
        self._waiting.clear()
        running = list(self._workers)
        for one in running:
            one.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    async def _work(self) -> None:
        while self._waiting:
            key = next(iter(self._waiting))
            del self._waiting[key]
            try:
                if isinstance(key, AppSetKey):
                    await refresh_set(self._home, key)
                else:
                    await annotate(self._home, key, {names.REFRESH: "normal"})
                self.asked += 1
            except (ApiError, TransportError, SynclineError):
                # Gone meanwhile, or a cluster that does not answer: the next poll of the repository notices the push.
                continue

    def _concerned(self, push: Push) -> Iterable[AppKey]:
        known = repository_urls.mirrors(dict.fromkeys(push.urls, "pushed"))
        for row in self._shelf.rows():
            if not any(repository_urls.mirror(known, url) for url in row.repos):
                continue
            obj = self._live.index.get(application_key(row.key))
            try:
                typed = application.parse(obj) if obj is not None else None
            except SynclineError:
                continue
            if typed is not None and _concerns(push, typed, known):
                yield row.key


def _concerns(push: Push, app: Application, known: dict[str, str]) -> bool:
    fits = [one for one in app.spec.all_sources if repository_urls.mirror(known, one.repo_url)]
    return any(is_followed(push, one.target_revision) and _is_touched(push, app, one) for one in fits)


def _is_touched(push: Push, app: Application, source: ApplicationSource) -> bool:
    """Whether a file changed that an Application says it depends on; true where nobody says so."""
    paths = generate_paths(app)
    if not paths or push.files is None:
        return True
    wanted = [_absolute(path, source.path) for path in paths]
    return any(_is_below(file, path) for file in push.files for path in wanted)


def _absolute(path: str, folder: str) -> str:
    if path.startswith("/"):
        return path.strip("/")
    parts: list[str] = []
    for part in (*folder.strip("/").split("/"), *path.split("/")):
        if part == "..":
            del parts[-1:]
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def _is_below(file: str, path: str) -> bool:
    return not path or file == path or file.startswith(f"{path}/") or globs.matches(file, path)
