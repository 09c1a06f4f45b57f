"""Tells of causes: one notification for each cause of the published diagnosis, and one when it is gone.

A subject of the runtime, registered by `syncline.controller.controller` beside the publisher of the Diagnosis, whose
writes wake it. What was told is in an annotation of the Diagnosis, so a restart tells nothing again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object, ObjectKey
from syncline.controller.app_key import AppKey, application_key
from syncline.controller.deliver.causes import reads_all
from syncline.controller.deliver.observe import PROJECT
from syncline.controller.installation import CONFIG_MAP, SECRET
from syncline.controller.live.cluster import LiveCluster
from syncline.controller.notify.configuration import Configuration
from syncline.controller.notify.outbox import Outbox
from syncline.controller.runtime.keys import Key
from syncline.controller.runtime.shards import Shards
from syncline.controller.runtime.subject import LiveChange, News, Subject, Watch
from syncline.controller.world import World
from syncline.core.notify import about_causes as judging
from syncline.core.notify.about_causes import CauseDue, JudgedCauses, Remembered
from syncline.core.notify.due import message_for
from syncline.model import names
from syncline.model.look_again import LookAgain
from syncline.model.notifications import Message, NotificationSettings
from syncline.model.published import KIND, NAME
from syncline.model.published import key as diagnosis_key
from syncline.ports.kube import ApiError
from syncline.ports.transport import TransportError

_GATHER = 1.0
_AGAIN = 5.0


class CausesKey(Key):
    """Namespace and name of the one Diagnosis of an installation."""

    __slots__ = ()


class CauseNotifications(Subject[CausesKey]):
    """Tells of causes."""

    name = "Notifications of causes"
    width = 1
    waits_for_strangers = True

    def __init__(
        self,
        world: World,
        live: LiveCluster,
        configuration: Configuration,
        outbox: Outbox,
        shards: Shards | None = None,
    ) -> None:
        self._world = world
        self._live = live
        self._configuration = configuration
        self._outbox = outbox
        self._shards = shards
        self._unnoted: dict[str, Remembered] | None = None

    def watches(self) -> Sequence[Watch[CausesKey]]:
        """Return what wakes it: the Diagnosis, and the settings of notifications."""
        kinds = frozenset({KIND})
        return (
            Watch(kinds=kinds, keys=lambda _change: self.keys(), gather=_GATHER),
            Watch(kinds=kinds, keys=lambda _change: self.keys(), news=News.WRITTEN, gather=_GATHER),
            Watch(kinds=frozenset({CONFIG_MAP, SECRET}), keys=self._of_settings, gather=_GATHER),
        )

    def keys(self) -> list[CausesKey]:
        """Return the one there is."""
        return [CausesKey(self._world.settings.namespace, NAME)]

    def is_ours(self, _key: CausesKey) -> bool:
        """Whether this process is the one of several that tells."""
        return self._shards is None or 0 in self._shards.held

    def _of_settings(self, change: LiveChange) -> Iterable[CausesKey]:
        return self.keys() if self._configuration.concerns(change.obj) else ()

    async def reconcile(self, key: CausesKey) -> LookAgain:
        """Tell what is due about causes."""
        settings = await self._configuration.current()
        if settings is None:
            return self._configuration.look_again()
        diagnosis = self._live.index.get(diagnosis_key(key.namespace))
        if diagnosis is None:
            return LookAgain.on_change()
        seen = self._with_unnoted(diagnosis)
        judged = judging.about_causes(
            seen, self._annotations, settings, self._world.clock.now(), reads_all=self._reads_all
        )
        for one in judged.evaluated:
            self._outbox.tally.evaluations[one] += 1
        looks = await self._send(seen, judged, settings)
        try:
            await self._note(key, diagnosis, judged.remembered)
        except (ApiError, TransportError):
            self._unnoted = judged.remembered
            return LookAgain.after(_AGAIN)
        if judged.look_again is not None:
            looks.append(LookAgain.after(judged.look_again))
        return LookAgain.earliest(*looks)

    async def _send(self, seen: Object, judged: JudgedCauses, settings: NotificationSettings) -> list[LookAgain]:
        """Send what is due, and remember each that was; return when to try the others again."""
        looks: list[LookAgain] = []
        now = self._world.clock.now()
        for one in judged.due:

            async def made(one: CauseDue = one) -> Message:
                objects = {"cause": one.cause, "diagnosis": seen if one.whole else {}}
                return message_for(one.due, objects, settings, {}, now)

            pause = await self._outbox.send(one.due, made)
            if pause is not None:
                looks.append(LookAgain.after(pause))
                continue
            known = judged.remembered[str(one.cause["id"])]
            told = {**known.told, one.due.key: int(now.timestamp())}
            judged.remembered[str(one.cause["id"])] = msgspec.structs.replace(known, told=told)
        if any(known.gone_since for known in judged.remembered.values()):
            # Those of which everybody was told that they are gone are forgotten by the next look.
            looks.append(LookAgain.after(_AGAIN))
        return looks

    async def _note(self, key: CausesKey, diagnosis: Object, remembered: Mapping[str, Remembered]) -> None:
        """Write down what was told, if that changed."""
        text = judging.write(remembered)
        resource = self._live.resource(KIND)
        if resource is not None and text != meta.annotations(diagnosis).get(names.TOLD_CAUSES):
            patch: dict[str, Any] = {"metadata": {"annotations": {names.TOLD_CAUSES: text}}}
            stored = await self._world.home.patch(
                resource, key.namespace, key.name, patch, manager=names.STATUS_MANAGER
            )
            self._live.note_write(stored)
        self._unnoted = None

    def _with_unnoted(self, diagnosis: Object) -> Object:
        """Return the Diagnosis with what was told and is not written down yet."""
        if self._unnoted is None:
            return diagnosis
        metadata = diagnosis["metadata"]
        annotations = {**meta.annotations(diagnosis), names.TOLD_CAUSES: judging.write(self._unnoted) or "{}"}
        return {**diagnosis, "metadata": {**metadata, "annotations": annotations}}

    def _reads_all(self, name: str) -> bool:
        namespace, _, app = name.rpartition("/")
        key = AppKey(namespace or self._world.settings.namespace, app)
        return reads_all(key, self._live.index, self._world.settings)

    def _annotations(self, name: str) -> list[Mapping[str, str]]:
        """Return the annotations of an Application and of its project."""
        namespace, _, app = name.rpartition("/")
        found = self._live.index.get(application_key(AppKey(namespace or self._world.settings.namespace, app)))
        if found is None:
            return []
        project = ObjectKey(
            PROJECT.group,
            PROJECT.kind,
            self._world.settings.namespace,
            str((found.get("spec") or {}).get("project") or "default"),
        )
        around = self._live.index.get(project)
        return [meta.annotations(found), meta.annotations(around) if around is not None else {}]
