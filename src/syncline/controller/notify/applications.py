"""Tells of Applications: evaluates the triggers that somebody is subscribed to, sends what is due, notes what was sent.

A subject of the runtime beside Applications, registered by `syncline.controller.controller`, with a queue and workers
of its own: a receiver that hangs holds up no delivery. What was told is in an annotation of the Application, as Argo CD
writes it; what was told and could not be noted yet is kept here, so that a conflict does not tell it twice.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import partial

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object, ObjectKey
from syncline.controller.app_key import APPLICATION, AppKey, application_key
from syncline.controller.deliver.observe import PROJECT
from syncline.controller.deliver.roster import Roster
from syncline.controller.installation import CONFIG_MAP, SECRET
from syncline.controller.live.cluster import LiveCluster
from syncline.controller.notify.commits import KnownCommits
from syncline.controller.notify.configuration import DEPLOYMENT, Configuration
from syncline.controller.notify.outbox import Outbox
from syncline.controller.runtime.shards import Shards
from syncline.controller.runtime.subject import LiveChange, News, Subject, Watch
from syncline.controller.world import World
from syncline.core.notify import told
from syncline.core.notify.due import Due, Judged, about_app, message_for
from syncline.model import names
from syncline.model.look_again import LookAgain
from syncline.model.notifications import Message, NotificationSettings
from syncline.ports.kube import ApiError
from syncline.ports.transport import TransportError

_GATHER = 0.5
_WIDTH = 4
_EVERY = 60.0
"""Seconds after which an Application is looked at again whose triggers ask for the time."""
_AGAIN = 5.0
_ASKS_TIME = re.compile(r"\btime\s*\.\s*Now\b|\bnow\s*\(")


class NotifyKey(AppKey):
    """Namespace and name of an Application that may have to be told of."""

    __slots__ = ()


class ApplicationNotifications(Subject[NotifyKey]):
    """Tells of Applications."""

    name = "Notifications"
    width = _WIDTH
    waits_for_strangers = True

    def __init__(
        self,
        world: World,
        live: LiveCluster,
        roster: Roster,
        configuration: Configuration,
        outbox: Outbox,
        shards: Shards | None = None,
    ) -> None:
        self._world = world
        self._live = live
        self._roster = roster
        self._configuration = configuration
        self._outbox = outbox
        self._shards = shards
        self._commits = KnownCommits(world.source)
        self._unnoted: dict[AppKey, dict[str, int]] = {}
        self._problems: set[str] = set()
        self._version = 0

    def watches(self) -> Sequence[Watch[NotifyKey]]:
        """Return what wakes it: Applications, their projects, and the settings of notifications."""
        apps, settings = frozenset({APPLICATION}), frozenset({CONFIG_MAP, SECRET, DEPLOYMENT})
        return (
            Watch(kinds=apps, keys=self._itself, gather=_GATHER),
            Watch(kinds=apps, keys=self._itself, news=News.WRITTEN, gather=_GATHER),
            Watch(kinds=frozenset({PROJECT}), keys=lambda _change: self.keys(), gather=_GATHER),
            Watch(kinds=settings, keys=self._of_settings, gather=_GATHER),
        )

    def keys(self) -> list[NotifyKey]:
        """Return every Application that we look after."""
        return [NotifyKey(*key) for key in self._roster.all()]

    def is_ours(self, _key: NotifyKey) -> bool:
        """Whether this process is the one of several that tells."""
        return self._shards is None or 0 in self._shards.held

    def _itself(self, change: LiveChange) -> Iterable[NotifyKey]:
        key = NotifyKey(change.key.namespace, change.key.name)
        return (key,) if self._roster.permits(key.namespace) else ()

    def _of_settings(self, change: LiveChange) -> Iterable[NotifyKey]:
        return self.keys() if self._configuration.concerns(change.obj) else ()

    async def reconcile(self, key: NotifyKey) -> LookAgain:
        """Tell what is due about one Application."""
        settings = await self._configuration.current()
        if settings is None:
            return self._configuration.look_again()
        obj = self._live.index.get(application_key(key))
        if obj is None:
            self._unnoted.pop(key, None)
            return LookAgain.on_change()
        self._begin_again()
        if self._configuration.is_told_by_argo_cd():
            return LookAgain.on_change()
        app = self._with_unnoted(key, obj)
        project = self._project_of(app)
        judged = await self._commits.with_commits(
            app, lambda commits: about_app(app, project, settings, commits, self._world.clock.now())
        )
        if judged is None:
            return LookAgain.on_change()
        for one in judged.evaluated:
            self._outbox.tally.evaluations[one] += 1
        self._tell_problems(judged.problems)
        looks = await self._send(key, app, judged, settings)
        try:
            await self._note(key, obj, judged.told)
        except (ApiError, TransportError):
            return LookAgain.after(_AGAIN)
        if _asks_for_time(judged, settings):
            looks.append(LookAgain.after(_EVERY))
        return LookAgain.earliest(*looks)

    async def _send(self, key: AppKey, app: Object, judged: Judged, settings: NotificationSettings) -> list[LookAgain]:
        """Send what is due, and remember each that was; return when to try the others again."""
        looks: list[LookAgain] = []
        now = self._world.clock.now()
        for due in judged.due:
            pause = await self._outbox.send(due, partial(self._message, due, app, settings, now))
            if pause is not None:
                looks.append(LookAgain.after(pause))
                continue
            judged.told[due.key] = int(now.timestamp())
            self._unnoted.setdefault(key, {})[due.key] = judged.told[due.key]
        return looks

    async def _message(self, due: Due, app: Object, settings: NotificationSettings, now: datetime) -> Message:
        return await self._commits.with_commits(
            app, lambda commits: message_for(due, {"app": app}, settings, commits, now)
        )

    async def _note(self, key: AppKey, obj: Object, remembered: dict[str, int]) -> None:
        """Write down what was told, if that changed."""
        before = meta.annotations(obj).get(names.NOTIFIED)
        text = told.write(remembered)
        resource = self._live.resource(APPLICATION)
        if resource is not None and text != before and remembered != told.read(str(before or "")):
            patch = {"metadata": {"annotations": {names.NOTIFIED: text}}}
            stored = await self._world.home.patch(
                resource, key.namespace, key.name, patch, manager=names.STATUS_MANAGER
            )
            self._live.note_write(stored)
        self._unnoted.pop(key, None)

    def _with_unnoted(self, key: AppKey, obj: Object) -> Object:
        """Return an Application with what was told of it and is not written down yet."""
        more = self._unnoted.get(key)
        if not more:
            return obj
        annotations = meta.annotations(obj)
        text = told.write({**told.read(str(annotations.get(names.NOTIFIED) or "")), **more})
        metadata = {**obj["metadata"], "annotations": {**annotations, names.NOTIFIED: text}}
        return {**obj, "metadata": metadata}

    def _project_of(self, app: Object) -> Object | None:
        name = str((app.get("spec") or {}).get("project") or "default")
        return self._live.index.get(ObjectKey(PROJECT.group, PROJECT.kind, self._world.settings.namespace, name))

    def _begin_again(self) -> None:
        """Ask receivers again, and tell problems again, when settings changed."""
        if self._version != self._configuration.version:
            self._version = self._configuration.version
            self._outbox.forgive()
            for problem in self._problems:
                self._outbox.say(problem, "")
            self._problems.clear()

    def _tell_problems(self, problems: Iterable[str]) -> None:
        for problem in problems:
            if problem not in self._problems and len(self._problems) < 100:
                self._problems.add(problem)
                self._outbox.say(problem, problem)


def _asks_for_time(judged: Judged, settings: NotificationSettings) -> bool:
    """Whether a trigger of an Application may hold later though nothing changes."""
    asked = {trigger for trigger, _ in judged.evaluated}
    return any(_ASKS_TIME.search(one.when) for name in asked for one in settings.triggers.get(name, ()))
