"""Compares how Syncline renders every app with how Argo CD did: by its API, or by what a cluster has of it.

Called by `syncline.cli.parity`. An argocd-server answers with the manifests it rendered. A cluster has only what
Argo CD applied of it last: the objects that an Application lists, at the revision of its last sync.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from syncline.api.applications import RenderFlags, open_application
from syncline.apimachinery.keys import GroupKind, Object, ObjectKey
from syncline.core.compare.prepare import prepare
from syncline.core.compare.schemas import SchemaCache
from syncline.core.diagnose.repository.world import cluster_of
from syncline.core.preview.applied import against_live
from syncline.core.preview.parity import Unequal, compared
from syncline.model import application, names
from syncline.model.errors import SynclineError
from syncline.model.settings.settings import Settings
from syncline.ports.kube import ApiError

if TYPE_CHECKING:
    from syncline.core.compare.context import NodeFor
    from syncline.model.application import Application
    from syncline.model.desired import DesiredObject
    from syncline.model.live_objects import LiveObjects
    from syncline.verbs.fleet.argocd_api import ArgoApi
    from syncline.wiring import RenderTools

EQUAL, DIFFERENT, NOT_RENDERED, NOT_COMPARED = "equal", "different", "not rendered", "not compared"
STATES = (EQUAL, DIFFERENT, NOT_RENDERED, NOT_COMPARED)
_RESPECT = "RespectIgnoreDifferences=true"


class AppParity(msgspec.Struct, frozen=True):
    """One app: equal, different with the objects, not rendered or not compared with the reason.

    `unknown` objects have no record of what Argo CD rendered for them.
    """

    app: str
    state: str
    objects: int = 0
    unequal: tuple[Unequal, ...] = ()
    reason: str = ""
    unknown: int = 0


def name_of(app: Object) -> str:
    """Return the name of an Application."""
    return str((app.get("metadata") or {}).get("name") or "")


async def with_argocd(app: Object, api: ArgoApi, wanted: RenderFlags, tools: RenderTools) -> AppParity:
    """Compare one app with what an argocd-server rendered for it, at the revision that it compared last."""
    name = name_of(app)
    status = _part(app, "status", "sync")
    try:
        theirs = await _manifests(app, api, str(status.get("revision") or ""))
        typed, objects = await _rendered(app, _revisions(status), wanted, tools)
    except ApiError as error:
        return AppParity(name, NOT_RENDERED, reason=f"Argo CD: {error}")
    except SynclineError as error:
        return AppParity(name, NOT_RENDERED, reason=error.sentence())
    ours = [item.obj for item in objects]
    unequal = compared(ours, theirs, typed.spec.destination.namespace)
    return AppParity(name, DIFFERENT if unequal else EQUAL, len(ours), unequal)


def kinds_of(apps: Iterable[Object]) -> frozenset[GroupKind]:
    """Return the kinds that some Applications list, and that of definitions, which have the schemas of others."""
    listed = {row.group_kind for app in apps for row in _managed(app)}
    return frozenset({*listed, GroupKind("apiextensions.k8s.io", "CustomResourceDefinition")})


class WithCluster:
    """Compares apps with what Argo CD applied of them on one cluster."""

    def __init__(self, live: LiveObjects, wanted: RenderFlags, tools: RenderTools) -> None:
        self._live, self._wanted, self._tools = live, wanted, tools
        definitions = [obj for obj in live.objects.values() if obj.get("kind") == "CustomResourceDefinition"]
        self._node_for: NodeFor = SchemaCache().of(definitions).node_for

    async def app(self, app: Object) -> AppParity:
        """Compare one app."""
        name, state = name_of(app), _part(app, "status", "operationState")
        synced = _part(state, "syncResult")
        if state.get("phase") != "Succeeded" or not (synced.get("revision") or synced.get("revisions")):
            return AppParity(
                name, NOT_COMPARED, reason="it has no sync that succeeded, so it is not recorded what was rendered"
            )
        try:
            typed, objects = await _rendered(app, _revisions(synced), self._wanted, self._tools)
        except SynclineError as error:
            return AppParity(name, NOT_RENDERED, reason=error.sentence())
        if cluster_of(typed).rstrip("/") not in (names.IN_CLUSTER_SERVER, self._live.server.rstrip("/")):
            return AppParity(name, NOT_COMPARED, reason=f"{self._live.origin} is not its cluster ({cluster_of(typed)})")
        return self._against(app, typed, objects)

    def _against(self, app: Object, typed: Application, objects: Sequence[DesiredObject]) -> AppParity:
        from syncline.model.desired import Desired

        scopes = {key.group_kind: bool(key.namespace) for key in self._live.objects}
        prepared = prepare(Desired(tuple(objects)), typed, Settings(), scopes)
        altered = _altered(app)
        skipped = set(self._live.unread) | {kind for kind in scopes if kind.kind in altered}
        managed = frozenset(key for key in _managed(app) if key.group_kind not in skipped)
        ours = {item.key: item.obj for item in prepared.objects if item.key.group_kind not in skipped}
        left = len([key for key in _managed(app) if key.group_kind in skipped])
        unequal, count, unknown = against_live(
            ours.values(), self._live.objects, managed, typed.spec.destination.namespace, self._node_for
        )
        state = DIFFERENT if unequal else EQUAL if count else NOT_COMPARED
        reason = "" if count or unequal else "none of its objects tells what was rendered"
        return AppParity(name_of(app), state, count, unequal, reason, unknown + left)


def _altered(app: Object) -> set[str]:
    """Return the kinds of which fields were left out before they were applied, as ignore rules say."""
    spec = _part(app, "spec")
    if _RESPECT not in (_part(spec, "syncPolicy").get("syncOptions") or ()):
        return set()
    return {str(one.get("kind")) for one in spec.get("ignoreDifferences") or () if isinstance(one, dict)}


def _managed(app: Object) -> list[ObjectKey]:
    rows = _part(app, "status").get("resources")
    return [
        ObjectKey(*(str(row.get(part) or "") for part in ("group", "kind", "namespace", "name")))
        for row in (rows if isinstance(rows, list) else ())
        if isinstance(row, dict) and not row.get("hook")
    ]


def _revisions(status: Object) -> tuple[str, ...]:
    return tuple(map(str, status.get("revisions") or [status.get("revision") or ""]))


async def _rendered(
    app: Object, revisions: tuple[str, ...], wanted: RenderFlags, tools: RenderTools
) -> tuple[Application, tuple[DesiredObject, ...]]:
    typed = application.parse({**app, "apiVersion": "argoproj.io/v1alpha1", "kind": "Application"})
    opened = await open_application(typed, dataclasses.replace(wanted, revisions=revisions), wanted.cluster, tools)
    return typed, (await opened.desired()).objects


async def _manifests(app: Object, api: ArgoApi, revision: str) -> list[Object]:
    found = await api.of_app(app, "manifests", revision=revision)
    texts: Sequence[object] = found.get("manifests") or ()
    return [msgspec.json.decode(str(text), type=dict) for text in texts]


def _part(value: Any, *steps: str) -> Object:
    for step in steps:
        value = value.get(step) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}
