"""One Application as a server sees it, and what can be done with its objects through the server.

Made by `syncline.verbs.served.home`. `ServedLook` is what travels: `syncline.server.routes.applications.looking` sends
it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

import msgspec
import orjson

from syncline.apimachinery.keys import Object, ObjectKey, gvk_of, key_of
from syncline.controller.app_key import AppKey
from syncline.model.actions import Action
from syncline.model.errors import NeedsUser
from syncline.model.snapshot import Snapshot
from syncline.ports.kube import ApiError
from syncline.verbs.actions import ActionRequest, Offered
from syncline.verbs.logs import LogLine, LogRequest, Printing, lines
from syncline.verbs.resources import ChildPolicy, DeleteResourceRequest, PatchResourceRequest
from syncline.verbs.served.api import Forbidden, ServerApi, app_path, app_query

if TYPE_CHECKING:
    from syncline.core.assess import Assessment
    from syncline.ports.kube import Cluster

_MEDIA = {
    "merge": "application/merge-patch+json",
    "json": "application/json-patch+json",
    "strategic": "application/strategic-merge-patch+json",
}


class ServedLook(msgspec.Struct, frozen=True, omit_defaults=True):
    """All that a server saw of an Application, without values of Secrets; and what belongs to nobody beside it."""

    snapshot: Snapshot
    orphans: tuple[ObjectKey, ...] = ()


class _Pods:
    """The logs of an Application's pods, as a cluster gives them: lines, with their time first where it is wanted."""

    def __init__(self, api: ServerApi, app: AppKey) -> None:
        self._api = api
        self._app = app

    async def logs(self, namespace: str, pod: str, options: Mapping[str, str]) -> AsyncIterator[bytes]:
        """Yield the lines of one container."""
        query = {**app_query(self._app), "namespace": namespace, "podName": pod, **options}
        timed = "timestamps" in options
        try:
            async for entry in self._api.lines(app_path(self._app, "logs"), query):
                if not entry or entry.get("last"):
                    continue
                text = str(entry.get("content") or "")
                yield (f"{entry.get('timeStampStr') or ''} {text}" if timed else text).encode()
        except Forbidden as error:
            raise ApiError(403, "Forbidden", error.what) from None
        except NeedsUser as error:
            # The server names pod and container too, which whoever prints this does as well.
            said = error.what.removeprefix(f"{pod} {options.get('container', '')}: ")
            raise ApiError(500, "Logs", said) from None


class ServedSight:
    """What a server shows of one Application."""

    def __init__(self, api: ServerApi, app: AppKey, look: ServedLook, assessment: Assessment) -> None:
        self.assessment = assessment
        self._api = api
        self._app = app
        self._look = look

    async def orphans(self) -> list[ObjectKey]:
        """Return what belongs to nobody in its namespace."""
        return list(self._look.orphans)

    def lines(self, found: list[Printing], request: LogRequest) -> AsyncIterator[LogLine]:
        """Yield what containers print."""
        return lines(cast("Cluster", _Pods(self._api, self._app)), found, request)

    async def offered(self, objects: Sequence[Object]) -> list[Offered]:
        """Return the actions that objects offer now."""
        return [await self._offered(obj) for obj in objects]

    async def _offered(self, obj: Object) -> Offered:
        try:
            found = await self._api.get(app_path(self._app, "resource/actions"), self._named(key_of(obj), obj))
        except NeedsUser as error:
            return Offered(obj, (), str(error))
        listed = found.get("actions") or ()
        return Offered(obj, tuple(Action(name=one["name"], disabled=bool(one.get("disabled"))) for one in listed), "")

    async def run_action(self, request: ActionRequest) -> AsyncIterator[tuple[str, ObjectKey]]:
        """Run an action; yields what was done to which object."""
        key = request.key
        given = [{"name": name, "value": value} for name, value in request.parameters.items()]
        body = {
            "group": key.group,
            "kind": key.kind,
            "namespace": key.namespace,
            "resourceName": key.name,
            "version": self._version(key),
            "action": request.action,
            "resourceActionParameters": given,
        }
        path = app_path(self._app, "resource/actions/v2")
        found = await self._api.ask("POST", path, app_query(self._app), body)
        steps = found.get("steps") if isinstance(found, dict) else None
        for one in steps or [{"operation": "patch", "key": str(key)}]:
            yield str(one["operation"]), ObjectKey.parse(str(one["key"]))

    async def patch(self, request: PatchResourceRequest) -> None:
        """Patch a live object."""
        query = {**self._named(request.key), "patchType": _MEDIA[request.kind]}
        text = orjson.dumps(request.patch).decode()
        await self._api.ask("POST", app_path(self._app, "resource"), query, text)

    async def delete(self, request: DeleteResourceRequest) -> None:
        """Delete a live object."""
        query = {
            **self._named(request.key),
            "force": "true" if request.children is ChildPolicy.BACKGROUND else "",
            "orphan": "true" if request.children is ChildPolicy.ORPHAN else "",
        }
        await self._api.ask("DELETE", app_path(self._app, "resource"), query)

    def _named(self, key: ObjectKey, obj: Object | None = None) -> dict[str, Any]:
        return {
            **app_query(self._app),
            "group": key.group,
            "kind": key.kind,
            "namespace": key.namespace,
            "resourceName": key.name,
            "version": gvk_of(obj).version if obj is not None else self._version(key),
        }

    def _version(self, key: ObjectKey) -> str:
        live = self.assessment.live.get(key)
        return gvk_of(live).version if live is not None else ""
